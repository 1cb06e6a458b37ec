// What every version of OpenAPI says in the same way, as JSON: of Kubernetes, of paths and of operations. A Dialect says the rest.
//
// Thread-safety: pure functions.
#ifndef TIDEMARK_OPENAPI_PATH_JSON_H_
#define TIDEMARK_OPENAPI_PATH_JSON_H_

#include "absl/types/span.h"
#include "crd/json_tree.h"
#include "openapi/operations.h"

namespace tidemark::openapi {

struct Dialect {
  // Adds the type to a parameter.
  void (*add_type)(const Parameter& parameter, crd::Json* json);
  // Adds what is sent to an operation, which has its parameters already.
  void (*add_request)(const Operation& operation, crd::Json* json);
  // Adds what comes back to an answer that has a body.
  void (*add_body)(const Operation& operation, crd::Json* answer);
};

// Title and version of what is served.
crd::Json KubernetesInfo();
crd::Json PathsJson(absl::Span<const PathItem> paths, const Dialect& dialect);

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_PATH_JSON_H_
