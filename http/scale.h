// The autoscaling/v1 Scale of what Kubernetes itself can scale: deployments, replica sets, stateful sets, replication controllers.
//
// Thread-safety: pure.
// Errors:        none: what an object lacks is left out, or zero.
// Source:        kube-apiserver's scale subresources. Those of custom resources are in crd/scale.h.
#ifndef TIDEMARK_HTTP_SCALE_H_
#define TIDEMARK_HTTP_SCALE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::http {

// `object` is the whole object's JSON. Compact, with kind and apiVersion.
std::string ScaleOf(absl::string_view object);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_SCALE_H_
