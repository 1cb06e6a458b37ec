// Documents are the OpenAPI documents of all that is served at one moment: OpenAPI 3, one for each group version and their index,
// and OpenAPI 2, one of all. Both are made when they are first asked for, since most servers are never asked.
//
//   Documents documents(resources);
//   if (documents.groups() == nullptr) documents.MakeGroups();   // where tens of milliseconds do no harm
//
// Thread-safety: thread-safe. Two that make the same at once make it twice, and the first one's stays.
// Ownership:     shares the resources; what groups() and swagger() return lives as long as this.
// Cost:          MakeGroups some 30 ms, MakeSwagger 100 ms for Kubernetes' own resources, and 60 us for each KB of custom
//                ones' schemas; some MB of memory each. What is there costs a lock.
// Source:        kube-apiserver 1.36.3's /openapi/v2 and /openapi/v3.
#ifndef TIDEMARK_OPENAPI_DOCUMENTS_H_
#define TIDEMARK_OPENAPI_DOCUMENTS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "config/resource.h"

namespace tidemark::openapi {

using Resources = std::vector<std::shared_ptr<const config::Resource>>;

struct HashedDocument {
  std::string json;
  std::string hash;
};

class GroupDocuments {
 public:
  explicit GroupDocuments(const Resources& resources);

  // {"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=..."}}}
  const std::string& index() const { return index_; }
  // "apis/apps/v1"; nullptr when it is not served.
  const HashedDocument* Find(absl::string_view path) const;

 private:
  std::map<std::string, HashedDocument, std::less<>> by_path_;
  std::string index_;
};

struct Swagger {
  explicit Swagger(const Resources& resources);

  HashedDocument document;
  std::string protobuf;  // of the same
};

class Documents {
 public:
  explicit Documents(Resources resources) : resources_(std::move(resources)) {}
  Documents(const Documents&) = delete;
  Documents& operator=(const Documents&) = delete;

  // nullptr until they are made.
  const GroupDocuments* groups() const;
  const Swagger* swagger() const;

  const GroupDocuments& MakeGroups();
  const Swagger& MakeSwagger();

 private:
  const Resources resources_;
  mutable Mutex mu_;
  std::unique_ptr<const GroupDocuments> groups_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<const Swagger> swagger_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_DOCUMENTS_H_
