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

constexpr char kGvk[] = "x-kubernetes-group-version-kind";
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

void DescribeEmbedded(Json* schema);

void DescribeEmbeddedIn(const char* name, Json* schema) {
  Json* const member = crd::Member(*schema, name);
  if (member != nullptr && member->is_object()) DescribeEmbedded(member);
}

// Objects inside the object are objects, too.
void DescribeEmbedded(Json* schema) {
  DescribeEmbeddedIn("items", schema);
  DescribeEmbeddedIn("additionalProperties", schema);
  if (Json* const properties = crd::Member(*schema, "properties"); properties != nullptr && properties->is_object()) {
    for (Json& property : *properties) DescribeEmbedded(&property);
  }
  if (!crd::BoolMember(*schema, kEmbedded)) return;
  SetObjectFields(kObjectMeta, ObjectAt(schema, "properties"));
  Json& required = (*schema)["required"];
  if (!required.is_array()) required = Json::array();
  for (const char* const name : {"kind", "apiVersion"}) {
    if (std::find(required.begin(), required.end(), name) == required.end()) required.push_back(name);
  }
}

// What is served as which kind, and by which fields it can be selected.
void SetKind(const config::Resource& resource, const std::string& kind, Json* schema) {
  (*schema)[kGvk] = Json::array({{{"group", resource.group}, {"kind", kind}, {"version", resource.version}}});
  Json fields = Json::array();
  for (const config::SelectableField& field : resource.fields) fields.push_back({{"fieldPath", field.name}});
  if (resource.custom && !fields.empty()) (*schema)["x-kubernetes-selectable-fields"] = std::move(fields);
}

}  // namespace

Json CustomDefinition(const config::Resource& resource) {
  Json schema = Json::object();
  if (resource.schema != nullptr) {
    absl::StatusOr<Json> parsed = crd::ParseJson(*resource.schema);
    if (parsed.ok() && parsed->is_object()) schema = *std::move(parsed);
  }
  schema["type"] = "object";
  DescribeEmbedded(&schema);
  SetObjectFields(kObjectMeta, ObjectAt(&schema, "properties"));
  SetKind(resource, resource.kind, &schema);
  return schema;
}

Json CustomListDefinition(const config::Resource& resource) {
  const std::string object = DefinitionName(resource.group, resource.version, resource.kind);
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
