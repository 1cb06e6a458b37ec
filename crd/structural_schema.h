// StructuralSchema is what a definition says of the form of its objects, as far as it matters for reading them: which
// fields are kept, and which values stand in for missing ones.
//
//   schema.Prune(&object);               drops what the schema does not know
//   schema.DropNulls(&object);           drops nulls that may neither be nor have a default
//   schema.CoerceEmbedded(&object);      metadata of the objects inside the object
//   TM_RETURN_IF_ERROR(schema.ApplyDefaults(&object));
//
// Thread-safety: immutable after Parse.
// Errors:        what a schema has in a wrong form is taken as not there, since the API server checked it when it was
//                written. Defaults that add too much are an error.
// Cost:          each one walk over the object, and over the defaults added.
// Source:        apiextensions-apiserver's pruning, defaulting and objectmeta.
#ifndef TIDEMARK_CRD_STRUCTURAL_SCHEMA_H_
#define TIDEMARK_CRD_STRUCTURAL_SCHEMA_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "crd/json_tree.h"

namespace tidemark::crd {

// Values that defaults add to one object, each object, list, text and number. Those inside the elements of a default are
// multiplied by its length, again at each level: one KB of schema can ask for any amount of memory.
inline constexpr size_t kDefaultValuesMax = 100'000;
// Of a text or name: so many bytes count as one value more.
inline constexpr size_t kDefaultTextBytes = 32;

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
  // InvalidArgument, with some of them in place, when they add more than kDefaultValuesMax.
  absl::Status ApplyDefaults(Json* value) const;

  // Whether Prune, DropNulls, CoerceEmbedded do the same by both.
  bool PrunesLike(const StructuralSchema& other) const;

 private:
  static StructuralSchema ParseNode(const Json& schema);
  // Takes what it adds from `*left`; false when that is not enough.
  bool AddDefaults(Json* value, size_t* left) const;
  // Puts the default, if there is any, or else null in the place of `*value`.
  bool SetDefault(Json* value, size_t* left) const;
  // Prunes the defaults, unless `keep_unknown`, and counts them.
  void TakeOwnDefaults(bool keep_unknown);
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
  size_t default_values_ = 0;    // in default_ and its name, as kDefaultValuesMax counts
};

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_STRUCTURAL_SCHEMA_H_
