#include "openapi/swagger_document.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "openapi/definitions.h"
#include "openapi/test_resources.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

struct SchemaRow {
  const char* name;
  const char* schema;
  const char* expected;
};

void ExpectSchemas(absl::Span<const SchemaRow> rows) {
  for (const SchemaRow& row : rows) {
    EXPECT_EQ(crd::GoJson(SwaggerSchema(Parsed(row.schema))), crd::GoJson(Parsed(row.expected))) << row.name;
  }
}

TEST(SwaggerSchemaTest, WhatOpenApi2CannotSay) {
  constexpr SchemaRow kRows[] = {
      {"what both can say stays",
       R"({"type":"string","format":"byte","enum":["a"],"pattern":"^a","title":"t","description":"d","example":"a"})",
       R"({"type":"string","format":"byte","enum":["a"],"pattern":"^a","title":"t","description":"d","example":"a"})"},
      {"extensions stay", R"({"x-kubernetes-list-map-keys":["k"],"x-kubernetes-validations":[{"rule":"r"}]})",
       R"({"x-kubernetes-list-map-keys":["k"],"x-kubernetes-validations":[{"rule":"r"}]})"},
      {"defaults", R"({"type":"string","default":"a"})", R"({"type":"string"})"},
      {"alternatives beside a type",
       R"({"type":"object","required":["a"],"oneOf":[{}],"anyOf":[{}],"not":{},"allOf":[{"minimum":1},{"maximum":3}]})",
       R"({"type":"object","required":["a"]})"},
      {"null or a text", R"({"type":"string","nullable":true,"pattern":"^a"})", R"({"pattern":"^a"})"},
      {"null or a list", R"({"type":"array","nullable":true,"items":{"type":"string"},"maxItems":3})",
       R"({"maxItems":3})"},
      {"null or an object", R"({"type":"object","nullable":true,"required":["a"],"properties":{"a":{}}})",
       R"({"required":["a"]})"},
      {"null or a map", R"({"type":"object","nullable":true,"additionalProperties":{"type":"integer"}})",
       R"({"additionalProperties":{"type":"integer"}})"},
      {"not null", R"({"type":"string","nullable":false})", R"({"type":"string"})"},
      {"unknown fields",
       R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"required":["b"],"properties":{"b":{}}})",
       R"({"x-kubernetes-preserve-unknown-fields":true,"required":["b"]})"},
      {"no unknown fields", R"({"type":"object","x-kubernetes-preserve-unknown-fields":false})",
       R"({"type":"object","x-kubernetes-preserve-unknown-fields":false})"},
      {"number or text of a custom resource",
       R"({"x-kubernetes-int-or-string":true,"maxLength":3,"anyOf":[{"type":"integer"},{"type":"string"}]})",
       R"({"x-kubernetes-int-or-string":true,"maxLength":3})"},
      {"number or text as alternatives of a custom resource",
       R"({"x-kubernetes-int-or-string":true,"oneOf":[{"type":"integer"},{"type":"string"}]})",
       R"({"x-kubernetes-int-or-string":true})"},
      {"unknown fields and alternatives", R"({"x-kubernetes-preserve-unknown-fields":true,"oneOf":[{}]})",
       R"({"x-kubernetes-preserve-unknown-fields":true})"},
      {"a quantity", R"({"oneOf":[{"type":"string"},{"type":"number"}]})", R"({"type":"string"})"},
      {"number or text", R"({"format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}]})",
       R"({"format":"int-or-string","type":"string"})"},
  };
  ExpectSchemas(kRows);
}

TEST(SwaggerSchemaTest, WhatMayBeNullIsNotRequired) {
  constexpr SchemaRow kRows[] = {
      {"one of several",
       R"({"required":["a","b","c"],"properties":{"a":{},"b":{"type":"string","nullable":true},"c":{}}})",
       R"({"required":["a","c"],"properties":{"a":{},"b":{},"c":{}}})"},
      {"the only one", R"({"type":"object","required":["a"],"properties":{"a":{"nullable":true}}})",
       R"({"type":"object","properties":{"a":{}}})"},
      {"all of them", R"({"required":["a","b"],"properties":{"a":{"nullable":true},"b":{"nullable":true}}})",
       R"({"properties":{"a":{},"b":{}}})"},
      {"not null", R"({"required":["a"],"properties":{"a":{"nullable":false}}})",
       R"({"required":["a"],"properties":{"a":{}}})"},
      {"what is not known", R"({"required":["a"],"properties":{"b":{"nullable":true}}})",
       R"({"required":["a"],"properties":{"b":{}}})"},
      {"nothing is known", R"({"required":["a"],"additionalProperties":{"type":"string"}})",
       R"({"required":["a"],"additionalProperties":{"type":"string"}})"},
      {"inside a property", R"({"properties":{"a":{"required":["b"],"properties":{"b":{"nullable":true}}}}})",
       R"({"properties":{"a":{"properties":{"b":{}}}}})"},
      {"inside a list", R"({"items":{"required":["b","c"],"properties":{"b":{"nullable":true}}}})",
       R"({"items":{"required":["c"],"properties":{"b":{}}}})"},
      {"inside a map", R"({"additionalProperties":{"required":["b"],"properties":{"b":{"nullable":true}}}})",
       R"({"additionalProperties":{"properties":{"b":{}}}})"},
      {"not that of another", R"({"required":["a"],"properties":{"a":{"properties":{"a":{"nullable":true}}}}})",
       R"({"required":["a"],"properties":{"a":{"properties":{"a":{}}}}})"},
      {"a property of that name", R"({"properties":{"required":{"nullable":true}}})",
       R"({"properties":{"required":{}}})"},
      {"odd forms", R"({"required":[1,null,"a","b"],"properties":{"a":7,"b":{"nullable":"true"}}})",
       R"({"required":[1,null,"a","b"],"properties":{"a":7,"b":{}}})"},
      {"no list", R"({"required":"a","properties":{"a":{"nullable":true}}})",
       R"({"required":"a","properties":{"a":{}}})"},
      {"properties are a list", R"({"required":["a"],"properties":[{"nullable":true}]})",
       R"({"required":["a"],"properties":[{"nullable":true}]})"},
  };
  ExpectSchemas(kRows);
}

TEST(SwaggerSchemaTest, References) {
  constexpr SchemaRow kRows[] = {
      {"alone", R"({"$ref":"#/components/schemas/a.B"})", R"({"$ref":"#/definitions/a.B"})"},
      {"beside a default", R"({"allOf":[{"$ref":"#/components/schemas/a.B"}],"default":{},"description":"d"})",
       R"({"$ref":"#/definitions/a.B","description":"d"})"},
      {"of several", R"({"allOf":[{"$ref":"#/components/schemas/a.B"},{"$ref":"#/components/schemas/a.C"}]})", "{}"},
      {"of none", R"({"allOf":[]})", "{}"},
      {"of no list", R"({"allOf":{"a":{"$ref":"#/components/schemas/a.B"}}})", "{}"},
      {"of one that is none", R"({"allOf":[{"minimum":1}]})", "{}"},
      {"in a property", R"({"properties":{"a":{"$ref":"#/components/schemas/a.B"}}})",
       R"({"properties":{"a":{"$ref":"#/definitions/a.B"}}})"},
      {"in a list", R"({"items":{"allOf":[{"$ref":"#/components/schemas/a.B"}],"default":{}}})",
       R"({"items":{"$ref":"#/definitions/a.B"}})"},
      {"in a map", R"({"additionalProperties":{"$ref":"#/components/schemas/a.B"}})",
       R"({"additionalProperties":{"$ref":"#/definitions/a.B"}})"},
      {"a property of that name", R"({"properties":{"$ref":{"type":"string","default":"a"}}})",
       R"({"properties":{"$ref":{"type":"string"}}})"},
  };
  ExpectSchemas(kRows);
}

TEST(SwaggerSchemaTest, InsideOthers) {
  constexpr SchemaRow kRows[] = {
      {"properties", R"({"properties":{"a":{"properties":{"b":{"type":"string","default":"c"}}}}})",
       R"({"properties":{"a":{"properties":{"b":{"type":"string"}}}}})"},
      {"items", R"({"type":"array","items":{"type":"string","nullable":true}})", R"({"type":"array","items":{}})"},
      {"more properties", R"({"additionalProperties":{"items":{"oneOf":[{}]}}})",
       R"({"additionalProperties":{"items":{"type":"string"}}})"},
      {"values are no schemas", R"({"enum":[{"default":1,"nullable":true}],"example":{"type":"a","default":1}})",
       R"({"enum":[{"default":1,"nullable":true}],"example":{"type":"a","default":1}})"},
  };
  ExpectSchemas(kRows);
}

TEST(SwaggerSchemaTest, PropertiesMayBeCalledAnything) {
  for (const char* name : {"allOf", "anyOf", "oneOf", "not", "default", "nullable", "type", "items", "properties",
                           "additionalProperties", "$ref", "x-kubernetes-preserve-unknown-fields", "required"}) {
    const Json property = {{"type", "string"}};
    const Json schema = {{"type", "object"}, {"properties", {{name, property}}}};
    EXPECT_EQ(SwaggerSchema(schema), schema) << name;
    const Json deeper = {{"properties", {{name, schema}}}};
    EXPECT_EQ(SwaggerSchema(deeper), deeper) << name;
  }
}

TEST(SwaggerSchemaTest, OddForms) {
  constexpr SchemaRow kRows[] = {
      {"no object", "7", "7"},
      {"a list", R"([{"default":1}])", R"([{"default":1}])"},
      {"items are a list", R"({"items":[{}]})", R"({"items":[{}]})"},
      {"properties are a list", R"({"properties":[{}]})", R"({"properties":[{}]})"},
      {"a property is a text", R"({"properties":{"a":"b"}})", R"({"properties":{"a":"b"}})"},
      {"any map", R"({"additionalProperties":true})", R"({"additionalProperties":true})"},
      {"a reference is no text", R"({"$ref":7})", R"({"$ref":7})"},
      {"alternatives have odd forms", R"({"type":"object","allOf":[7],"oneOf":7,"nullable":"yes"})",
       R"({"type":"object"})"},
  };
  ExpectSchemas(kRows);
}

Json DocumentOf(const std::vector<config::Resource>& resources) {
  std::vector<const config::Resource*> pointers;
  for (const config::Resource& resource : resources) pointers.push_back(&resource);
  return SwaggerDocument(pointers);
}

const config::Resource& Pods() {
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.GroupResource() == "pods") return resource;
  }
  return config::BuiltinResources().front();
}

// Of a path's object, as far as a test asks for it.
Json Operation(const Json& document, const std::string& path, const std::string& method) {
  const Json empty = Json::object();
  Json operation = document["paths"].value(path, empty).value(method, empty);
  EXPECT_NE(operation, empty) << method << path;
  return operation;
}

TEST(SwaggerDocumentTest, AWholeOperation) {
  const Json document = DocumentOf({Widgets()});
  EXPECT_EQ(
      Operation(document, "/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}", "patch").dump(1),
      Parsed(
          R"({"tags":["shopExampleCom_v1"],"operationId":"patchShopExampleComV1NamespacedWidget","schemes":["https"],
              "consumes":["application/json-patch+json","application/merge-patch+json","application/apply-patch+yaml"],
              "produces":["application/json","application/yaml"],
              "parameters":[{"name":"dryRun","in":"query","type":"string","uniqueItems":true},
                            {"name":"fieldManager","in":"query","type":"string","uniqueItems":true},
                            {"name":"fieldValidation","in":"query","type":"string","uniqueItems":true},
                            {"name":"force","in":"query","type":"boolean","uniqueItems":true},
                            {"name":"body","in":"body","required":true,
                             "schema":{"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch"}}],
              "responses":{"200":{"description":"OK","schema":{"$ref":"#/definitions/com.example.shop.v1.Widget"}},
                           "401":{"description":"Unauthorized"}},
              "x-kubernetes-action":"patch",
              "x-kubernetes-group-version-kind":{"group":"shop.example.com","kind":"Widget","version":"v1"}})")
          .dump(1));
}

TEST(SwaggerDocumentTest, ParametersOfAPath) {
  const Json document = DocumentOf({Widgets()});
  EXPECT_EQ(document["paths"]["/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}"]["parameters"],
            Parsed(R"([{"name":"name","in":"path","type":"string","uniqueItems":true,"required":true},
                       {"name":"namespace","in":"path","type":"string","uniqueItems":true,"required":true},
                       {"name":"pretty","in":"query","type":"string","uniqueItems":true}])"));
}

TEST(SwaggerDocumentTest, BodiesAndMediaTypes) {
  const Json document = DocumentOf({Pods(), Widgets()});
  const struct {
    const char* path;
    const char* method;
    const char* consumes;
    const char* produces;
    const char* body;
  } rows[] = {
      {"/api/v1/pods", "get", R"(["*/*"])",
       R"(["application/json","application/yaml","application/vnd.kubernetes.protobuf","application/json;stream=watch",)"
       R"("application/vnd.kubernetes.protobuf;stream=watch"])",
       "null"},
      {"/api/v1/namespaces/{namespace}/pods", "post", R"(["*/*"])",
       R"(["application/json","application/yaml","application/vnd.kubernetes.protobuf"])",
       R"({"in":"body","name":"body","required":true,"schema":{"$ref":"#/definitions/io.k8s.api.core.v1.Pod"}})"},
      {"/api/v1/namespaces/{namespace}/pods/{name}", "delete", R"(["*/*"])",
       R"(["application/json","application/yaml","application/vnd.kubernetes.protobuf"])",
       R"({"in":"body","name":"body",)"
       R"("schema":{"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"}})"},
      {"/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}", "get",
       R"(["application/json","application/yaml"])", R"(["application/json","application/yaml"])", "null"},
  };
  for (const auto& row : rows) {
    const Json operation = Operation(document, row.path, row.method);
    EXPECT_EQ(crd::GoJson(operation["consumes"]), row.consumes) << row.method << row.path;
    EXPECT_EQ(crd::GoJson(operation["produces"]), row.produces) << row.method << row.path;
    Json body;
    for (const Json& parameter : operation.value("parameters", Json::array())) {
      if (parameter["in"] == "body") body = parameter;
    }
    EXPECT_EQ(crd::GoJson(body), row.body) << row.method << row.path;
  }
}

TEST(SwaggerDocumentTest, WhatIsAroundPathsAndDefinitions) {
  Json document = DocumentOf({});
  EXPECT_EQ(document.dump(1),
            Parsed(R"({"swagger":"2.0","info":{"title":"Kubernetes","version":"1.36"},"paths":{},"definitions":{},
                       "securityDefinitions":{"BearerToken":{"type":"apiKey","name":"authorization","in":"header"}},
                       "security":[{"BearerToken":[]}]})")
                .dump(1));
}

// Adds the definitions that are referred to, and expects that nothing of OpenAPI 3 is left.
void AddReferences(const Json& value, std::set<std::string>* names) {
  for (auto it = value.begin(); value.is_structured() && it != value.end(); ++it) {
    if (value.is_object() && it.key() == "$ref" && it->is_string()) {
      absl::string_view name = it->get_ref<const std::string&>();
      EXPECT_TRUE(absl::ConsumePrefix(&name, "#/definitions/")) << name;
      names->emplace(name);
    }
    AddReferences(*it, names);
  }
}

TEST(SwaggerDocumentTest, WhatIsReferredToIsThere) {
  std::vector<config::Resource> resources = config::BuiltinResources();
  resources.push_back(Widgets());
  const Json document = DocumentOf(resources);
  std::set<std::string> names;
  AddReferences(document, &names);
  EXPECT_GT(names.size(), 400u);
  for (const std::string& name : names) EXPECT_TRUE(document["definitions"].contains(name)) << name;
  EXPECT_EQ(document["definitions"]["io.k8s.apimachinery.pkg.api.resource.Quantity"], Json({{"type", "string"}}));
  EXPECT_EQ(document["definitions"]["com.example.shop.v1.Widget"]["properties"]["spec"], Json({{"type", "string"}}));
  EXPECT_EQ(document["definitions"]["com.example.shop.v1.Widget"]["properties"]["metadata"],
            Json({{"$ref", absl::StrCat("#/definitions/", kObjectMeta)}}));
}

config::Resource WidgetsWith(absl::string_view property) {
  config::Resource widgets = Widgets();
  widgets.schema = std::make_shared<const std::string>(absl::StrCat(R"({"properties":{"e":)", property, "}}"));
  return widgets;
}

TEST(SwaggerDocumentTest, PropertiesOfACustomResource) {
  const std::string meta =
      absl::StrCat(R"("apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"$ref":)",
                   R"("#/definitions/)", kObjectMeta, R"("})");
  const struct {
    const char* name;
    const char* property;
    std::string expected;
  } rows[] = {
      {"an embedded resource", R"({"type":"object","x-kubernetes-embedded-resource":true})",
       absl::StrCat(R"({"type":"object","x-kubernetes-embedded-resource":true,"required":["kind","apiVersion"],)",
                    R"("properties":{)", meta, "}}")},
      {"one that keeps unknown fields",
       R"({"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true})",
       R"({"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true})"},
      {"one that keeps unknown fields and requires some",
       R"({"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,
           "required":["spec"],"properties":{"spec":{"type":"object"}}})",
       R"({"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"required":["spec"]})"},
      {"number or text", R"({"x-kubernetes-int-or-string":true})", R"({"x-kubernetes-int-or-string":true})"},
      {"what may be null", R"({"required":["a"],"properties":{"a":{"type":"string","nullable":true}}})",
       R"({"properties":{"a":{}}})"},
  };
  for (const auto& row : rows) {
    const Json document = DocumentOf({WidgetsWith(row.property)});
    EXPECT_EQ(crd::GoJson(document["definitions"]["com.example.shop.v1.Widget"]["properties"]["e"]),
              crd::GoJson(Parsed(row.expected)))
        << row.name;
  }
}

constexpr char kOnlyKind[] = R"({"type":"object","x-kubernetes-group-version-kind":[
                                 {"group":"shop.example.com","kind":"Widget","version":"v1"}]})";

TEST(SwaggerDocumentTest, AKindWithoutASchemaSaysNothing) {
  config::Resource widgets = Widgets();
  for (const char* schema : {"", "null", "[]", "{"}) {
    widgets.schema = std::make_shared<const std::string>(schema);
    EXPECT_EQ(DocumentOf({widgets})["definitions"]["com.example.shop.v1.Widget"], Parsed(kOnlyKind)) << schema;
  }
  widgets.schema = nullptr;
  const Json document = DocumentOf({widgets});
  EXPECT_EQ(document["definitions"]["com.example.shop.v1.Widget"], Parsed(kOnlyKind));
  EXPECT_TRUE(document["definitions"].contains(kObjectMeta));
}

// Beside Kubernetes' own, whose names they would have.
TEST(SwaggerDocumentTest, NamesakesOfKubernetesDefinitions) {
  config::Resource pods = Widgets();
  pods.group = "core.api.k8s.io";
  pods.kind = "Pod";
  pods.plural = "pods";
  pods.subresources.clear();
  config::Resource containers = pods;
  containers.kind = "Container";
  containers.plural = "containers";
  const Json before = DocumentOf({Pods()})["definitions"];
  for (const auto& resources : {std::vector<config::Resource>{Pods(), pods, containers}, {containers, pods, Pods()}}) {
    const Json document = DocumentOf(resources);
    std::set<std::string> names;
    AddReferences(document, &names);
    for (const std::string& name : names) EXPECT_TRUE(document["definitions"].contains(name)) << name;
    Json definitions = document["definitions"];
    for (const char* name : {"Pod_v2", "Container_v2"}) {
      const std::string whole = absl::StrCat("io.k8s.api.core.v1.", name);
      EXPECT_EQ(definitions[whole]["properties"]["spec"], Json({{"type", "string"}})) << name;
      EXPECT_EQ(definitions[whole]["x-kubernetes-group-version-kind"][0]["group"], "core.api.k8s.io") << name;
    }
    for (const char* name : {"Pod_v2", "PodList_v2", "Container_v2", "ContainerList"}) {
      EXPECT_EQ(definitions.erase(absl::StrCat("io.k8s.api.core.v1.", name)), 1u) << name;
    }
    EXPECT_TRUE(definitions == before);
  }
}

TEST(SwaggerDocumentTest, AKindThatKeepsWhatItDoesNotKnowSaysNothing) {
  config::Resource widgets = Widgets();
  widgets.schema = std::make_shared<const std::string>(
      R"({"description":"d","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{}}})");
  EXPECT_EQ(DocumentOf({widgets})["definitions"]["com.example.shop.v1.Widget"], Parsed(kOnlyKind));
  EXPECT_EQ(OnlyKind(Parsed(R"({"type":"string","description":"d"})")), Json({{"type", "object"}}));
}

}  // namespace
}  // namespace tidemark::openapi
