// ScaleOf gives the autoscaling/v1 Scale of a custom object: its replicas where the definition's paths say they are.
//
// Thread-safety: pure.
// Errors:        Internal when the object has no value for the wanted replicas; InvalidArgument for values of a wrong type.
// Source:        apiextensions-apiserver's scale subresource.
#ifndef TIDEMARK_CRD_SCALE_H_
#define TIDEMARK_CRD_SCALE_H_

#include <string>

#include "absl/status/statusor.h"
#include "crd/definition.h"
#include "crd/json_tree.h"

namespace tidemark::crd {

absl::StatusOr<std::string> ScaleOf(const Json& object, const ScalePaths& paths);

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_SCALE_H_
