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
#include "openapi/test_resources.h"

namespace tidemark::openapi {
namespace {

using crd::Json;
using Names = std::set<std::string>;

Json DocumentOf(const std::vector<config::Resource>& resources) {
  std::vector<const config::Resource*> pointers;
  for (const config::Resource& resource : resources) pointers.push_back(&resource);
  return Parsed(GroupDocument(pointers));
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
  EXPECT_EQ(document.dump(1),
            Parsed(R"({"openapi":"3.0.0","info":{"title":"Kubernetes CRD Swagger","version":"v0.1.0"},"paths":{},
                       "components":{"schemas":{},"securitySchemes":{"BearerToken":{
                           "type":"apiKey","name":"authorization","in":"header"}}}})")
                .dump(1));
}

// As Kubernetes has it of definitions that its API server adds.
TEST(GroupDocumentTest, TheTitleTellsCustomResourcesFromOthers) {
  config::Resource own = Things();
  own.custom = false;
  const Json custom = {{"title", "Kubernetes CRD Swagger"}, {"version", "v0.1.0"}};
  const Json kubernetes = {{"title", "Kubernetes"}, {"version", "1.36"}};
  const struct {
    const char* name;
    std::vector<config::Resource> resources;
    Json expected;
  } rows[] = {
      {"one custom", {Widgets()}, custom},
      {"two custom", {Widgets(), Things()}, custom},
      {"none custom", {own}, kubernetes},
      {"the last one is custom", {own, Widgets()}, kubernetes},
      {"the first one is custom", {Widgets(), own}, kubernetes},
  };
  for (const auto& row : rows) EXPECT_EQ(DocumentOf(row.resources)["info"], row.expected) << row.name;
  for (const auto& [version, resources] : Everything()) {
    EXPECT_EQ(DocumentOf(resources)["info"], version == "shop.example.com/v1" ? custom : kubernetes) << version;
  }
}

TEST(GroupDocumentTest, TwoResourcesOfOneVersion) {
  const Json both = DocumentOf({Widgets(), Things()});
  Json united = DocumentOf({Widgets()});
  united.merge_patch(DocumentOf({Things()}));
  EXPECT_EQ(both, united);
  EXPECT_EQ(both, DocumentOf({Things(), Widgets()}));
  const Json& schemas = both["components"]["schemas"];
  EXPECT_EQ(schemas["com.example.shop.v1.Widget"]["properties"]["spec"], Parsed(R"({"type":"string","default":"a"})"));
  EXPECT_FALSE(schemas["com.example.shop.v1.Thing"].contains("properties"));
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

TEST(GroupDocumentTest, DefinitionNames) {
  const struct {
    const char* group;
    const char* version;
    const char* kind;
    bool custom;
    const char* expected;
  } rows[] = {
      {"apps", "v1", "Deployment", false, "io.k8s.api.apps.v1.Deployment"},
      {"apps", "v1", "DeploymentList", false, "io.k8s.api.apps.v1.DeploymentList"},
      {"", "v1", "Pod", false, "io.k8s.api.core.v1.Pod"},
      {"shop.example.com", "v1", "Widget", true, "com.example.shop.v1.Widget"},
      {"shop.example.com", "v1", "Widget", false, "com.example.shop.v1.Widget"},
      {"shop.example.com", "v1", "Wid-get", true, "com.example.shop.v1.Wid-get"},
      {"my-shop.io", "v1alpha1", "Nut", true, "io.my-shop.v1alpha1.Nut"},
      {"apps", "v1", "Widget", false, "apps.v1.Widget"},
      {"apps", "v1", "Deployment", true, "apps.v1.Deployment"},
      // Those of a group whose name makes them Kubernetes' own.
      {"core.api.k8s.io", "v1", "Pod", true, "io.k8s.api.core.v1.Pod_v2"},
      {"core.api.k8s.io", "v1", "PodList", true, "io.k8s.api.core.v1.PodList_v2"},
      {"core.api.k8s.io", "v1", "Container", true, "io.k8s.api.core.v1.Container_v2"},
      {"core.api.k8s.io", "v1", "ContainerList", true, "io.k8s.api.core.v1.ContainerList"},
      {"core.api.k8s.io", "v2", "Pod", true, "io.k8s.api.core.v2.Pod"},
      {"core.api.k8s.io", "v1", "pod", true, "io.k8s.api.core.v1.pod"},
  };
  for (const auto& row : rows) {
    const config::Resource resource = {
        .group = row.group, .version = row.version, .kind = row.kind, .custom = row.custom};
    EXPECT_EQ(DefinitionName(resource, row.kind), row.expected);
  }
}

// Custom resources whose names are those of Kubernetes' own definitions.
std::vector<config::Resource> Namesakes() {
  config::Resource pods = Widgets();
  pods.group = "core.api.k8s.io";
  pods.kind = "Pod";
  pods.plural = "pods";
  pods.subresources.push_back({"status", "Pod", {"get", "patch", "update"}});
  config::Resource containers = pods;
  containers.kind = "Container";
  containers.plural = "containers";
  containers.subresources = {{"status", "Container", {"get"}}};
  return {pods, containers};
}

TEST(GroupDocumentTest, NamesakesOfKubernetesDefinitions) {
  const Json document = DocumentOf(Namesakes());
  const Json& schemas = document["components"]["schemas"];
  Names names;
  AddReferences(document["paths"], &names);
  EXPECT_EQ(SchemasOf(document), Reached(schemas, names));
  const std::string core = "io.k8s.api.core.v1.";
  for (const char* name : {"Pod_v2", "PodList_v2", "Container_v2", "ContainerList"}) {
    EXPECT_TRUE(names.contains(core + name)) << name;
    ASSERT_TRUE(schemas.contains(core + name)) << name;
  }
  for (const char* name : {"Pod", "PodList", "Container"}) EXPECT_FALSE(schemas.contains(core + name)) << name;
  for (const char* kind : {"Pod", "Container"}) {
    const Json& own = schemas[absl::StrCat(core, kind, "_v2")];
    EXPECT_EQ(own["properties"]["spec"], Parsed(R"({"type":"string","default":"a"})")) << kind;
    EXPECT_EQ(own["x-kubernetes-group-version-kind"],
              Json::array({{{"group", "core.api.k8s.io"}, {"version", "v1"}, {"kind", kind}}}));
  }
  EXPECT_EQ(schemas[core + "PodList_v2"]["properties"]["items"]["items"]["$ref"],
            absl::StrCat(kReferencePrefix, core, "Pod_v2"));
  EXPECT_EQ(schemas[core + "ContainerList"]["properties"]["items"]["items"]["$ref"],
            absl::StrCat(kReferencePrefix, core, "Container_v2"));
  // Its status and its list are of its own kind, too.
  const std::string pods = "/apis/core.api.k8s.io/v1/namespaces/{namespace}/pods";
  const auto answer = [&document](const std::string& path) {
    return document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]["$ref"];
  };
  EXPECT_EQ(answer(pods), absl::StrCat(kReferencePrefix, core, "PodList_v2"));
  EXPECT_EQ(answer(pods + "/{name}/status"), absl::StrCat(kReferencePrefix, core, "Pod_v2"));
  EXPECT_EQ(answer(pods + "/{name}/scale"), absl::StrCat(kReferencePrefix, "io.k8s.api.autoscaling.v1.Scale"));
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

// A subresource's kind goes by the subresource, not by what the kind is called.
TEST(GroupDocumentTest, KindsThatAreCalledAsSubresourcesKindsAreThemselves) {
  for (const std::string kind : {"Scale", "Eviction", "TokenRequest"}) {
    config::Resource resource{.group = "shop.example.com",
                              .version = "v1",
                              .kind = kind,
                              .plural = "things",
                              .subresources = {{"status", kind, {"get"}}},
                              .custom = true};
    const absl::StatusOr<crd::Json> document = crd::ParseJson(GroupDocument({&resource}));
    ASSERT_TRUE(document.ok());
    const crd::Json& get =
        document->at("paths").at("/apis/shop.example.com/v1/namespaces/{namespace}/things/{name}/status").at("get");
    EXPECT_EQ(get.at("responses").at("200").at("content").at("application/json").at("schema").at("$ref"),
              "#/components/schemas/com.example.shop.v1." + kind);
  }
}

}  // namespace
}  // namespace tidemark::openapi
