// Catalogue is what is served at one moment: resources with their mirrors, the paths that lead to them, and the documents
// that tell clients of them. It is replaced as a whole when a custom resource comes, changes or goes.
//
//   const CataloguePtr catalogue = current.Get();
//   const Route route = catalogue->router().Find(path);
//   responder->Hold(catalogue->RowOf(route.resource));   // the row outlives the catalogue while it is answered from
//
// Thread-safety: Catalogue immutable; CurrentCatalogue thread-safe.
// Ownership:     a catalogue shares its rows, a row its mirror; routes point to a row's resource.
// Invariants:    resources of one name and group share one mirror.
// Cost:          making one some milliseconds for 500 resources; Get a pointer under a lock.
#ifndef TIDEMARK_HTTP_CATALOGUE_H_
#define TIDEMARK_HTTP_CATALOGUE_H_

#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "cache/cache.h"
#include "config/resource.h"
#include "http/discovery.h"
#include "http/router.h"
#include "metrics/http_metrics.h"
#include "openapi/documents.h"

namespace tidemark::http {

struct ServedResource {
  std::shared_ptr<const config::Resource> resource;
  std::shared_ptr<cache::Mirror> mirror;  // null: it is known, but not mirrored
  // Of a resource that may go: the counts of its requests go with its mirror. Null: they stay.
  std::shared_ptr<metrics::RequestSeriesTable> requests = nullptr;
};
using ServedRow = std::shared_ptr<const ServedResource>;

class Catalogue {
 public:
  explicit Catalogue(std::vector<ServedRow> rows);

  const std::vector<ServedRow>& rows() const { return rows_; }
  const Router& router() const { return router_; }
  const Discovery& discovery() const { return discovery_; }
  // Lives on while an answer is made of it.
  const std::shared_ptr<openapi::Documents>& openapi() const { return openapi_; }
  // REQUIRES: `resource` is one that router() found.
  const ServedRow& RowOf(const config::Resource* resource) const;
  // Each mirror once, in the order of the rows. They live as long as the catalogue.
  const std::vector<cache::Mirror*>& mirrors() const { return mirrors_; }

 private:
  const std::vector<ServedRow> rows_;
  const std::vector<const config::Resource*> resources_;  // of the rows
  const Router router_;
  const Discovery discovery_;
  const std::shared_ptr<openapi::Documents> openapi_;
  std::map<const config::Resource*, size_t> numbers_;  // of the rows
  std::vector<cache::Mirror*> mirrors_;
};

using CataloguePtr = std::shared_ptr<const Catalogue>;

class CurrentCatalogue {
 public:
  explicit CurrentCatalogue(CataloguePtr first) : current_(std::move(first)) {}

  CataloguePtr Get() const {
    MutexLock lock(&mu_);
    return current_;
  }
  void Set(CataloguePtr next) {
    // The old one is let go of behind the lock.
    MutexLock lock(&mu_);
    current_.swap(next);
  }

 private:
  mutable Mutex mu_;
  CataloguePtr current_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_CATALOGUE_H_
