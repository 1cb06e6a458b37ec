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
#include "openapi/path_json.h"

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

Json ReferenceTo(const std::string& definition) {
  return {{"$ref", absl::StrCat(kSwaggerReferencePrefix, definition)}};
}

Json Texts(const std::vector<absl::string_view>& texts) {
  Json list = Json::array();
  for (const absl::string_view text : texts) list.push_back(std::string(text));
  return list;
}

void AddSwaggerType(const Parameter& parameter, Json* json) {
  (*json)["type"] = std::string(parameter.type);
  (*json)["uniqueItems"] = true;
}

// The body is a parameter, too.
void AddSwaggerRequest(const Operation& operation, Json* json) {
  (*json)["schemes"] = Json::array({"https"});
  (*json)["consumes"] = Texts(RequestTypes(operation));
  (*json)["produces"] = Texts(AnswerTypes(operation));
  if (operation.body == RequestBody::kNone) return;
  Json body = {{"name", "body"}, {"in", "body"}, {"schema", ReferenceTo(operation.body_definition)}};
  if (operation.body != RequestBody::kOptions) body["required"] = true;
  (*json)["parameters"].push_back(std::move(body));
}

void AddSwaggerBody(const Operation& operation, Json* answer) {
  (*answer)["schema"] = ReferenceTo(operation.answer_definition);
}

constexpr Dialect kSwagger = {
    .add_type = &AddSwaggerType, .add_request = &AddSwaggerRequest, .add_body = &AddSwaggerBody};

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
  const std::vector<PathItem> paths = PathsOf(resources);
  Json definitions = Json::object();
  for (const auto& [name, text] : SchemasOf(resources, paths, /*for_swagger=*/true)) {
    const absl::StatusOr<Json> schema = crd::ParseJson(text);
    TM_CHECK(schema.ok()) << name << ": " << schema.status();
    definitions[name] = SwaggerDefinition(*schema);
  }
  return {{"swagger", "2.0"},
          {"info", KubernetesInfo()},
          {"paths", PathsJson(paths, kSwagger)},
          {"definitions", std::move(definitions)},
          {"securityDefinitions", {{"BearerToken", {{"type", "apiKey"}, {"name", "authorization"}, {"in", "header"}}}}},
          {"security", Json::array({{{"BearerToken", Json::array()}}})}};
}

}  // namespace tidemark::openapi
