// Kubernetes' order of versions, the preferred one first: v2, v1, v2beta1, v1beta2, v1beta1, v1alpha1, and then all other
// names by the alphabet.
//
// Thread-safety: pure.
#ifndef TIDEMARK_CONFIG_VERSION_ORDER_H_
#define TIDEMARK_CONFIG_VERSION_ORDER_H_

#include "absl/strings/string_view.h"

namespace tidemark::config {

// Whether `a` comes before `b`.
bool IsPreferredVersion(absl::string_view a, absl::string_view b);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_VERSION_ORDER_H_
