#include "openapi/group_document.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/go_json_string.h"
#include "crd/json_tree.h"
#include "openapi/custom_definition.h"
#include "openapi/operations.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

// What clients show of the API, and how they say who they are.
constexpr absl::string_view kOpening = R"({"openapi":"3.0.0","info":{"title":"Kubernetes","version":"1.36"},"paths":)";
constexpr absl::string_view kCustomOpening =
    R"({"openapi":"3.0.0","info":{"title":"Kubernetes CRD Swagger","version":"v0.1.0"},"paths":)";
constexpr absl::string_view kEnd = R"(},"securitySchemes":{"BearerToken":{"type":"apiKey",)"
                                   R"("name":"authorization","in":"header"}}}})";

Json ParameterJson(const Parameter& parameter) {
  Json json = {{"name", std::string(parameter.name)},
               {"in", parameter.in_path ? "path" : "query"},
               {"schema", {{"type", std::string(parameter.type)}, {"uniqueItems", true}}}};
  if (parameter.in_path) json["required"] = true;
  return json;
}

Json ParametersJson(absl::Span<const Parameter> parameters) {
  Json list = Json::array();
  for (const Parameter& parameter : parameters) list.push_back(ParameterJson(parameter));
  return list;
}

// One schema in each of the media types.
Json ContentJson(const std::vector<absl::string_view>& types, const std::string& definition) {
  Json content = Json::object();
  for (const absl::string_view type : types)
    content[std::string(type)] = {{"schema", {{"$ref", absl::StrCat(kReferencePrefix, definition)}}}};
  return content;
}

Json AnswersJson(const Operation& operation) {
  Json answers = Json::object();
  for (const Answer& answer : operation.answers) {
    Json json = {{"description", std::string(answer.description)}};
    if (answer.has_body) json["content"] = ContentJson(AnswerTypes(operation), operation.answer_definition);
    answers[absl::StrCat(answer.code)] = std::move(json);
  }
  return answers;
}

Json OperationJson(const Operation& operation) {
  Json json = {{"tags", Json::array({operation.tag})},
               {"operationId", operation.id},
               {"responses", AnswersJson(operation)},
               {"x-kubernetes-action", std::string(operation.action)},
               {"x-kubernetes-group-version-kind",
                {{"group", operation.group}, {"version", operation.version}, {"kind", operation.kind}}}};
  if (!operation.parameters.empty()) json["parameters"] = ParametersJson(operation.parameters);
  if (operation.body != RequestBody::kNone) {
    json["requestBody"] = {{"content", ContentJson(RequestTypes(operation), operation.body_definition)}};
    if (operation.body != RequestBody::kOptions) json["requestBody"]["required"] = true;
  }
  return json;
}

Json PathsJson(absl::Span<const config::Resource* const> resources) {
  Json paths = Json::object();
  for (const PathItem& item : PathsOf(resources)) {
    Json json = {{"parameters", ParametersJson(item.parameters)}};
    for (const Operation& operation : item.operations) json[std::string(operation.method)] = OperationJson(operation);
    paths[item.path] = std::move(json);
  }
  return paths;
}

void AddNamed(const std::string& name, Schemas* schemas) {
  const DefinitionRow* const row = FindDefinition(name);
  if (row != nullptr) AddWithReferences(*row, schemas);
}

void AddReferredTo(const Operation& operation, Schemas* schemas) {
  for (const std::string* const name : {&operation.body_definition, &operation.answer_definition})
    AddNamed(*name, schemas);
}

}  // namespace

void AddSchemasOf(const config::Resource& resource, bool for_swagger, Schemas* schemas) {
  for (const PathItem& item : PathsOf({&resource})) {
    for (const Operation& operation : item.operations) AddReferredTo(operation, schemas);
  }
  const std::string name = DefinitionName(resource, resource.kind);
  if (FindDefinition(name) != nullptr) return;
  schemas->emplace(name, crd::GoJson(CustomDefinition(resource, for_swagger)));
  schemas->emplace(DefinitionName(resource, resource.ListKind()), crd::GoJson(CustomListDefinition(resource)));
  // Both refer to metadata.
  for (const absl::string_view metadata : {kObjectMeta, kListMeta}) AddNamed(std::string(metadata), schemas);
}

std::string GroupDocument(absl::Span<const config::Resource* const> resources) {
  Schemas schemas;
  bool custom = true;
  for (const config::Resource* const resource : resources) {
    AddSchemasOf(*resource, /*for_swagger=*/false, &schemas);
    custom = custom && resource->custom;
  }
  std::string document = absl::StrCat(custom ? kCustomOpening : kOpening, crd::GoJson(PathsJson(resources)),
                                      ",\"components\":{\"schemas\":{");
  absl::string_view separator;
  for (const auto& [name, schema] : schemas)
    absl::StrAppend(&document, std::exchange(separator, ","), GoJsonString(name), ":", schema);
  absl::StrAppend(&document, kEnd);
  return document;
}

}  // namespace tidemark::openapi
