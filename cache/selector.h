// Selector is what a LIST or WATCH asks of labels and fields: requirements that must all hold. The parsers accept and
// refuse exactly what kube-apiserver does, with its messages.
//
// Thread-safety: immutable once built.
// Errors:        InvalidArgument with the text that kube-apiserver gives.
// Source:        apimachinery's label and field selector grammars.
#ifndef TIDEMARK_CACHE_SELECTOR_H_
#define TIDEMARK_CACHE_SELECTOR_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/resource.h"

namespace tidemark::cache {

struct Requirement {
  enum class Source { kLabel, kField };
  enum class Op {
    kIn,
    kNotIn,
    kExists,
    kNotExists,
    kGreater,
    kLess
  };  // "=" is kIn with one value, "!=" kNotIn with one

  Source source = Source::kLabel;
  std::string
      key;  // a label's key; a field's path ("spec.nodeName" for its alias too), or its name when it has no path
  Op op = Op::kIn;
  std::vector<std::string> values;  // sorted, unique
};

struct Selector {
  std::vector<Requirement> requirements;
  bool empty() const { return requirements.empty(); }
};

// Where to look: everything, one namespace, or one object.
struct Scope {
  std::string namespace_name;  // empty: all namespaces, or a cluster-scoped resource
  std::string name;            // empty: all objects
};

absl::StatusOr<std::vector<Requirement>> ParseLabelSelector(absl::string_view text);
// Refuses fields that the resource does not declare, in the resource's own wording.
absl::StatusOr<std::vector<Requirement>> ParseFieldSelector(absl::string_view text, const config::Resource& resource);

// As a client would write it: "app=web", "tier in (a,b)", "!track".
std::string ToString(const Requirement& requirement);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_SELECTOR_H_
