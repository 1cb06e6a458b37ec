#include "crd/definition.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/status.h"
#include "config/version_order.h"

namespace tidemark::crd {
namespace {

const Json& EmptyObject() {
  static const Json* const kEmpty = new Json(Json::object());
  return *kEmpty;
}

const Json& ObjectMember(const Json& value, absl::string_view name) {
  const Json* const member = Member(value, name);
  return member != nullptr && member->is_object() ? *member : EmptyObject();
}

const Json& ListMember(const Json& value, absl::string_view name) {
  static const Json* const kEmpty = new Json(Json::array());
  const Json* const member = Member(value, name);
  return member != nullptr && member->is_array() ? *member : *kEmpty;
}

bool HasCondition(const Json& status, absl::string_view type) {
  for (const Json& condition : ListMember(status, "conditions")) {
    if (TextMember(condition, "type") == type) return TextMember(condition, "status") == "True";
  }
  return false;
}

DefinitionNames ReadNames(const Json& names) {
  return {.plural = TextMember(names, "plural"),
          .singular = TextMember(names, "singular"),
          .kind = TextMember(names, "kind"),
          .list_kind = TextMember(names, "listKind"),
          .short_names = TextsMember(names, "shortNames"),
          .categories = TextsMember(names, "categories")};
}

std::vector<config::TableColumn> ReadColumns(const Json& columns) {
  std::vector<config::TableColumn> read;
  for (const Json& column : columns) {
    const Json* const priority = Member(column, "priority");
    const std::string path = TextMember(column, "jsonPath");
    std::string description = TextMember(column, "description");
    if (description.empty()) {
      description = absl::StrCat("Custom resource definition column (in JSONPath format): ", path);
    }
    read.push_back({.name = TextMember(column, "name"),
                    .type = TextMember(column, "type"),
                    .format = TextMember(column, "format"),
                    .description = std::move(description),
                    .priority = priority == nullptr ? 0 : static_cast<int32_t>(Integer(*priority).value_or(0)),
                    .json_path = path});
  }
  return read;
}

void ReadSubresources(const Json& subresources, DefinitionVersion* version) {
  version->has_status = Member(subresources, "status") != nullptr && Member(subresources, "status")->is_object();
  const Json* const scale = Member(subresources, "scale");
  if (scale == nullptr || !scale->is_object()) return;
  version->scale = ScalePaths{.spec_replicas = TextMember(*scale, "specReplicasPath"),
                              .status_replicas = TextMember(*scale, "statusReplicasPath"),
                              .label_selector = TextMember(*scale, "labelSelectorPath")};
}

// `structural`: whether the definition's schemas say what its objects look like.
DefinitionVersion ReadVersion(const Json& version, bool keep_unknown, bool structural) {
  DefinitionVersion read{.name = TextMember(version, "name"),
                         .served = BoolMember(version, "served"),
                         .storage = BoolMember(version, "storage"),
                         .deprecated = BoolMember(version, "deprecated")};
  const Json* const warning = Member(version, "deprecationWarning");
  if (warning != nullptr && warning->is_string()) read.deprecation_warning = warning->get<std::string>();
  const Json& schema = ObjectMember(ObjectMember(version, "schema"), "openAPIV3Schema");
  read.schema = StructuralSchema::Parse(schema, keep_unknown);
  if (structural && read.served && !schema.empty())
    read.schema_text = std::make_shared<const std::string>(GoJson(schema));
  read.columns = ReadColumns(ListMember(version, "additionalPrinterColumns"));
  ReadSubresources(ObjectMember(version, "subresources"), &read);
  for (const Json& field : ListMember(version, "selectableFields")) {
    const std::string path = TextMember(field, "jsonPath");
    if (!path.empty()) read.selectable_fields.emplace_back(absl::StripPrefix(path, "."));
  }
  return read;
}

absl::Status ReadVersions(const Json& spec, bool structural, Definition* definition) {
  for (const Json& version : ListMember(spec, "versions")) {
    definition->versions.push_back(ReadVersion(version, definition->keep_unknown_fields, structural));
  }
  const auto stored = [](const DefinitionVersion& version) { return version.storage; };
  if (std::count_if(definition->versions.begin(), definition->versions.end(), stored) != 1) {
    return absl::InvalidArgumentError("not exactly one of its versions is the stored one");
  }
  return absl::OkStatus();
}

// Empty names of older definitions are made from the kind.
void FillNames(DefinitionNames* names) {
  if (names->singular.empty()) names->singular = absl::AsciiStrToLower(names->kind);
  if (names->list_kind.empty()) names->list_kind = absl::StrCat(names->kind, "List");
}

}  // namespace

const DefinitionVersion& Definition::StorageVersion() const {
  for (const DefinitionVersion& version : versions) {
    if (version.storage) return version;
  }
  TM_CHECK(false) << name << " has no stored version";
  std::abort();
}

const DefinitionVersion* Definition::FindVersion(absl::string_view version) const {
  const auto found = std::find_if(versions.begin(), versions.end(),
                                  [version](const DefinitionVersion& other) { return other.name == version; });
  return found == versions.end() ? nullptr : &*found;
}

std::string Definition::DeprecationWarning(const DefinitionVersion& version) const {
  if (!version.deprecated) return "";
  if (version.deprecation_warning.has_value()) return *version.deprecation_warning;
  std::string warning = absl::StrCat(group, "/", version.name, " ", names.kind, " is deprecated");
  const DefinitionVersion* best = nullptr;
  for (const DefinitionVersion& other : versions) {
    const bool better = other.served && !other.deprecated && config::IsPreferredVersion(other.name, version.name);
    if (better && (best == nullptr || config::IsPreferredVersion(other.name, best->name))) best = &other;
  }
  if (best != nullptr) absl::StrAppend(&warning, "; use ", group, "/", best->name, " ", names.kind);
  return warning;
}

absl::StatusOr<Definition> ParseDefinition(absl::string_view value) {
  TM_ASSIGN_OR_RETURN(const Json object, ParseJson(value));
  const Json& spec = ObjectMember(object, "spec");
  const Json& status = ObjectMember(object, "status");
  const Json& metadata = ObjectMember(object, "metadata");
  Definition definition{.name = TextMember(metadata, "name"),
                        .group = TextMember(spec, "group"),
                        .namespaced = TextMember(spec, "scope") != "Cluster",
                        .names = ReadNames(ObjectMember(status, "acceptedNames")),
                        .webhook = TextMember(ObjectMember(spec, "conversion"), "strategy") == "Webhook",
                        .keep_unknown_fields = BoolMember(spec, "preserveUnknownFields"),
                        .established = HasCondition(status, "Established")};
  if (definition.names.plural.empty()) definition.names = ReadNames(ObjectMember(spec, "names"));
  FillNames(&definition.names);
  if (definition.group.empty() || definition.names.plural.empty() || definition.names.kind.empty()) {
    return absl::InvalidArgumentError("it has no group, plural or kind");
  }
  const bool structural = !definition.keep_unknown_fields && !HasCondition(status, "NonStructuralSchema");
  TM_RETURN_IF_ERROR(ReadVersions(spec, structural, &definition));
  definition.fingerprint = absl::HashOf(TextMember(metadata, "uid"), definition.established, structural, GoJson(spec),
                                        GoJson(ObjectMember(status, "acceptedNames")));
  return definition;
}

}  // namespace tidemark::crd
