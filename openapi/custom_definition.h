// CustomDefinition is what OpenAPI says of a kind that is not Kubernetes' own: the schema of its definition, and what every object
// has. Of a resource without a schema nothing is said but its kind: what is not named counts as unknown to clients, and refused.
//
// Thread-safety: pure functions.
// Cost:          some 10 us per KB of the schema.
// Source:        apiextensions-apiserver 1.36.3; descriptions are the definition's own.
#ifndef TIDEMARK_OPENAPI_CUSTOM_DEFINITION_H_
#define TIDEMARK_OPENAPI_CUSTOM_DEFINITION_H_

#include "config/resource.h"
#include "crd/json_tree.h"

namespace tidemark::openapi {

// In OpenAPI 3, from which SwaggerSchema makes OpenAPI 2: `for_swagger` leaves out what is not to be said there.
crd::Json CustomDefinition(const config::Resource& resource, bool for_swagger = false);
// Of a list of them.
crd::Json CustomListDefinition(const config::Resource& resource);

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_CUSTOM_DEFINITION_H_
