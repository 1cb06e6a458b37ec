// Definitions are the schemas of Kubernetes' own types, as OpenAPI 3 has them. Types, formats, defaults, enums and extensions are
// there; descriptions are not.
//
//   if (const DefinitionRow* pod = FindKind("", "v1", "Pod")) ...
//
// Thread-safety: pure functions on constant tables.
// Cost:          a binary search; AddWithReferences one for each definition that is reached.
// Source:        /openapi/v3 of kube-apiserver 1.36.3.
#ifndef TIDEMARK_OPENAPI_DEFINITIONS_H_
#define TIDEMARK_OPENAPI_DEFINITIONS_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "openapi/definition_rows.h"

namespace tidemark::openapi {

// Before the name of a schema that another one refers to.
inline constexpr absl::string_view kReferencePrefix = "#/components/schemas/";
// What every object has, and every list.
inline constexpr absl::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
inline constexpr absl::string_view kListMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

// Kubernetes' own words in a schema.
inline constexpr char kKindsOf[] = "x-kubernetes-group-version-kind";
inline constexpr char kKeepsUnknown[] = "x-kubernetes-preserve-unknown-fields";
inline constexpr char kIntOrString[] = "x-kubernetes-int-or-string";

// Schemas by their names, as JSON.
using Schemas = std::map<std::string, std::string>;

// nullptr when there is none.
const DefinitionRow* FindDefinition(absl::string_view name);
const DefinitionRow* FindKind(absl::string_view group, absl::string_view version, absl::string_view kind);

// Adds the definition, and all that it refers to, through others, too.
void AddWithReferences(const DefinitionRow& definition, Schemas* schemas);

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_DEFINITIONS_H_
