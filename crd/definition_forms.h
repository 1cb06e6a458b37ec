// DefinitionForms holds what the versions of one custom resource have in common, and gives the form of each
// (config/object_form.h).
//
// An object comes from the store in the version it was written in: it is pruned by that version's schema and given that
// version's defaults. Every other version shows it with its own apiVersion, pruned by its own schema, without defaults of
// its own.
//
// Thread-safety: thread-safe.
// Ownership:     forms keep it alive.
// Errors:        a value in a version that the definition does not have, or, where a webhook converts, in another one
//                than objects are stored in now; one to which defaults add too much (crd/structural_schema.h).
// Source:        apiextensions-apiserver's storage codec and its converters.
#ifndef TIDEMARK_CRD_DEFINITION_FORMS_H_
#define TIDEMARK_CRD_DEFINITION_FORMS_H_

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/object_form.h"
#include "crd/definition.h"
#include "crd/json_tree.h"

namespace tidemark::crd {

class DefinitionForms : public std::enable_shared_from_this<DefinitionForms> {
 public:
  static std::shared_ptr<DefinitionForms> Make(Definition definition);

  const Definition& definition() const { return definition_; }
  // REQUIRES: `version` is one of definition().versions.
  std::shared_ptr<const config::ObjectForm> Form(const DefinitionVersion& version) const;

  // See config/object_form.h.
  absl::StatusOr<std::string> Decode(absl::string_view value) const;
  absl::Status Servable(const DefinitionVersion& version) const;
  // Whether `version` shows objects that came in the stored version as they are. Walks both schemas.
  bool ShowsAsStored(const DefinitionVersion& version) const;
  // Of a version that does or does not.
  bool Converts(bool shows_as_stored) const {
    return !definition_.webhook && (!shows_as_stored || others_differ_.load());
  }
  absl::StatusOr<std::string> Serve(absl::string_view json, const DefinitionVersion& version) const;

 private:
  explicit DefinitionForms(Definition definition) : definition_(std::move(definition)) {}

  absl::StatusOr<const DefinitionVersion*> StoredVersion(const Json& object) const;
  // What a schema does to an object: once when it is read, and again after a conversion.
  absl::Status Coerce(const DefinitionVersion& version, Json* object) const;
  // Of an object that was stored in another version, and is decoded.
  bool DiffersInStoredVersion(const Json& object) const;
  absl::Status NeedsWebhook(absl::string_view from, absl::string_view to) const;

  const Definition definition_;
  // Whether a value has been seen in another version than the stored one that looks different in that one.
  mutable std::atomic<bool> others_differ_{false};
};

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_DEFINITION_FORMS_H_
