// SwaggerDocument is OpenAPI 2 of all that is served, in one document: what clients read that are older than OpenAPI 3, kubectl
// before 1.27 among them. Its schemas are those of OpenAPI 3 without what OpenAPI 2 cannot say.
//
// Thread-safety: pure functions.
// Cost:          some 50 ms for Kubernetes' own resources, and 30 us per KB of custom ones' schemas.
// Source:        /openapi/v2 of kube-apiserver 1.36.3; what is left out: definitions.h, operations.h.
#ifndef TIDEMARK_OPENAPI_SWAGGER_DOCUMENT_H_
#define TIDEMARK_OPENAPI_SWAGGER_DOCUMENT_H_

#include "absl/types/span.h"
#include "config/resource.h"
#include "crd/json_tree.h"

namespace tidemark::openapi {

crd::Json SwaggerDocument(absl::Span<const config::Resource* const> resources);

// A schema of OpenAPI 3 as OpenAPI 2 says it: alternatives, defaults and null are left out, and where they or unknown fields make a
// type that kubectl would hold somebody to, the type, too.
crd::Json SwaggerSchema(const crd::Json& schema);

// A definition that says nothing but what kind it is of.
crd::Json OnlyKind(const crd::Json& definition);

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_SWAGGER_DOCUMENT_H_
