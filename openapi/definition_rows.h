// The definitions of Kubernetes' own kinds, as kubernetes_definitions writes them.
#ifndef TIDEMARK_OPENAPI_DEFINITION_ROWS_H_
#define TIDEMARK_OPENAPI_DEFINITION_ROWS_H_

#include <cstddef>
#include <cstdint>

namespace tidemark::openapi {

struct DefinitionRow {
  const char* name;  // "io.k8s.api.apps.v1.Deployment"
  const char* json;  // its schema in OpenAPI 3, compact
  // What the schema refers to: among kReferences, which has numbers of rows.
  uint16_t first_reference;
  uint16_t references;
};

struct KindRow {
  const char* group;
  const char* version;
  const char* kind;
  uint16_t definition;  // the number of its row
};

// Ascending by name.
extern const DefinitionRow kDefinitionRows[];
extern const size_t kDefinitionRowCount;
extern const uint16_t kReferences[];
// Ascending by group, version and kind.
extern const KindRow kKindRows[];
extern const size_t kKindRowCount;

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_DEFINITION_ROWS_H_
