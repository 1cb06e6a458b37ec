#include "openapi/group_document.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"
#include "crd/json_tree.h"
#include "openapi/custom_definition.h"
#include "openapi/operations.h"
#include "openapi/path_json.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

// How clients say who they are.
constexpr absl::string_view kEnd = R"(},"securitySchemes":{"BearerToken":{"type":"apiKey",)"
                                   R"("name":"authorization","in":"header"}}}})";

// What kube-apiserver says of a group of custom resources alone.
Json CustomInfo() { return {{"title", "Kubernetes CRD Swagger"}, {"version", "v0.1.0"}}; }

// One schema in each of the media types.
Json ContentJson(const std::vector<absl::string_view>& types, const std::string& definition) {
  Json content = Json::object();
  for (const absl::string_view type : types)
    content[std::string(type)] = {{"schema", {{"$ref", absl::StrCat(kReferencePrefix, definition)}}}};
  return content;
}

void AddType(const Parameter& parameter, Json* json) {
  (*json)["schema"] = {{"type", std::string(parameter.type)}, {"uniqueItems", true}};
}

void AddRequest(const Operation& operation, Json* json) {
  if (operation.body == RequestBody::kNone) return;
  Json body = {{"content", ContentJson(RequestTypes(operation), operation.body_definition)}};
  if (operation.body != RequestBody::kOptions) body["required"] = true;
  (*json)["requestBody"] = std::move(body);
}

void AddBody(const Operation& operation, Json* answer) {
  (*answer)["content"] = ContentJson(AnswerTypes(operation), operation.answer_definition);
}

constexpr Dialect kOpenApi3 = {.add_type = &AddType, .add_request = &AddRequest, .add_body = &AddBody};

void AddNamed(absl::string_view name, Schemas* schemas) {
  const DefinitionRow* const row = FindDefinition(name);
  if (row != nullptr) AddWithReferences(*row, schemas);
}

void AddCustom(const config::Resource& resource, bool for_swagger, Schemas* schemas) {
  const std::string name = DefinitionName(resource, resource.kind);
  if (FindDefinition(name) != nullptr) return;
  schemas->emplace(name, crd::GoJson(CustomDefinition(resource, for_swagger)));
  schemas->emplace(DefinitionName(resource, resource.ListKind()), crd::GoJson(CustomListDefinition(resource)));
  // Both refer to metadata.
  for (const absl::string_view metadata : {kObjectMeta, kListMeta}) AddNamed(metadata, schemas);
}

}  // namespace

Schemas SchemasOf(absl::Span<const config::Resource* const> resources, absl::Span<const PathItem> paths,
                  bool for_swagger) {
  Schemas schemas;
  for (const PathItem& item : paths) {
    for (const Operation& operation : item.operations) {
      AddNamed(operation.body_definition, &schemas);
      AddNamed(operation.answer_definition, &schemas);
    }
  }
  for (const config::Resource* const resource : resources) AddCustom(*resource, for_swagger, &schemas);
  return schemas;
}

std::string GroupDocument(absl::Span<const config::Resource* const> resources) {
  const std::vector<PathItem> paths = PathsOf(resources);
  const bool custom =
      std::all_of(resources.begin(), resources.end(), [](const auto* resource) { return resource->custom; });
  const Json info = custom ? CustomInfo() : KubernetesInfo();
  std::string document =
      absl::StrCat("{\"openapi\":\"3.0.0\",\"info\":", crd::GoJson(info),
                   ",\"paths\":", crd::GoJson(PathsJson(paths, kOpenApi3)), ",\"components\":{\"schemas\":{");
  absl::string_view separator;
  for (const auto& [name, schema] : SchemasOf(resources, paths, /*for_swagger=*/false))
    absl::StrAppend(&document, std::exchange(separator, ","), GoJsonString(name), ":", schema);
  absl::StrAppend(&document, kEnd);
  return document;
}

}  // namespace tidemark::openapi
