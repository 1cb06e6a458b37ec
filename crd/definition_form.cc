#include "crd/definition_form.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "crd/json_tree.h"

namespace tidemark::crd {
namespace {

using Ordered = nlohmann::ordered_json;

// Moves what all versions shared into each of them; v1 has no shared members.
void Share(Ordered* spec, const char* shared, const char* own) {
  const auto found = spec->find(shared);
  if (found == spec->end()) return;
  const Ordered value = *found;
  spec->erase(shared);
  const auto versions = spec->find("versions");
  if (versions == spec->end() || !versions->is_array()) return;
  for (Ordered& version : *versions) {
    if (version.is_object() && !version.contains(own)) version[own] = value;
  }
}

void RenameColumnPaths(Ordered* spec) {
  const auto versions = spec->find("versions");
  if (versions == spec->end() || !versions->is_array()) return;
  for (Ordered& version : *versions) {
    if (!version.is_object()) continue;
    const auto columns = version.find("additionalPrinterColumns");
    if (columns == version.end() || !columns->is_array()) continue;
    for (Ordered& column : *columns) {
      if (!column.is_object() || !column.contains("JSONPath")) continue;
      const Ordered path = column["JSONPath"];
      column.erase("JSONPath");
      column["jsonPath"] = path;
    }
  }
}

void ConvertConversion(Ordered* spec) {
  const auto conversion = spec->find("conversion");
  if (conversion == spec->end() || !conversion->is_object()) return;
  Ordered webhook = Ordered::object();
  if (conversion->contains("webhookClientConfig")) webhook["clientConfig"] = (*conversion)["webhookClientConfig"];
  if (conversion->contains("conversionReviewVersions")) {
    webhook["conversionReviewVersions"] = (*conversion)["conversionReviewVersions"];
  }
  conversion->erase("webhookClientConfig");
  conversion->erase("conversionReviewVersions");
  if (!webhook.empty()) (*conversion)["webhook"] = webhook;
}

void ToV1(Ordered* definition) {
  (*definition)["apiVersion"] = "apiextensions.k8s.io/v1";
  const auto spec = definition->find("spec");
  if (spec == definition->end() || !spec->is_object()) return;
  const auto only = spec->find("version");
  if (!spec->contains("versions") && only != spec->end()) {
    (*spec)["versions"] = Ordered::array({{{"name", *only}, {"served", true}, {"storage", true}}});
  }
  // v1 writes it only where nothing is pruned, and v1beta1 meant that where it said nothing.
  const bool keeps = !spec->contains("preserveUnknownFields") || (*spec)["preserveUnknownFields"] == true;
  spec->erase("version");
  Share(&*spec, "validation", "schema");
  Share(&*spec, "subresources", "subresources");
  Share(&*spec, "additionalPrinterColumns", "additionalPrinterColumns");
  Share(&*spec, "selectableFields", "selectableFields");
  RenameColumnPaths(&*spec);
  ConvertConversion(&*spec);
  spec->erase("preserveUnknownFields");
  if (keeps) (*spec)["preserveUnknownFields"] = true;
}

class DefinitionForm : public config::ObjectForm {
 public:
  absl::StatusOr<std::string> Decode(absl::string_view value) const override {
    if (!absl::StrContains(value, "apiextensions.k8s.io/v1beta1")) return std::string(value);
    if (const absl::StatusOr<Json> checked = ParseJson(value); !checked.ok()) return checked.status();
    Ordered definition = Ordered::parse(value.begin(), value.end(), nullptr, /*allow_exceptions=*/false);
    if (!definition.is_object()) return absl::InvalidArgumentError("it is not a JSON object");
    const auto version = definition.find("apiVersion");
    if (version == definition.end() || *version != "apiextensions.k8s.io/v1beta1") return std::string(value);
    ToV1(&definition);
    return GoJson(definition);
  }
  absl::Status Servable() const override { return absl::OkStatus(); }
  bool Converts() const override { return false; }
  absl::StatusOr<std::string> Serve(absl::string_view json) const override { return std::string(json); }
  const std::vector<config::TableColumn>& columns() const override { return columns_; }
  absl::Status AppendCells(absl::string_view, absl::Time, std::string*) const override { return absl::OkStatus(); }
  absl::StatusOr<std::string> Scale(absl::string_view) const override {
    return absl::NotFoundError("a definition has no scale");
  }

 private:
  const std::vector<config::TableColumn> columns_;  // none of its own: they are those of a built-in resource
};

}  // namespace

std::shared_ptr<const config::ObjectForm> MakeDefinitionForm() { return std::make_shared<DefinitionForm>(); }

}  // namespace tidemark::crd
