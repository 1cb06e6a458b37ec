// The release of Kubernetes whose API is served: clients compare it with their own, at /version and in OpenAPI.
#ifndef TIDEMARK_CONFIG_KUBERNETES_RELEASE_H_
#define TIDEMARK_CONFIG_KUBERNETES_RELEASE_H_

#include "absl/strings/string_view.h"

namespace tidemark::config {

inline constexpr absl::string_view kKubernetesMajor = "1";
inline constexpr absl::string_view kKubernetesMinor = "36";
inline constexpr absl::string_view kKubernetesVersion = "v1.36.3";

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_KUBERNETES_RELEASE_H_
