// CanonicalJson brings a stored object into the form that cache/object.h describes when it is not written in it
// already: metadata first and without a resourceVersion, kind and apiVersion gone, of fields with one name the last, no
// space outside of texts.
//
// Thread-safety: pure.
// Errors:        InvalidArgument when metadata is not an object.
// Cost:          some microseconds per KB; values that kube-apiserver wrote do not need it.
#ifndef TIDEMARK_CACHE_CANONICAL_JSON_H_
#define TIDEMARK_CACHE_CANONICAL_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::cache {

// `identity_first` puts name, namespace and the like first in metadata, as in the built-in resources.
// REQUIRES: `json` is one valid JSON object.
absl::StatusOr<std::string> CanonicalJson(absl::string_view json, bool identity_first);

// Whether metadata's field belongs to what comes before resourceVersion in a built-in resource.
bool IsIdentityField(absl::string_view name);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_CANONICAL_JSON_H_
