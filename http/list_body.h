// ListBody is the answer to one LIST: a source that walks the snapshot as the connection takes it, one slice per item where
// the encoder has one, in constant memory however long the list is: a small list, or the pieces of one Pull.
//
// Thread-safety: thread-compatible.
// Ownership:     the source owns the view, and so pins the snapshot until the body has ended.
// Errors:        kCorrupt when an object in scope cannot be read: found before the answer begins.
// Cost:          a page that does not fit one batch is walked twice, since its metadata, which comes first, tells its end; so
//                is a list whose length comes first.
#ifndef TIDEMARK_HTTP_LIST_BODY_H_
#define TIDEMARK_HTTP_LIST_BODY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cache/cache.h"
#include "http/encoder.h"
#include "metrics/cache_metrics.h"
#include "net/exchange.h"

namespace tidemark::http {

struct ListRequest {
  std::string key_prefix;  // of the resource in the store, for errors
  cache::ListQuery query;
  std::string listed_namespace;  // of the path; what a continue token is relative to
  metrics::ReadMetrics metrics;

  // Before a token's start key: "default/".
  std::string KeyPrefix() const { return listed_namespace.empty() ? "" : listed_namespace + "/"; }
};

struct ListBody {
  std::unique_ptr<net::BodySource> source;
  std::optional<uint64_t> length;  // known of a small list
  std::string served;              // "index spec.nodeName=node-7; mirror after 1.2ms"
};

absl::StatusOr<ListBody> MakeListBody(cache::View view, ListRequest request, std::unique_ptr<Encoder> encoder);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_LIST_BODY_H_
