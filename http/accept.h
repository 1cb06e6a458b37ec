// Negotiation: which form of an answer a client takes, and whether it wants it indented. JSON
// is what this server gives.
//
// Thread-safety: pure functions.
// Source:        kube-apiserver 1.36.3: go-restful matches whole media types and */* only,
//                apimachinery then their parameters.
#ifndef TIDEMARK_HTTP_ACCEPT_H_
#define TIDEMARK_HTTP_ACCEPT_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "http/status.h"
#include "net/exchange.h"

namespace tidemark::http {

// nullopt when JSON of the object as it is will do; else the 406 to answer. `watch` only changes its words.
std::optional<ApiStatus> RefuseUnlessJson(const net::Request& request, bool watch = false);

// Whether aggregated discovery (v2) comes before anything else that the client takes and the server has.
bool PrefersAggregatedDiscovery(const net::Request& request);

// `pretty` in the query or in Accept decides; without either, people's tools get indented JSON.
bool WantsIndent(const net::Request& request);
// The same for a Status: one that answers an Accept without JSON is indented as well.
bool WantsIndentedStatus(const net::Request& request);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_ACCEPT_H_
