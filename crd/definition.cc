#include "crd/definition.h"

#include <algorithm>
#include <utility>

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

// "jsonPath" in v1, "JSONPath" in v1beta1.
std::string ColumnPath(const Json& column) {
  const std::string path = TextMember(column, "jsonPath");
  return path.empty() ? TextMember(column, "JSONPath") : path;
}

std::vector<PrinterColumn> ReadColumns(const Json& columns) {
  std::vector<PrinterColumn> read;
  for (const Json& column : columns) {
    const Json* const priority = Member(column, "priority");
    const std::string path = ColumnPath(column);
    std::string description = TextMember(column, "description");
    if (description.empty()) {
      description = absl::StrCat("Custom resource definition column (in JSONPath format): ", path);
    }
    read.push_back({.column = {.name = TextMember(column, "name"),
                               .type = TextMember(column, "type"),
                               .format = TextMember(column, "format"),
                               .description = std::move(description),
                               .priority = priority == nullptr ? 0 : static_cast<int>(Integer(*priority).value_or(0))},
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

// What a version says itself, or else what the definition says for all of them.
const Json& OwnOr(const Json& version, absl::string_view own, const Json& spec, absl::string_view shared) {
  const Json* const found = Member(version, own);
  if (found != nullptr && found->is_structured()) return *found;
  const Json* const common = Member(spec, shared);
  return common != nullptr && common->is_structured() ? *common : EmptyObject();
}

DefinitionVersion ReadVersion(const Json& version, const Json& spec, bool keep_unknown) {
  DefinitionVersion read{.name = TextMember(version, "name"),
                         .served = BoolMember(version, "served"),
                         .storage = BoolMember(version, "storage"),
                         .deprecated = BoolMember(version, "deprecated")};
  const Json* const warning = Member(version, "deprecationWarning");
  if (warning != nullptr && warning->is_string()) read.deprecation_warning = warning->get<std::string>();
  const Json& validation = OwnOr(version, "schema", spec, "validation");
  read.schema = StructuralSchema::Parse(ObjectMember(validation, "openAPIV3Schema"), keep_unknown);
  read.columns = ReadColumns(OwnOr(version, "additionalPrinterColumns", spec, "additionalPrinterColumns"));
  ReadSubresources(OwnOr(version, "subresources", spec, "subresources"), &read);
  const Json& fields = OwnOr(version, "selectableFields", spec, "selectableFields");
  for (const Json& field : fields) {
    const std::string path = TextMember(field, "jsonPath");
    if (!path.empty()) read.selectable_fields.emplace_back(absl::StripPrefix(path, "."));
  }
  return read;
}

absl::Status ReadVersions(const Json& spec, Definition* definition) {
  for (const Json& version : ListMember(spec, "versions")) {
    definition->versions.push_back(ReadVersion(version, spec, definition->keep_unknown_fields));
  }
  const std::string only = TextMember(spec, "version");
  if (definition->versions.empty() && !only.empty()) {
    const Json version = {{"name", only}, {"served", true}, {"storage", true}};
    definition->versions.push_back(ReadVersion(version, spec, definition->keep_unknown_fields));
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
                        .established = HasCondition(status, "Established")};
  // v1beta1 kept what it did not know unless it was told otherwise; v1 writes nothing where it prunes.
  // Its own version field tells v1beta1 where the apiVersion is not there.
  const bool beta =
      TextMember(object, "apiVersion") == "apiextensions.k8s.io/v1beta1" || !TextMember(spec, "version").empty();
  definition.keep_unknown_fields =
      Member(spec, "preserveUnknownFields") != nullptr ? BoolMember(spec, "preserveUnknownFields") : beta;
  if (definition.names.plural.empty()) definition.names = ReadNames(ObjectMember(spec, "names"));
  FillNames(&definition.names);
  if (definition.group.empty() || definition.names.plural.empty() || definition.names.kind.empty()) {
    return absl::InvalidArgumentError("it has no group, plural or kind");
  }
  TM_RETURN_IF_ERROR(ReadVersions(spec, &definition));
  definition.fingerprint = absl::StrCat(TextMember(metadata, "uid"), "\n", definition.established, "\n", GoJson(spec),
                                        "\n", GoJson(ObjectMember(status, "acceptedNames")));
  return definition;
}

}  // namespace tidemark::crd
