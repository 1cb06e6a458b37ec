// Discovery is what clients ask first: which groups, versions and resources there are. Every document is
// written once, from the mirrored resources, in the aggregated form (one request) and in the older ones (one
// request per group version).
//
// Thread-safety: immutable.
// Source:        apidiscovery.k8s.io/v2, meta/v1's APIGroupList and APIResourceList; the order of
//                groups is kube-apiserver's.
#ifndef TIDEMARK_HTTP_DISCOVERY_H_
#define TIDEMARK_HTTP_DISCOVERY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "config/resource.h"

namespace tidemark::http {

class Discovery {
 public:
  struct Document {
    std::string api_version;  // empty in the two oldest kinds
    std::string kind;
    std::string json;  // compact
    std::string etag;  // with its quotes
  };

  explicit Discovery(absl::Span<const config::Resource* const> resources);

  const Document& core_aggregated() const { return core_aggregated_; }      // /api
  const Document& groups_aggregated() const { return groups_aggregated_; }  // /apis
  const Document& core_versions() const { return core_versions_; }
  const Document& groups() const { return groups_; }
  // nullptr when unknown.
  const Document* Group(absl::string_view group) const;
  const Document* GroupVersion(absl::string_view group, absl::string_view version) const;

 private:
  Document core_aggregated_;
  Document groups_aggregated_;
  Document core_versions_;
  Document groups_;
  std::map<std::string, Document, std::less<>> by_group_;
  std::map<std::string, Document, std::less<>> by_group_version_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_DISCOVERY_H_
