// A resource version is a store revision as text at the HTTP edge. It is parsed and printed here and nowhere else.
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument with kube-apiserver's words.
// Source:        Kubernetes' storage Versioner: an unsigned 64-bit decimal; leading zeros are fine.
#ifndef TIDEMARK_HTTP_RESOURCE_VERSION_H_
#define TIDEMARK_HTTP_RESOURCE_VERSION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/revision.h"

namespace tidemark::http {

// "" is 0. Otherwise: "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax".
absl::StatusOr<uint64_t> ParseResourceVersion(absl::string_view text);
// What lies beyond a store's revisions is the highest of them: just as far in the future.
Revision RevisionOfVersion(uint64_t version);
std::string PrintResourceVersion(Revision revision);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_RESOURCE_VERSION_H_
