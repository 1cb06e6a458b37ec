// CustomDefinition is what OpenAPI 3 says of a kind that is not Kubernetes' own: the schema of its definition, and what every
// object has. A resource without a schema gets one that says nothing more.
//
// Thread-safety: pure functions.
// Cost:          some 10 us per KB of the schema.
// Source:        apiextensions-apiserver 1.36.3; descriptions are the definition's own.
#ifndef TIDEMARK_OPENAPI_CUSTOM_DEFINITION_H_
#define TIDEMARK_OPENAPI_CUSTOM_DEFINITION_H_

#include "config/resource.h"
#include "crd/json_tree.h"

namespace tidemark::openapi {

crd::Json CustomDefinition(const config::Resource& resource);
// Of a list of them.
crd::Json CustomListDefinition(const config::Resource& resource);

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_CUSTOM_DEFINITION_H_
