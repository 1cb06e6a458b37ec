// GroupDocument is the OpenAPI 3 document of one group version: what can be asked of its resources, and the schemas of all that is
// sent and answered.
//
// Thread-safety: pure functions.
// Cost:          some ms per MB of the document; core's has 0.6 MB.
// Source:        /openapi/v3/apis/apps/v1 of kube-apiserver 1.36.3; what is left out: definitions.h, operations.h.
#ifndef TIDEMARK_OPENAPI_GROUP_DOCUMENT_H_
#define TIDEMARK_OPENAPI_GROUP_DOCUMENT_H_

#include <string>

#include "absl/types/span.h"
#include "config/resource.h"
#include "openapi/definitions.h"
#include "openapi/operations.h"

namespace tidemark::openapi {

// Compact JSON. `resources`: of one group version.
std::string GroupDocument(absl::Span<const config::Resource* const> resources);

// The schemas of the resources, and all that their paths refer to, as OpenAPI 3 has them; `for_swagger`: see CustomDefinition.
Schemas SchemasOf(absl::Span<const config::Resource* const> resources, absl::Span<const PathItem> paths,
                  bool for_swagger);

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_GROUP_DOCUMENT_H_
