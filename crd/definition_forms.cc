#include "crd/definition_forms.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "crd/object_meta.h"
#include "crd/scale.h"

namespace tidemark::crd {
namespace {

class VersionForm : public config::ObjectForm {
 public:
  VersionForm(std::shared_ptr<const DefinitionForms> forms, const DefinitionVersion& version)
      : forms_(std::move(forms)), version_(version), same_(forms_->ShowsAsStored(version)) {}

  absl::StatusOr<std::string> Decode(absl::string_view value) const override { return forms_->Decode(value); }
  absl::Status Servable() const override { return forms_->Servable(version_); }
  bool Converts() const override { return forms_->Converts(same_); }
  absl::StatusOr<std::string> Serve(absl::string_view json) const override { return forms_->Serve(json, version_); }
  absl::StatusOr<std::string> Scale(absl::string_view json) const override {
    if (!version_.scale.has_value()) return absl::NotFoundError("it has no scale");
    TM_ASSIGN_OR_RETURN(const Json object, ParseJson(json));
    return ScaleOf(object, *version_.scale);
  }

 private:
  const std::shared_ptr<const DefinitionForms> forms_;
  const DefinitionVersion& version_;  // of forms_'s definition
  const bool same_;                   // asked for each object: found out once, since it walks two schemas
};

}  // namespace

std::shared_ptr<DefinitionForms> DefinitionForms::Make(Definition definition) {
  return std::shared_ptr<DefinitionForms>(new DefinitionForms(std::move(definition)));
}

std::shared_ptr<const config::ObjectForm> DefinitionForms::Form(const DefinitionVersion& version) const {
  return std::make_shared<VersionForm>(shared_from_this(), version);
}

absl::StatusOr<const DefinitionVersion*> DefinitionForms::StoredVersion(const Json& object) const {
  const std::string api_version = TextMember(object, "apiVersion");
  absl::string_view version = api_version;
  const bool own_group = absl::ConsumePrefix(&version, definition_.group) && absl::ConsumePrefix(&version, "/");
  const DefinitionVersion* const found = own_group ? definition_.FindVersion(version) : nullptr;
  if (found != nullptr) return found;
  return absl::InvalidArgumentError(absl::StrCat("request to convert CR from an invalid group/version: ", api_version));
}

absl::Status DefinitionForms::NeedsWebhook(absl::string_view from, absl::string_view to) const {
  return absl::InternalError(absl::StrCat(
      "conversion webhook for ", definition_.group, "/", from, ", Kind=", definition_.names.kind,
      " failed: this server calls no webhooks; ask for ", definition_.group, "/", to, ", in which objects are stored"));
}

absl::Status DefinitionForms::Coerce(const DefinitionVersion& version, Json* object) const {
  if (!definition_.keep_unknown_fields) {
    version.schema.Prune(object);
    version.schema.DropNulls(object);
  }
  version.schema.CoerceEmbedded(object);
  Json* const metadata = Member(*object, "metadata");
  return metadata == nullptr ? absl::OkStatus() : CoerceObjectMeta(metadata);
}

absl::StatusOr<std::string> DefinitionForms::Decode(absl::string_view value) const {
  TM_ASSIGN_OR_RETURN(Json object, ParseJson(value));
  if (!object.is_object()) return absl::InvalidArgumentError("it is not a JSON object");
  if (TextMember(object, "kind").empty()) return absl::InvalidArgumentError("Object 'Kind' is missing");
  TM_ASSIGN_OR_RETURN(const DefinitionVersion* const version, StoredVersion(object));
  if (!version->storage && definition_.webhook) {
    return NeedsWebhook(version->name, definition_.StorageVersion().name);
  }
  // Objects of another kind under this resource's keys are left as they are.
  if (TextMember(object, "kind") == definition_.names.kind) {
    TM_RETURN_IF_ERROR(Coerce(*version, &object));
    // Objects that were written before there were generations.
    Json* const metadata = Member(object, "metadata");
    if (metadata != nullptr && Member(*metadata, "generation") == nullptr) (*metadata)["generation"] = 1;
    TM_RETURN_IF_ERROR(version->schema.ApplyDefaults(&object));
  }
  // One value that differs makes every answer go through the schema; most were left by a version that prunes what they have alike.
  if (!version->storage && DiffersInStoredVersion(object)) others_differ_.store(true);
  return GoJson(object);
}

bool DefinitionForms::DiffersInStoredVersion(const Json& object) const {
  Json shown = object;
  return !Coerce(definition_.StorageVersion(), &shown).ok() || shown != object;
}

absl::Status DefinitionForms::Servable(const DefinitionVersion& version) const {
  if (!definition_.webhook || version.storage) return absl::OkStatus();
  return NeedsWebhook(definition_.StorageVersion().name, definition_.StorageVersion().name);
}

bool DefinitionForms::ShowsAsStored(const DefinitionVersion& version) const {
  // An object that came in the stored version is that version's already; for another version it is pruned anew, unless
  // that would change nothing.
  return version.storage || definition_.keep_unknown_fields ||
         version.schema.PrunesLike(definition_.StorageVersion().schema);
}

absl::StatusOr<std::string> DefinitionForms::Serve(absl::string_view json, const DefinitionVersion& version) const {
  TM_RETURN_IF_ERROR(Servable(version));
  TM_ASSIGN_OR_RETURN(Json object, ParseJson(json));
  if (!object.is_object()) return absl::InvalidArgumentError("it is not a JSON object");
  object.erase("apiVersion");
  object.erase("kind");
  TM_RETURN_IF_ERROR(Coerce(version, &object));
  return GoJson(object);
}

}  // namespace tidemark::crd
