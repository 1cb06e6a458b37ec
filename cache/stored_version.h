// Which versions of a kind can be read where today's is stored: an older kube-apiserver may have left its own behind, and most
// of them are the same message under another name.
//
//   TM_RETURN_IF_ERROR(CheckStoredVersion("flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema",
//                                         "flowcontrol.apiserver.k8s.io/v1", "FlowSchema"));
//   ... the bytes are read as flowcontrol.apiserver.k8s.io/v1
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument that names both versions, and says whether kube-apiserver itself could read the value.
// Cost:          two texts compared; a walk over some 80 rows when the versions differ.
// Source:        what kube-apiserver 1.36.3 decodes; which versions are one message was found with Kubernetes' round-trip data.
#ifndef TIDEMARK_CACHE_STORED_VERSION_H_
#define TIDEMARK_CACHE_STORED_VERSION_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tidemark::cache {

// OK: a value in protobuf that says `api_version` and `kind` is read with the fields of `todays_api_version` and `todays_kind`.
absl::Status CheckStoredVersion(absl::string_view api_version, absl::string_view kind,
                                absl::string_view todays_api_version, absl::string_view todays_kind);

// The same of a value in JSON, which need not say what it is. Of what is unknown nothing is said.
absl::Status CheckStoredJson(absl::string_view json, absl::string_view todays_api_version,
                             absl::string_view todays_kind);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_STORED_VERSION_H_
