#include "crd/definition_resources.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "crd/definition_forms.h"
#include "crd/printer_columns.h"

namespace tidemark::crd {
namespace {

config::Resource RowOf(const DefinitionForms& forms, const DefinitionVersion& version) {
  const Definition& definition = forms.definition();
  config::Resource row{.group = definition.group,
                       .version = version.name,
                       .kind = definition.names.kind,
                       .list_kind = definition.names.list_kind,
                       .plural = definition.names.plural,
                       .singular = definition.names.singular,
                       .short_names = definition.names.short_names,
                       .categories = definition.names.categories,
                       .namespaced = definition.namespaced,
                       .prefix = absl::StrCat(definition.group, "/", definition.names.plural),
                       .unknown_field_error = config::UnknownFieldError::kNotSupported,
                       .schema = version.schema_text,
                       .custom = true,
                       .form = forms.Form(version),
                       .object_columns = std::make_shared<PrinterColumns>(version.columns),
                       .warning = definition.DeprecationWarning(version)};
  for (const std::string& field : version.selectable_fields) row.fields.push_back({field, field});
  if (version.has_status) row.subresources.push_back({"status", row.kind, {"get", "patch", "update"}});
  if (version.scale.has_value()) {
    row.subresources.push_back({"scale", "Scale", {"get", "patch", "update"}});
    row.scale_columns = ScaleColumns();
  }
  return row;
}

void AddFields(const DefinitionVersion& version, config::Resource* row) {
  for (const std::string& field : version.selectable_fields) {
    const auto known = [&field](const config::SelectableField& other) { return other.name == field; };
    if (std::none_of(row->fields.begin(), row->fields.end(), known)) row->fields.push_back({field, field});
  }
}

}  // namespace

DefinitionResources ResourcesOf(Definition definition) {
  const std::shared_ptr<const DefinitionForms> forms = DefinitionForms::Make(std::move(definition));
  DefinitionResources resources{.mirrored = RowOf(*forms, forms->definition().StorageVersion())};
  int number = 0;
  for (const DefinitionVersion& version : forms->definition().versions) {
    if (!version.served) continue;
    AddFields(version, &resources.mirrored);
    resources.served.push_back(RowOf(*forms, version));
    resources.served.back().version_number = number++;
  }
  return resources;
}

}  // namespace tidemark::crd
