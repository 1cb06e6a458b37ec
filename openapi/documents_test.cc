#include "openapi/documents.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/content_hash.h"
#include "crd/definition.h"
#include "crd/definition_resources.h"
#include "crd/json_tree.h"
#include "openapi/group_document.h"
#include "openapi/swagger.pb.h"
#include "openapi/swagger_document.h"
#include "openapi/swagger_protobuf.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

Json Parsed(absl::string_view text) {
  const absl::StatusOr<Json> json = crd::ParseJson(text);
  EXPECT_TRUE(json.ok()) << json.status();
  return json.ok() ? *json : Json();
}

constexpr char kSchema[] = R"({"type":"object","properties":{"spec":{"type":"string"}}})";

config::Resource Custom(const std::string& kind, const std::string& version = "v1", std::string schema = kSchema) {
  return {.group = "shop.example.com",
          .version = version,
          .kind = kind,
          .plural = kind + "s",
          .schema = std::make_shared<const std::string>(std::move(schema)),
          .custom = true};
}

Resources Shared(const std::vector<config::Resource>& resources) {
  Resources shared;
  for (const config::Resource& resource : resources)
    shared.push_back(std::make_shared<const config::Resource>(resource));
  return shared;
}

// Kubernetes' own, and `more`.
Resources BuiltinsAnd(std::vector<config::Resource> more = {}) {
  more.insert(more.end(), config::BuiltinResources().begin(), config::BuiltinResources().end());
  return Shared(more);
}

TEST(GroupDocumentsTest, TheIndexHasEachGroupVersionWithTheHashOfItsDocument) {
  const Resources resources = BuiltinsAnd({Custom("Widget"), Custom("Widget", "v1beta1")});
  std::set<std::string> expected;
  for (const auto& resource : resources) {
    expected.insert(absl::StrCat(resource->group.empty() ? "api/" : "apis/", resource->ApiVersion()));
  }
  const GroupDocuments documents(resources);
  const Json index = Parsed(documents.index());
  ASSERT_EQ(index.size(), 1u);
  std::set<std::string> paths;
  for (const auto& [path, entry] : index["paths"].items()) {
    paths.insert(path);
    const HashedDocument* const document = documents.Find(path);
    ASSERT_NE(document, nullptr) << path;
    EXPECT_EQ(document->hash, ContentHash(document->json)) << path;
    EXPECT_EQ(entry, Json({{"serverRelativeURL", absl::StrCat("/openapi/v3/", path, "?hash=", document->hash)}}));
  }
  EXPECT_EQ(paths, expected);
  EXPECT_TRUE(paths.contains("api/v1") && paths.contains("apis/apps/v1") &&
              paths.contains("apis/shop.example.com/v1beta1"));
}

TEST(GroupDocumentsTest, EachDocumentIsOfItsGroupVersion) {
  const config::Resource widgets = Custom("Widget");
  const config::Resource gears = Custom("Gear");
  const config::Resource beta = Custom("Widget", "v1beta1");
  const GroupDocuments documents(Shared({widgets, beta, gears}));
  const HashedDocument* const v1 = documents.Find("apis/shop.example.com/v1");
  const HashedDocument* const v1beta1 = documents.Find("apis/shop.example.com/v1beta1");
  ASSERT_TRUE(v1 != nullptr && v1beta1 != nullptr);
  EXPECT_EQ(v1->json, GroupDocument({&widgets, &gears}));
  EXPECT_EQ(v1beta1->json, GroupDocument({&beta}));
  for (const char* path : {"", "api/v1", "apis", "apis/shop.example.com", "apis/shop.example.com/v2",
                           "/apis/shop.example.com/v1", "apis/shop.example.com/v1/"}) {
    EXPECT_EQ(documents.Find(path), nullptr) << path;
  }
}

TEST(GroupDocumentsTest, OfNothing) {
  const GroupDocuments documents{Resources()};
  EXPECT_EQ(documents.index(), R"({"paths":{}})");
  EXPECT_EQ(documents.Find("api/v1"), nullptr);
}

TEST(GroupDocumentsTest, HashesFollowTheContent) {
  const std::string v1 = "apis/shop.example.com/v1";
  const std::string beta = "apis/shop.example.com/v1beta1";
  const auto with = [](const std::string& schema) {
    return GroupDocuments(BuiltinsAnd({Custom("Widget", "v1", schema), Custom("Widget", "v1beta1")}));
  };
  const GroupDocuments before = with(kSchema);
  EXPECT_EQ(with(kSchema).index(), before.index());
  const GroupDocuments after = with(R"({"type":"object","properties":{"spec":{"type":"integer"}}})");
  EXPECT_NE(after.Find(v1)->hash, before.Find(v1)->hash);
  EXPECT_NE(after.Find(v1)->hash, after.Find(beta)->hash);
  const Json paths = Parsed(before.index())["paths"];
  EXPECT_GE(paths.size(), 20u);
  for (const auto& [path, entry] : paths.items()) {
    if (path == v1) continue;
    EXPECT_EQ(after.Find(path)->hash, before.Find(path)->hash) << path;
  }
}

TEST(SwaggerTest, OneDocumentInTwoForms) {
  const Resources resources = BuiltinsAnd({Custom("Widget")});
  std::vector<const config::Resource*> pointers;
  for (const auto& resource : resources) pointers.push_back(resource.get());
  const Json expected = SwaggerDocument(pointers);
  const Swagger swagger(resources);
  EXPECT_EQ(swagger.document.json, crd::GoJson(expected));
  EXPECT_EQ(swagger.document.hash, ContentHash(swagger.document.json));
  const absl::StatusOr<std::string> bytes = SwaggerToProtobuf(expected);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(swagger.protobuf == *bytes);
}

TEST(SwaggerTest, TheHashFollowsTheContent) {
  const std::string before = Swagger(Shared({Custom("Widget")})).document.hash;
  EXPECT_EQ(Swagger(Shared({Custom("Widget")})).document.hash, before);
  EXPECT_NE(Swagger(Shared({Custom("Widget", "v1", R"({"type":"object"})")})).document.hash, before);
  EXPECT_NE(Swagger(Shared({Custom("Gear")})).document.hash, before);
}

// The definitions of the protobuf form by their names, in words.
std::map<std::string, std::string> DefinitionsIn(const std::string& bytes) {
  swagger::Document document;
  EXPECT_TRUE(document.ParseFromString(bytes));
  std::map<std::string, std::string> definitions;
  for (const auto& entry : document.definitions().entries()) {
    definitions[entry.name()] = entry.value().ShortDebugString();
  }
  return definitions;
}

std::string Nested(int depth) {
  std::string schema = R"({"type":"string"})";
  for (int i = 0; i < depth; ++i) schema = absl::StrCat(R"({"type":"object","properties":{"a":)", schema, "}}");
  return schema;
}

TEST(SwaggerTest, WhatProtobufCannotHoldIsJustAnObjectAndLeavesTheOthers) {
  const struct {
    const char* name;
    std::string schema;
  } rows[] = {
      {"40 levels deep", Nested(40)},
      {"as deep as JSON is read", Nested(200)},
      {"a field of no known name", R"({"properties":{"a":{"surprise":1}}})"},
      {"a type that is none", R"({"properties":{"a":{"type":7}}})"},
      {"items that are a list", R"({"properties":{"a":{"items":[{}]}}})"},
      {"a bound that is a text", R"({"properties":{"a":{"maximum":"9"}}})"},
      {"a length that is no integer", R"({"properties":{"a":{"maxLength":1.5}}})"},
  };
  const std::map<std::string, std::string> alone = DefinitionsIn(Swagger(BuiltinsAnd({Custom("Widget")})).protobuf);
  for (const auto& row : rows) {
    const Swagger both(BuiltinsAnd({Custom("Gear", "v1", row.schema), Custom("Widget")}));
    std::map<std::string, std::string> definitions = DefinitionsIn(both.protobuf);
    EXPECT_EQ(definitions["com.example.shop.v1.Gear"], R"(type { value: "object" })") << row.name;
    EXPECT_EQ(definitions.erase("com.example.shop.v1.Gear"), 1u) << row.name;
    EXPECT_EQ(definitions.erase("com.example.shop.v1.GearList"), 1u) << row.name;
    EXPECT_TRUE(definitions == alone) << row.name;
    // The other form has it all.
    EXPECT_TRUE(Parsed(both.document.json)["definitions"]["com.example.shop.v1.Gear"]["properties"].contains("a"))
        << row.name;
  }
}

TEST(SwaggerTest, WhatProtobufCanHoldStays) {
  const std::map<std::string, std::string> definitions =
      DefinitionsIn(Swagger(Shared({Custom("Gear", "v1", Nested(20)), Custom("Widget", "v1", Nested(40))})).protobuf);
  const std::string& gear = definitions.at("com.example.shop.v1.Gear");
  EXPECT_NE(gear.find(R"(entries { name: "a" value { type { value: "string" } } })"), std::string::npos) << gear;
  EXPECT_NE(gear.find("x-kubernetes-group-version-kind"), std::string::npos) << gear;
}

// A definition whose schema has an embedded resource, which is described by some levels more, inside `depth` lists.
std::string DefinitionOf(int depth) {
  std::string schema = R"({"x-kubernetes-embedded-resource":true})";
  for (int i = 0; i < depth; ++i) schema = absl::StrCat(R"({"items":)", schema, "}");
  return absl::StrCat(
      R"({"metadata":{"name":"gears.shop.example.com"},"spec":{"group":"shop.example.com","names":{"plural":"gears",)",
      R"("kind":"Gear"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)", schema,
      "}}]}}");
}

TEST(DocumentsTest, TheDeepestSchemaOfADefinition) {
  int depth = crd::kJsonDepthMax - 20;
  ASSERT_TRUE(crd::ParseDefinition(DefinitionOf(depth)).ok());
  while (crd::ParseDefinition(DefinitionOf(depth + 1)).ok()) ++depth;
  Documents documents(Shared(crd::ResourcesOf(*crd::ParseDefinition(DefinitionOf(depth))).served));
  EXPECT_NE(documents.MakeGroups().Find("apis/shop.example.com/v1"), nullptr);
  EXPECT_TRUE(DefinitionsIn(documents.MakeSwagger().protobuf).contains("com.example.shop.v1.Gear"));
}

TEST(DocumentsTest, AreMadeWhenTheyAreAskedForAndThenStay) {
  Documents documents(Shared({Custom("Widget")}));
  EXPECT_EQ(documents.groups(), nullptr);
  const GroupDocuments* const groups = &documents.MakeGroups();
  EXPECT_EQ(documents.groups(), groups);
  EXPECT_EQ(&documents.MakeGroups(), groups);
  EXPECT_NE(groups->Find("apis/shop.example.com/v1"), nullptr);
  EXPECT_EQ(documents.swagger(), nullptr);
  const Swagger* const swagger = &documents.MakeSwagger();
  EXPECT_EQ(documents.swagger(), swagger);
  EXPECT_EQ(&documents.MakeSwagger(), swagger);
  EXPECT_EQ(documents.groups(), groups);
}

TEST(DocumentsTest, TwoThreadsThatMakeThemAtOnceGetTheSame) {
  Documents documents(BuiltinsAnd({Custom("Widget")}));
  constexpr size_t kThreads = 3;
  std::vector<const GroupDocuments*> groups(kThreads);
  std::vector<const Swagger*> swaggers(kThreads);
  std::vector<size_t> lengths(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      groups[i] = &documents.MakeGroups();
      lengths[i] = groups[i]->index().size();  // what one thread got is not taken away by another
      swaggers[i] = &documents.MakeSwagger();
      lengths[i] += swaggers[i]->protobuf.size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(groups, std::vector<const GroupDocuments*>(kThreads, documents.groups()));
  EXPECT_EQ(swaggers, std::vector<const Swagger*>(kThreads, documents.swagger()));
  EXPECT_EQ(lengths,
            std::vector<size_t>(kThreads, documents.groups()->index().size() + documents.swagger()->protobuf.size()));
}

}  // namespace
}  // namespace tidemark::openapi
