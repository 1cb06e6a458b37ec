// Router says what a path names: an object, a collection, a piece of discovery, or nothing. It knows the mirrored
// resources and no others, and uses no regular expressions.
//
//   /api/v1/namespaces/default/pods/web-1/status  ->  kObject, pods, "default", "web-1", subresource "status"
//
// Thread-safety: immutable.
// Ownership:     keeps pointers to the resources; the caller keeps these alive.
// Source:        kube-apiserver's RequestInfo and what 1.36.3 answers for odd paths.
#ifndef TIDEMARK_HTTP_ROUTER_H_
#define TIDEMARK_HTTP_ROUTER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "config/resource.h"

namespace tidemark::http {

struct Route {
  enum class Kind {
    kRoot,             // "/"
    kVersion,          // /version
    kHealth,           // /livez, /readyz, /healthz; `name` is which, `subresource` the single check
    kMetrics,          // /metrics
    kOpenApi,          // /openapi/...; `name` is what follows, a last slash included
    kApi,              // /api
    kApis,             // /apis
    kGroup,            // /apis/G
    kGroupVersion,     // /api/v1, /apis/G/V
    kCollection,       // a resource, in all namespaces or one
    kObject,           // one object of it, or its subresource
    kNotFound,         // no resource: a Status
    kUnknownPath,      // nothing at all: plain text
    kBrokenWatchPath,  // the deprecated prefix and nothing behind it
    kNoSubresource,    // of a custom resource, whose answer names the object
    kWriteOnly,        // a subresource, or a resource, that cannot be read
  };
  Kind kind = Kind::kUnknownPath;
  const config::Resource* resource = nullptr;
  std::string group;    // for kGroup and kGroupVersion
  std::string version;  // for kGroupVersion
  std::string namespace_name;
  std::string name;
  std::string subresource;
  bool watch_path = false;  // the deprecated /watch/ prefix: always a WATCH
};

class Router {
 public:
  explicit Router(absl::Span<const config::Resource* const> resources);

  // `path` as sent, before the '?', percent escapes not decoded. Where one is broken, none is decoded: the path stands
  // for itself.
  Route Find(absl::string_view path) const;

 private:
  using Segments = absl::Span<const std::string>;
  Route FindApi(absl::string_view group, absl::string_view version, Segments rest) const;
  Route FindResource(absl::string_view group, absl::string_view version, Segments rest) const;
  // A path below a known group version that names nothing.
  Route Missing(absl::string_view group) const;

  // "group/version/plural" of each resource, and the groups with whether they hold built-in resources.
  std::map<std::string, const config::Resource*, std::less<>> resources_;
  std::map<std::string, bool, std::less<>> groups_;
  std::map<std::string, bool, std::less<>> group_versions_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_ROUTER_H_
