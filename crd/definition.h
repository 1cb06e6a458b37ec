// Definition is a CustomResourceDefinition in the form of apiextensions.k8s.io/v1, as the mirror has them all:
// kube-apiserver still writes v1beta1, which is brought into that form when it comes in (cache/read_definition.cc).
//
// Thread-safety: immutable.
// Errors:        InvalidArgument for what is no definition, or has no group, names or version.
// Cost:          some milliseconds for the biggest ones (1 MB).
// Source:        apiextensions-apiserver: defaults, and which conditions let a resource be served.
#ifndef TIDEMARK_CRD_DEFINITION_H_
#define TIDEMARK_CRD_DEFINITION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/table_column.h"
#include "crd/structural_schema.h"

namespace tidemark::crd {

// What the scale subresource is made of: paths as ".spec.replicas".
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;  // may be empty
};

struct DefinitionVersion {
  std::string name;
  bool served = false;
  bool storage = false;
  bool deprecated = false;
  std::optional<std::string> deprecation_warning;  // the definition's own words
  StructuralSchema schema;
  // Of a served version: the schema as it stands in the definition, JSON. Null: there is none, or it is not structural, so that
  // nothing can be said of the objects (kube-apiserver puts that among the conditions).
  std::shared_ptr<const std::string> schema_text;
  std::vector<config::TableColumn> columns;    // empty: the age alone
  std::vector<std::string> selectable_fields;  // paths without the first point
  bool has_status = false;
  std::optional<ScalePaths> scale;
};

struct DefinitionNames {
  std::string plural;
  std::string singular;
  std::string kind;
  std::string list_kind;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
};

struct Definition {
  std::string name;  // "widgets.shop.example.com"
  std::string group;
  bool namespaced = true;
  DefinitionNames names;  // as accepted
  std::vector<DefinitionVersion> versions;
  bool webhook = false;              // conversion between versions needs a webhook
  bool keep_unknown_fields = false;  // preserveUnknownFields: nothing is pruned
  bool established = false;          // only then it is served
  // Changes when what is served changes. kube-apiserver ends a resource's watches then. Another one in each process.
  uint64_t fingerprint = 0;

  // The version in which objects are written. REQUIRES: of a definition that ParseDefinition gave.
  const DefinitionVersion& StorageVersion() const;
  // nullptr when there is none of this name.
  const DefinitionVersion* FindVersion(absl::string_view version) const;
  // What clients of a deprecated version are told; empty for others.
  std::string DeprecationWarning(const DefinitionVersion& version) const;
};

// `value`: kind and apiVersion are of no matter.
absl::StatusOr<Definition> ParseDefinition(absl::string_view value);

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_DEFINITION_H_
