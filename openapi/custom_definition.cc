#include "openapi/custom_definition.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "openapi/definitions.h"
#include "openapi/operations.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

constexpr char kEmbedded[] = "x-kubernetes-embedded-resource";

Json Reference(absl::string_view name) { return {{"$ref", absl::StrCat(kReferencePrefix, name)}}; }

// kind, apiVersion and metadata are not the schema's to describe.
void SetObjectFields(absl::string_view metadata, Json* properties) {
  (*properties)["apiVersion"] = {{"type", "string"}};
  (*properties)["kind"] = {{"type", "string"}};
  (*properties)["metadata"] = {{"allOf", Json::array({Reference(metadata)})}};
}

Json* ObjectAt(Json* schema, const char* name) {
  Json& member = (*schema)[name];
  if (!member.is_object()) member = Json::object();
  return &member;
}

void Describe(bool for_swagger, Json* schema);

void DescribeIn(const char* name, bool for_swagger, Json* schema) {
  Json* const member = crd::Member(*schema, name);
  if (member != nullptr && member->is_object()) Describe(for_swagger, member);
}

// Objects inside the object are objects, too. OpenAPI 2 says nothing of those that may have more than is known.
void DescribeEmbedded(bool for_swagger, Json* schema) {
  if (!crd::BoolMember(*schema, kEmbedded) || (for_swagger && crd::BoolMember(*schema, kKeepsUnknown))) return;
  SetObjectFields(kObjectMeta, ObjectAt(schema, "properties"));
  Json& required = (*schema)["required"];
  if (!required.is_array()) required = Json::array();
  for (const char* const name : {"kind", "apiVersion"}) {
    if (std::find(required.begin(), required.end(), name) == required.end()) required.push_back(name);
  }
}

// What the definition leaves unsaid.
void Describe(bool for_swagger, Json* schema) {
  DescribeIn("items", for_swagger, schema);
  DescribeIn("additionalProperties", for_swagger, schema);
  if (Json* const properties = crd::Member(*schema, "properties"); properties != nullptr && properties->is_object()) {
    for (Json& property : *properties) Describe(for_swagger, &property);
  }
  DescribeEmbedded(for_swagger, schema);
  if (!crd::BoolMember(*schema, kIntOrString) || schema->contains("anyOf") || schema->contains("allOf")) return;
  (*schema)["anyOf"] = Json::array({{{"type", "integer"}}, {{"type", "string"}}});
}

// What is served as which kind, and by which fields it can be selected.
void SetKind(const config::Resource& resource, const std::string& kind, Json* schema) {
  (*schema)[kKindsOf] = Json::array({{{"group", resource.group}, {"kind", kind}, {"version", resource.version}}});
  Json fields = Json::array();
  for (const config::SelectableField& field : resource.fields) fields.push_back({{"fieldPath", field.name}});
  if (resource.custom && !fields.empty()) (*schema)["x-kubernetes-selectable-fields"] = std::move(fields);
}

}  // namespace

Json CustomDefinition(const config::Resource& resource, bool for_swagger) {
  Json schema = {{"type", "object"}};
  const absl::StatusOr<Json> own = resource.schema == nullptr ? Json() : crd::ParseJson(*resource.schema);
  if (own.ok() && own->is_object()) {
    schema = *own;
    schema["type"] = "object";
    Describe(for_swagger, &schema);
    SetObjectFields(kObjectMeta, ObjectAt(&schema, "properties"));
  }
  SetKind(resource, resource.kind, &schema);
  return schema;
}

Json CustomListDefinition(const config::Resource& resource) {
  const std::string object = DefinitionName(resource, resource.kind);
  Json list = {{"description", absl::StrCat(resource.ListKind(), " is a list of ", resource.kind)},
               {"type", "object"},
               {"required", Json::array({"items"})}};
  Json* const properties = ObjectAt(&list, "properties");
  SetObjectFields(kListMeta, properties);
  (*properties)["items"] = {{"type", "array"}, {"items", Reference(object)}};
  SetKind(resource, resource.ListKind(), &list);
  return list;
}

}  // namespace tidemark::openapi
