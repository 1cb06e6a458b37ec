// StructuralSchema is what a definition says of the form of its objects, as far as it matters for reading them: which
// fields are kept, and which values stand in for missing ones.
//
//   schema.Prune(&object);               drops what the schema does not know
//   schema.DropNulls(&object);           drops nulls that may neither be nor have a default
//   schema.CoerceEmbedded(&object);      metadata of the objects inside the object
//   schema.ApplyDefaults(&object);
//
// Thread-safety: immutable after Parse.
// Errors:        none: what a schema has in a wrong form is taken as not there, since the API server checked it when it
//                was written.
// Cost:          each one walk over the object.
// Source:        apiextensions-apiserver's pruning, defaulting and objectmeta.
#ifndef TIDEMARK_CRD_STRUCTURAL_SCHEMA_H_
#define TIDEMARK_CRD_STRUCTURAL_SCHEMA_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "crd/json_tree.h"

namespace tidemark::crd {

class StructuralSchema {
 public:
  // A schema without anything, by which all but kind, apiVersion and metadata goes.
  StructuralSchema() = default;
  // `schema` is an openAPIV3Schema. Defaults are pruned by the schema unless `keep_unknown` says that nothing is.
  static StructuralSchema Parse(const Json& schema, bool keep_unknown = false);

  // kind, apiVersion and metadata of the object itself stay as they are.
  void Prune(Json* object) const;
  void DropNulls(Json* value) const;
  void CoerceEmbedded(Json* value) const;
  void ApplyDefaults(Json* value) const;

  // Whether Prune, DropNulls, CoerceEmbedded do the same by both.
  bool PrunesLike(const StructuralSchema& other) const;

 private:
  static StructuralSchema ParseNode(const Json& schema);
  void PruneOwnDefaults();
  // `embedded`, `keep`: embedded_ and preserve_, or what takes their place.
  void PruneNode(Json* value, bool embedded, bool keep) const;
  void PruneAsDeclared(Json* value) const { PruneNode(value, embedded_, preserve_); }
  const StructuralSchema* Child(const std::string& name) const;
  bool NullIsWrong(const Json& value) const { return value.is_null() && !nullable_; }

  std::map<std::string, StructuralSchema> properties_;
  // additionalProperties: has_additional_ without a schema is a plain true or false.
  bool has_additional_ = false;
  std::shared_ptr<StructuralSchema> additional_;
  std::shared_ptr<StructuralSchema> items_;
  bool preserve_ = false;  // x-kubernetes-preserve-unknown-fields
  bool embedded_ = false;  // x-kubernetes-embedded-resource
  bool nullable_ = false;
  std::optional<Json> default_;  // a default of null is none
};

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_STRUCTURAL_SCHEMA_H_
