// SplitTarget takes a request's target apart into the path, left as it was sent, and the query, decoded.
//
//   "/api/v1/pods?labelSelector=app+in+%28a%29&limit=5"  ->  path "/api/v1/pods",
//                                                            query {labelSelector: "app in (a)"}, {limit: "5"}
//   "http://host/version"                                ->  target and path "/version"
//
// Thread-safety: pure.
// Source:        the query as Go's net/url reads it: '+' is a blank, a part with a broken escape or a ';' is dropped.
#ifndef TIDEMARK_NET_REQUEST_TARGET_H_
#define TIDEMARK_NET_REQUEST_TARGET_H_

#include <string>

#include "absl/strings/string_view.h"
#include "net/exchange.h"

namespace tidemark::net {

// Fills target, path and query.
void SplitTarget(absl::string_view target, Request* request);

// Decodes %XX, and in a query '+' as a blank; false when an escape is broken.
enum class PercentForm { kPath, kQuery };
bool DecodePercent(absl::string_view text, PercentForm form, std::string* decoded);

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_REQUEST_TARGET_H_
