#include "openapi/swagger_document.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "openapi/definitions.h"
#include "openapi/group_document.h"
#include "openapi/operations.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

constexpr absl::string_view kSwaggerReferencePrefix = "#/definitions/";
// What OpenAPI 2 does not have, or clients of it do not understand.
constexpr absl::string_view kLeftOut[] = {"allOf", "anyOf", "oneOf", "not", "default", "nullable"};
// What would be checked of values that may be something else.
constexpr absl::string_view kOfOneType[] = {"type", "items", "properties"};

template <size_t count>
bool IsOneOf(absl::string_view name, const absl::string_view (&names)[count]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string SwaggerReference(absl::string_view reference) {
  absl::ConsumePrefix(&reference, kReferencePrefix);
  return absl::StrCat(kSwaggerReferencePrefix, reference);
}

Json SwaggerMember(const std::string& name, const Json& member) {
  if (name == "$ref" && member.is_string()) return SwaggerReference(member.get_ref<const std::string&>());
  if ((name == "items" || name == "additionalProperties") && member.is_object()) return SwaggerSchema(member);
  if (name != "properties" || !member.is_object()) return member;
  Json properties = Json::object();
  for (const auto& [property, schema] : member.items()) properties[property] = SwaggerSchema(schema);
  return properties;
}

// The reference of {"allOf": [{"$ref": ...}]}, which is how a reference stands beside a default; empty for anything else.
std::string OnlyReference(const Json& schema) {
  const Json* const all = crd::Member(schema, "allOf");
  return all != nullptr && all->is_array() && all->size() == 1 ? crd::TextMember(all->front(), "$ref") : "";
}

// Kubernetes' own quantities, and what is a number or a text: both are texts to OpenAPI 2.
bool IsTextOrNumber(const Json& schema) {
  return crd::Member(schema, "oneOf") != nullptr && crd::Member(schema, "type") == nullptr &&
         !crd::BoolMember(schema, kIntOrString) && !crd::BoolMember(schema, kKeepsUnknown);
}

// What may be null counts as missing where null is no value.
void DropNullableFromRequired(const Json& schema, Json* out) {
  const Json* const properties = crd::Member(schema, "properties");
  Json* const required = crd::Member(*out, "required");
  if (properties == nullptr || required == nullptr || !required->is_array()) return;
  Json left = Json::array();
  for (const Json& name : *required) {
    const Json* const property = name.is_string() ? crd::Member(*properties, name.get<std::string>()) : nullptr;
    if (property == nullptr || !crd::BoolMember(*property, "nullable")) left.push_back(name);
  }
  if (left.empty()) {
    out->erase("required");
  } else {
    *required = std::move(left);
  }
}

Json SwaggerParameter(const Parameter& parameter) {
  Json json = {{"name", std::string(parameter.name)},
               {"in", parameter.in_path ? "path" : "query"},
               {"type", std::string(parameter.type)},
               {"uniqueItems", true}};
  if (parameter.in_path) json["required"] = true;
  return json;
}

Json SwaggerParameters(absl::Span<const Parameter> parameters) {
  Json list = Json::array();
  for (const Parameter& parameter : parameters) list.push_back(SwaggerParameter(parameter));
  return list;
}

Json SwaggerBody(const Operation& operation) {
  Json body = {{"name", "body"},
               {"in", "body"},
               {"schema", {{"$ref", absl::StrCat(kSwaggerReferencePrefix, operation.body_definition)}}}};
  if (operation.body != RequestBody::kOptions) body["required"] = true;
  return body;
}

Json Texts(const std::vector<absl::string_view>& texts) {
  Json list = Json::array();
  for (const absl::string_view text : texts) list.push_back(std::string(text));
  return list;
}

Json SwaggerAnswers(const Operation& operation) {
  Json answers = Json::object();
  for (const Answer& answer : operation.answers) {
    Json json = {{"description", std::string(answer.description)}};
    if (answer.has_body)
      json["schema"] = {{"$ref", absl::StrCat(kSwaggerReferencePrefix, operation.answer_definition)}};
    answers[absl::StrCat(answer.code)] = std::move(json);
  }
  return answers;
}

Json SwaggerOperation(const Operation& operation) {
  Json json = {{"tags", Json::array({operation.tag})},
               {"operationId", operation.id},
               {"schemes", Json::array({"https"})},
               {"consumes", Texts(RequestTypes(operation))},
               {"produces", Texts(AnswerTypes(operation))},
               {"responses", SwaggerAnswers(operation)},
               {"x-kubernetes-action", std::string(operation.action)},
               {"x-kubernetes-group-version-kind",
                {{"group", operation.group}, {"version", operation.version}, {"kind", operation.kind}}}};
  Json parameters = SwaggerParameters(operation.parameters);
  if (operation.body != RequestBody::kNone) parameters.push_back(SwaggerBody(operation));
  if (!parameters.empty()) json["parameters"] = std::move(parameters);
  return json;
}

Json SwaggerPaths(absl::Span<const config::Resource* const> resources) {
  Json paths = Json::object();
  for (const PathItem& item : PathsOf(resources)) {
    Json json = {{"parameters", SwaggerParameters(item.parameters)}};
    for (const Operation& operation : item.operations)
      json[std::string(operation.method)] = SwaggerOperation(operation);
    paths[item.path] = std::move(json);
  }
  return paths;
}

// Of a whole definition: one that keeps what it does not know says nothing.
Json SwaggerDefinition(const Json& schema) {
  return crd::BoolMember(schema, kKeepsUnknown) ? OnlyKind(schema) : SwaggerSchema(schema);
}

}  // namespace

Json SwaggerSchema(const Json& schema) {
  if (!schema.is_object()) return schema;
  const bool any_type = crd::BoolMember(schema, "nullable") || crd::BoolMember(schema, kKeepsUnknown);
  Json out = Json::object();
  for (const auto& [name, member] : schema.items()) {
    if (IsOneOf(name, kLeftOut) || (any_type && IsOneOf(name, kOfOneType))) continue;
    out[name] = SwaggerMember(name, member);
  }
  if (!any_type) DropNullableFromRequired(schema, &out);
  if (const std::string reference = OnlyReference(schema); !reference.empty())
    out["$ref"] = SwaggerReference(reference);
  if (IsTextOrNumber(schema)) out["type"] = "string";
  return out;
}

Json OnlyKind(const Json& definition) {
  Json only = {{"type", "object"}};
  if (const Json* const kinds = crd::Member(definition, kKindsOf)) only[kKindsOf] = *kinds;
  return only;
}

Json SwaggerDocument(absl::Span<const config::Resource* const> resources) {
  Schemas schemas;
  for (const config::Resource* const resource : resources) AddSchemasOf(*resource, /*for_swagger=*/true, &schemas);
  Json definitions = Json::object();
  for (const auto& [name, text] : schemas) {
    const absl::StatusOr<Json> schema = crd::ParseJson(text);
    TM_CHECK(schema.ok()) << name << ": " << schema.status();
    definitions[name] = SwaggerDefinition(*schema);
  }
  return {{"swagger", "2.0"},
          {"info", {{"title", "Kubernetes"}, {"version", "1.36"}}},
          {"paths", SwaggerPaths(resources)},
          {"definitions", std::move(definitions)},
          {"securityDefinitions", {{"BearerToken", {{"type", "apiKey"}, {"name", "authorization"}, {"in", "header"}}}}},
          {"security", Json::array({{{"BearerToken", Json::array()}}})}};
}

}  // namespace tidemark::openapi
