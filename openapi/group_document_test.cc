#include "openapi/group_document.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "crd/json_tree.h"
#include "openapi/operations.h"

namespace tidemark::openapi {
namespace {

using crd::Json;
using Names = std::set<std::string>;

Json Parsed(absl::string_view text) {
  const absl::StatusOr<Json> json = crd::ParseJson(text);
  EXPECT_TRUE(json.ok()) << json.status();
  return json.ok() ? *json : Json();
}

Json DocumentOf(const std::vector<config::Resource>& resources) {
  std::vector<const config::Resource*> pointers;
  for (const config::Resource& resource : resources) pointers.push_back(&resource);
  return Parsed(GroupDocument(pointers));
}

config::Resource Widgets() {
  return {.group = "shop.example.com",
          .version = "v1",
          .kind = "Widget",
          .plural = "widgets",
          .subresources = {{"scale", "Scale", {"get", "patch", "update"}}},
          .schema = std::make_shared<const std::string>(
              R"({"type":"object","properties":{"spec":{"type":"string","default":"a"}}})"),
          .custom = true};
}

config::Resource Things() {
  return {.group = "shop.example.com",
          .version = "v1",
          .kind = "Thing",
          .list_kind = "ThingBag",
          .plural = "things",
          .namespaced = false,
          .custom = true};
}

// By group version: all that is served of Kubernetes' own, and two custom resources.
std::map<std::string, std::vector<config::Resource>> Everything() {
  std::map<std::string, std::vector<config::Resource>> by_version;
  const std::vector<config::Resource> others = config::OtherVersions(config::BuiltinResources());
  for (const auto* const table : {&config::BuiltinResources(), &config::UnstoredResources(), &others}) {
    for (const config::Resource& resource : *table) by_version[resource.ApiVersion()].push_back(resource);
  }
  by_version["shop.example.com/v1"] = {Widgets(), Things()};
  return by_version;
}

void AddReferences(const Json& value, Names* names) {
  for (auto it = value.begin(); value.is_structured() && it != value.end(); ++it) {
    if (value.is_object() && it.key() == "$ref" && it->is_string()) {
      absl::string_view name = it->get_ref<const std::string&>();
      EXPECT_TRUE(absl::ConsumePrefix(&name, kReferencePrefix)) << name;
      names->emplace(name);
    }
    AddReferences(*it, names);
  }
}

// The schemas that `names` are, and all that they refer to.
Names Reached(const Json& schemas, Names names) {
  Names reached;
  while (!names.empty()) {
    const std::string name = names.extract(names.begin()).value();
    EXPECT_TRUE(schemas.contains(name)) << name;
    if (reached.insert(name).second && schemas.contains(name)) {
      Names more;
      AddReferences(schemas[name], &more);
      for (const std::string& other : more) {
        if (!reached.contains(other)) names.insert(other);
      }
    }
  }
  return reached;
}

Names SchemasOf(const Json& document) {
  Names names;
  for (const auto& [name, schema] : document["components"]["schemas"].items()) names.insert(name);
  return names;
}

TEST(GroupDocumentTest, SchemasAreThoseThatPathsReach) {
  for (const auto& [version, resources] : Everything()) {
    const Json document = DocumentOf(resources);
    Names names;
    AddReferences(document["paths"], &names);
    EXPECT_FALSE(names.empty()) << version;
    EXPECT_EQ(SchemasOf(document), Reached(document["components"]["schemas"], names)) << version;
  }
}

TEST(GroupDocumentTest, ACustomKindAndItsListAreDescribedWhateverIsAskedOfIt) {
  for (const std::vector<std::string>& verbs : {std::vector<std::string>{}, {"get"}, {"get", "list", "watch"}}) {
    config::Resource widgets = Widgets();
    widgets.verbs = verbs;
    widgets.subresources = {};
    const Json document = DocumentOf({widgets});
    Names names = {"com.example.shop.v1.Widget", "com.example.shop.v1.WidgetList"};
    AddReferences(document["paths"], &names);
    EXPECT_EQ(SchemasOf(document), Reached(document["components"]["schemas"], names));
  }
}

TEST(GroupDocumentTest, PathsAreThoseOfTheOperations) {
  for (const auto& [version, resources] : Everything()) {
    std::vector<const config::Resource*> pointers;
    for (const config::Resource& resource : resources) pointers.push_back(&resource);
    const Json paths = Parsed(GroupDocument(pointers))["paths"];
    const std::vector<PathItem> items = PathsOf(pointers);
    EXPECT_EQ(paths.size(), items.size()) << version;
    for (const PathItem& item : items) {
      ASSERT_TRUE(paths.contains(item.path)) << item.path;
      EXPECT_EQ(paths[item.path].size(), item.operations.size() + 1) << item.path;
      EXPECT_EQ(paths[item.path]["parameters"].size(), item.parameters.size()) << item.path;
      for (const Operation& operation : item.operations) {
        EXPECT_EQ(paths[item.path][std::string(operation.method)]["operationId"], operation.id);
      }
    }
  }
}

TEST(GroupDocumentTest, AWholePath) {
  const Json document = DocumentOf({Things()});
  const Json& item = document["paths"]["/apis/shop.example.com/v1/things/{name}"];
  EXPECT_EQ(item["parameters"], Parsed(R"([
      {"name":"name","in":"path","required":true,"schema":{"type":"string","uniqueItems":true}},
      {"name":"pretty","in":"query","schema":{"type":"string","uniqueItems":true}}])"));
  const Json thing = Parsed(R"({"schema":{"$ref":"#/components/schemas/com.example.shop.v1.Thing"}})");
  const Json content = {{"application/json", thing}, {"application/yaml", thing}};
  EXPECT_EQ(
      item["put"].dump(1),
      Json({{"tags", {"shopExampleCom_v1"}},
            {"operationId", "replaceShopExampleComV1Thing"},
            {"parameters", Parsed(R"([{"name":"dryRun","in":"query","schema":{"type":"string","uniqueItems":true}},
                       {"name":"fieldManager","in":"query","schema":{"type":"string","uniqueItems":true}},
                       {"name":"fieldValidation","in":"query","schema":{"type":"string","uniqueItems":true}}])")},
            {"requestBody", {{"content", content}, {"required", true}}},
            {"responses",
             {{"200", {{"description", "OK"}, {"content", content}}},
              {"201", {{"description", "Created"}, {"content", content}}},
              {"401", {{"description", "Unauthorized"}}}}},
            {"x-kubernetes-action", "put"},
            {"x-kubernetes-group-version-kind", {{"group", "shop.example.com"}, {"version", "v1"}, {"kind", "Thing"}}}})
          .dump(1));
  EXPECT_FALSE(item["delete"]["requestBody"].contains("required"));
  EXPECT_FALSE(item["get"].contains("requestBody"));
}

TEST(GroupDocumentTest, WhatIsAroundPathsAndSchemas) {
  Json document = DocumentOf({Things()});
  document["paths"] = Json::object();
  document["components"]["schemas"] = Json::object();
  EXPECT_EQ(document.dump(1), Parsed(R"({"openapi":"3.0.0","info":{"title":"Kubernetes","version":"1.36"},"paths":{},
                       "components":{"schemas":{},"securitySchemes":{"BearerToken":{
                           "type":"apiKey","name":"authorization","in":"header"}}}})")
                                  .dump(1));
}

TEST(GroupDocumentTest, TwoResourcesOfOneVersion) {
  const Json both = DocumentOf({Widgets(), Things()});
  Json united = DocumentOf({Widgets()});
  united.merge_patch(DocumentOf({Things()}));
  EXPECT_EQ(both, united);
  EXPECT_EQ(both, DocumentOf({Things(), Widgets()}));
  const Json& schemas = both["components"]["schemas"];
  EXPECT_EQ(schemas["com.example.shop.v1.Widget"]["properties"]["spec"], Parsed(R"({"type":"string","default":"a"})"));
  EXPECT_FALSE(schemas["com.example.shop.v1.Thing"]["properties"].contains("spec"));
  EXPECT_TRUE(schemas.contains("com.example.shop.v1.ThingBag"));
  EXPECT_TRUE(schemas.contains("io.k8s.api.autoscaling.v1.Scale"));
  EXPECT_FALSE(DocumentOf({Things()})["components"]["schemas"].contains("io.k8s.api.autoscaling.v1.Scale"));
}

TEST(GroupDocumentTest, NamesAreEscaped) {
  config::Resource odd = Widgets();
  odd.kind = "Wid\"get\\<\n>&";
  odd.plural = "wid\"gets\t\\";
  const Json document = DocumentOf({odd});
  const std::string name = absl::StrCat("com.example.shop.v1.", odd.kind);
  ASSERT_TRUE(document["components"]["schemas"].contains(name)) << document["components"]["schemas"].dump(1);
  EXPECT_EQ(document["components"]["schemas"][name]["x-kubernetes-group-version-kind"][0]["kind"], odd.kind);
  const std::string path = absl::StrCat("/apis/shop.example.com/v1/namespaces/{namespace}/", odd.plural);
  ASSERT_TRUE(document["paths"].contains(path)) << document["paths"].dump(1);
  EXPECT_EQ(document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]["$ref"],
            absl::StrCat(kReferencePrefix, name, "List"));
}

TEST(GroupDocumentTest, DefinitionsOfKubernetesAreTakenOver) {
  for (const auto& [version, resources] : Everything()) {
    const Json document = DocumentOf(resources);
    for (const auto& [name, schema] : document["components"]["schemas"].items()) {
      const DefinitionRow* const row = FindDefinition(name);
      EXPECT_TRUE(row == nullptr || schema == Parsed(row->json)) << version << name;
    }
  }
}

}  // namespace
}  // namespace tidemark::openapi
