#include "openapi/documents.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
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
#include "openapi/test_resources.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

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
  const GroupDocuments documents(resources, nullptr);
  const Json index = Parsed(documents.index());
  ASSERT_EQ(index.size(), 1u);
  std::set<std::string> paths;
  for (const auto& [path, entry] : index["paths"].items()) {
    paths.insert(path);
    const Document* const document = documents.Find(path);
    ASSERT_NE(document, nullptr) << path;
    EXPECT_EQ(document->hash, ContentHash(document->json.bytes)) << path;
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
  const GroupDocuments documents(Shared({widgets, beta, gears}), nullptr);
  const Document* const v1 = documents.Find("apis/shop.example.com/v1");
  const Document* const v1beta1 = documents.Find("apis/shop.example.com/v1beta1");
  ASSERT_TRUE(v1 != nullptr && v1beta1 != nullptr);
  EXPECT_EQ(v1->json.bytes, GroupDocument({&widgets, &gears}));
  EXPECT_EQ(v1beta1->json.bytes, GroupDocument({&beta}));
  for (const char* path : {"", "api/v1", "apis", "apis/shop.example.com", "apis/shop.example.com/v2",
                           "/apis/shop.example.com/v1", "apis/shop.example.com/v1/"}) {
    EXPECT_EQ(documents.Find(path), nullptr) << path;
  }
}

TEST(GroupDocumentsTest, OfNothing) {
  const GroupDocuments documents(Resources(), nullptr);
  EXPECT_EQ(documents.index(), R"({"paths":{}})");
  EXPECT_EQ(documents.Find("api/v1"), nullptr);
}

TEST(GroupDocumentsTest, HashesFollowTheContent) {
  const std::string v1 = "apis/shop.example.com/v1";
  const std::string beta = "apis/shop.example.com/v1beta1";
  const auto with = [](const std::string& schema) {
    return GroupDocuments(BuiltinsAnd({Custom("Widget", "v1", schema), Custom("Widget", "v1beta1")}), nullptr);
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
  const Swagger swagger(resources, nullptr);
  EXPECT_EQ(swagger.document.json.bytes, crd::GoJson(expected));
  EXPECT_EQ(swagger.document.hash, ContentHash(swagger.document.json.bytes));
  const absl::StatusOr<std::string> bytes = SwaggerToProtobuf(expected);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(swagger.protobuf.bytes == *bytes);
}

TEST(SwaggerTest, TheHashFollowsTheContent) {
  const auto hash_of = [](const config::Resource& resource) {
    return Swagger(Shared({resource}), nullptr).document.hash;
  };
  const std::string before = hash_of(Custom("Widget"));
  EXPECT_EQ(hash_of(Custom("Widget")), before);
  EXPECT_NE(hash_of(Custom("Widget", "v1", R"({"type":"object"})")), before);
  EXPECT_NE(hash_of(Custom("Gear")), before);
}

std::string ProtobufOf(const Resources& resources) { return Swagger(resources, nullptr).protobuf.bytes; }

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

TEST(SwaggerTest, WhatProtobufCannotHoldIsJustOfItsKindAndLeavesTheOthers) {
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
  constexpr char kOnlyKind[] = R"(type { value: "object" } extensions { name: "x-kubernetes-group-version-kind" )"
                               R"(value { yaml: "- group: shop.example.com\n  kind: Gear\n  version: v1\n" } })";
  const std::map<std::string, std::string> alone = DefinitionsIn(ProtobufOf(BuiltinsAnd({Custom("Widget")})));
  for (const auto& row : rows) {
    const Swagger both(BuiltinsAnd({Custom("Gear", "v1", row.schema), Custom("Widget")}), nullptr);
    std::map<std::string, std::string> definitions = DefinitionsIn(both.protobuf.bytes);
    EXPECT_EQ(definitions["com.example.shop.v1.Gear"], kOnlyKind) << row.name;
    EXPECT_EQ(definitions.erase("com.example.shop.v1.Gear"), 1u) << row.name;
    EXPECT_EQ(definitions.erase("com.example.shop.v1.GearList"), 1u) << row.name;
    EXPECT_TRUE(definitions == alone) << row.name;
    // The other form has it all.
    EXPECT_TRUE(Parsed(both.document.json.bytes)["definitions"]["com.example.shop.v1.Gear"]["properties"].contains("a"))
        << row.name;
  }
}

TEST(SwaggerTest, WhatProtobufCanHoldStays) {
  const std::map<std::string, std::string> definitions =
      DefinitionsIn(ProtobufOf(Shared({Custom("Gear", "v1", Nested(20)), Custom("Widget", "v1", Nested(40))})));
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
  EXPECT_NE(documents.groups().Make().Find("apis/shop.example.com/v1"), nullptr);
  EXPECT_TRUE(DefinitionsIn(documents.swagger().Make().protobuf.bytes).contains("com.example.shop.v1.Gear"));
}

TEST(DocumentsTest, AreMadeWhenTheyAreAskedForAndThenStay) {
  Documents documents(Shared({Custom("Widget")}));
  EXPECT_EQ(documents.groups().Get(), nullptr);
  const GroupDocuments* const groups = &documents.groups().Make();
  EXPECT_EQ(documents.groups().Get(), groups);
  EXPECT_EQ(&documents.groups().Make(), groups);
  EXPECT_NE(groups->Find("apis/shop.example.com/v1"), nullptr);
  EXPECT_EQ(documents.swagger().Get(), nullptr);
  const Swagger* const swagger = &documents.swagger().Make();
  EXPECT_EQ(documents.swagger().Get(), swagger);
  EXPECT_EQ(&documents.swagger().Make(), swagger);
  EXPECT_EQ(documents.groups().Get(), groups);
}

TEST(DocumentsTest, WhoeverWaitsGetsWhatIsMade) {
  Documents documents(Shared({Custom("Widget")}));
  const GroupDocuments* groups = nullptr;
  const Swagger* swagger = nullptr;
  EXPECT_TRUE(documents.groups().Await([&groups](const GroupDocuments* made) { groups = made; }));
  EXPECT_TRUE(documents.swagger().Await([&swagger](const Swagger* made) { swagger = made; }));
  documents.swagger().Make();
  EXPECT_NE(swagger, nullptr);
  EXPECT_EQ(groups, nullptr);  // each is waited for alone
  documents.groups().Make();
  EXPECT_EQ(groups, documents.groups().Get());
  EXPECT_EQ(swagger, documents.swagger().Get());
}

TEST(DocumentsTest, ItIsKnownBeforeTheyAreMadeWhichThereAre) {
  Documents documents(BuiltinsAnd({Custom("Widget"), Custom("Widget", "v1beta1")}));
  constexpr const char* kPaths[] = {"api/v1", "apis/apps/v1", "apis/shop.example.com/v1",
                                    "apis/shop.example.com/v1beta1"};
  constexpr const char* kOthers[] = {"",
                                     "v1",
                                     "api",
                                     "api/",
                                     "api/v2",
                                     "apis/v1",
                                     "api/apps/v1",
                                     "apis/apps",
                                     "apis/shop.example.com/v2",
                                     "/api/v1",
                                     "api/v1/",
                                     "apis/apps/v1/deployments",
                                     "apis/APPS/v1"};
  for (const char* path : kPaths) EXPECT_TRUE(documents.Has(path)) << path;
  for (const char* path : kOthers) EXPECT_FALSE(documents.Has(path)) << path;
  EXPECT_EQ(documents.groups().Get(), nullptr);
  EXPECT_EQ(documents.swagger().Get(), nullptr);
  const GroupDocuments& groups = documents.groups().Make();
  for (const char* path : kPaths) EXPECT_NE(groups.Find(path), nullptr) << path;
  for (const char* path : kOthers) EXPECT_EQ(groups.Find(path), nullptr) << path;
  EXPECT_FALSE(Documents(Resources()).Has("api/v1"));
}

TEST(DocumentsTest, EachOneIsCompressedOnce) {
  std::map<std::string, int> given;
  const auto compress = [&given](const std::string& bytes) {
    ++given[bytes];
    return absl::StrCat("compressed ", ContentHash(bytes));
  };
  Documents documents(Shared({Custom("Widget"), Custom("Widget", "v1beta1")}), compress);
  EXPECT_TRUE(given.empty());
  const GroupDocuments& groups = documents.groups().Make();
  const Body& v1 = groups.Find("apis/shop.example.com/v1")->json;
  const Body& beta = groups.Find("apis/shop.example.com/v1beta1")->json;
  EXPECT_EQ(given, (std::map<std::string, int>{{v1.bytes, 1}, {beta.bytes, 1}}));
  const Swagger& swagger = documents.swagger().Make();
  documents.groups().Make();
  documents.swagger().Make();
  EXPECT_EQ(given.size(), 4u);
  const Body& json = swagger.document.json;
  for (const Body* const body : {&v1, &beta, &json, &swagger.protobuf}) {
    EXPECT_EQ(given[body->bytes], 1);
    EXPECT_EQ(body->compressed, absl::StrCat("compressed ", ContentHash(body->bytes)));
  }
  // The hash is of what is compressed.
  EXPECT_EQ(swagger.document.hash, ContentHash(json.bytes));
}

TEST(DocumentsTest, WithoutACompressorThereIsNothingCompressed) {
  for (const Compress& compress : {Compress(), Compress([](const std::string&) { return std::string(); })}) {
    Documents documents(Shared({Custom("Widget")}), compress);
    const Body& group = documents.groups().Make().Find("apis/shop.example.com/v1")->json;
    const Swagger& swagger = documents.swagger().Make();
    for (const Body* const body : {&group, &swagger.document.json, &swagger.protobuf}) {
      EXPECT_NE(body->bytes, "");
      EXPECT_EQ(body->compressed, "");
    }
  }
}

}  // namespace
}  // namespace tidemark::openapi
