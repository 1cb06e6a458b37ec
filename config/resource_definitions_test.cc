#include "config/resource_definitions.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::config {
namespace {

using testing::HasSubstr;

std::string OneEntry(const std::string& entry) { return "{\"resources\": [" + entry + "]}"; }

TEST(ResourceDefinitionsTest, FourMembersAreEnough) {
  const auto parsed = ParseResourceDefinitions(
      OneEntry(R"({"group": "shop.example.com", "version": "v1", "kind": "Order", "resource": "orders"})"));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->size(), 1U);
  const Resource& order = (*parsed)[0];
  EXPECT_EQ(order.singular, "order");
  EXPECT_EQ(order.prefix, "shop.example.com/orders");
  EXPECT_TRUE(order.namespaced);
  EXPECT_TRUE(order.custom);
  EXPECT_EQ(order.GroupResource(), "orders.shop.example.com");
}

TEST(ResourceDefinitionsTest, EveryMemberIsRead) {
  const auto parsed = ParseResourceDefinitions(OneEntry(
      R"({"group": "", "version": "v2", "kind": "Thing", "resource": "things", "singular": "one", "namespaced": false,
          "prefix": "a/b", "storedAs": "protobuf", "fields": ["spec.x", "spec.y"],
          "columns": [{"name": "X", "type": "integer", "format": "int32", "description": "D.", "priority": 1,
                       "jsonPath": ".spec.x"},
                      {"name": "Since", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]})"));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const Resource& thing = (*parsed)[0];
  EXPECT_EQ(thing.ApiVersion(), "v2");
  EXPECT_EQ(thing.singular, "one");
  EXPECT_FALSE(thing.namespaced);
  EXPECT_EQ(thing.prefix, "a/b");
  ASSERT_EQ(thing.fields.size(), 2U);
  EXPECT_EQ(thing.fields[1].path, "spec.y");
  ASSERT_EQ(thing.columns.size(), 2U);
  EXPECT_EQ(thing.columns[0].name, "X");
  EXPECT_EQ(thing.columns[0].type, "integer");
  EXPECT_EQ(thing.columns[0].format, "int32");
  EXPECT_EQ(thing.columns[0].description, "D.");
  EXPECT_EQ(thing.columns[0].priority, 1);
  EXPECT_EQ(thing.columns[0].json_path, ".spec.x");
  EXPECT_EQ(thing.columns[1].format, "");
  EXPECT_EQ(thing.columns[1].priority, 0);
}

TEST(ResourceDefinitionsTest, MistakesNameEntryAndMember) {
  struct Row {
    std::string text;
    const char* error;
  };
  const std::string good = R"("group": "g", "version": "v1", "kind": "K", "resource": "ks")";
  const Row rows[] = {
      {"{", "not JSON"},
      {"[]", "an object with a list"},
      {R"({"resources": {}})", "an object with a list"},
      {OneEntry("7"), "resource 1: it must be an object"},
      {OneEntry("{" + good + "}, {\"group\": \"g\"}"), "resource 2: \"version\" is missing"},
      {OneEntry("{" + good + R"(, "kin": 1})"), "\"kin\" is not known"},
      {OneEntry("{" + good + R"(, "namespaced": "yes"})"), "\"namespaced\" must be true or false"},
      {OneEntry("{" + good + R"(, "prefix": "/a"})"), "\"prefix\" must be a path"},
      {OneEntry("{" + good + R"(, "prefix": "a//b"})"), "\"prefix\" must be a path"},
      {OneEntry("{" + good + R"(, "storedAs": "xml"})"), "\"storedAs\" must be json or protobuf"},
      {OneEntry("{" + good + R"(, "fields": [1]})"), "\"fields\" must be a list of paths"},
      {OneEntry("{" + good + "}, {" + good + R"(, "prefix": "elsewhere"})"), "resource 2: ks.g is defined twice"},
      {OneEntry("{" + good + R"(}, {"group": "h", "version": "v1", "kind": "K", "resource": "ks", "prefix": "g/ks"})"),
       "resource 2: \"prefix\" is that of ks.g too: g/ks"},
      {OneEntry(R"({"group": "g", "version": "", "kind": "K", "resource": "ks"})"), "\"version\" is empty"},
      {OneEntry(R"({"group": 1, "version": "v", "kind": "K", "resource": "ks"})"), "\"group\" must be text"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(std::string(ParseResourceDefinitions(row.text).status().message()), HasSubstr(row.error)) << row.text;
  }
}

TEST(ResourceDefinitionsTest, MistakesInColumnsNameTheColumn) {
  struct Row {
    std::string columns;
    const char* error;
  };
  const std::string good = R"({"name": "X", "type": "string", "jsonPath": ".x"})";
  const auto with = [](const std::string& more) { return R"([{"name": "X", "jsonPath": ".x", )" + more + "}]"; };
  const Row rows[] = {
      {"{}", "resource 1: \"columns\" must be a list"},
      {"[7]", "resource 1: column 1: it must be an object"},
      {"[" + good + R"(, {"name": "Y"}])", "column 2: \"type\" is missing"},
      {R"([{"type": "string", "jsonPath": ".x"}])", "column 1: \"name\" is missing"},
      {R"([{"name": "", "type": "string", "jsonPath": ".x"}])", "\"name\" is empty"},
      {R"([{"name": "X", "type": "string"}])", "\"jsonPath\" is missing"},
      {R"([{"name": "X", "type": "string", "jsonPath": "spec.x"}])", "\"jsonPath\" must begin with a dot"},
      {with(R"("type": "text")"), "\"type\" must be one of integer, number, string, boolean, date"},
      {with(R"("type": "string", "format": "int7")"), "\"format\" must be one of int32, int64"},
      {with(R"("type": "string", "format": 7)"), "\"format\" must be text"},
      {with(R"("type": "string", "priority": "1")"), "\"priority\" must be a number from 0 to 2147483647"},
      {with(R"("type": "string", "priority": -1)"), "\"priority\" must be a number"},
      {with(R"("type": "string", "priority": 2147483648)"), "\"priority\" must be a number"},
      {with(R"("type": "string", "JSONPath": ".x")"), "\"JSONPath\" is not known"},
  };
  const std::string start = R"({"group": "g", "version": "v1", "kind": "K", "resource": "ks", "columns": )";
  for (const Row& row : rows) {
    const auto parsed = ParseResourceDefinitions(OneEntry(start + row.columns + "}"));
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr(row.error)) << row.columns;
  }
  EXPECT_TRUE(ParseResourceDefinitions(OneEntry(start + "[" + good + "]}")).ok());
}

TEST(ResourceDefinitionsTest, AMissingFileIsNamed) {
  EXPECT_THAT(std::string(ReadResourceDefinitions("/does/not/exist").status().message()), HasSubstr("/does/not/exist"));
  EXPECT_THAT(std::string(ReadResourceDefinitions("/tmp").status().message()), HasSubstr("/tmp: it is a directory"));
}

TEST(MergeResourcesTest, ReplacesByPrefixAndByNameAndStaysSorted) {
  Resource pods;
  pods.plural = "pods";
  pods.prefix = "elsewhere/pods";
  Resource orders;
  orders.group = "shop.example.com";
  orders.plural = "orders";
  orders.prefix = "minions";  // takes the place of nodes
  const auto merged = MergeResources(BuiltinResources(), {orders, pods});
  EXPECT_EQ(merged.size(), BuiltinResources().size());
  int found = 0;
  for (size_t i = 0; i < merged.size(); ++i) {
    EXPECT_NE(merged[i].plural, "nodes");
    if (merged[i].prefix == "elsewhere/pods" || merged[i].prefix == "minions") ++found;
    EXPECT_NE(merged[i].prefix, "pods");
    EXPECT_LE(merged[i == 0 ? 0 : i - 1].group, merged[i].group);
  }
  EXPECT_EQ(found, 2);
}

TEST(CheckPrefixesTest, NoneMayLieInsideAnother) {
  EXPECT_TRUE(CheckPrefixes({}).ok());
  EXPECT_TRUE(CheckPrefixes(BuiltinResources()).ok());
  Resource orders;
  orders.group = "shop.example.com";
  orders.plural = "orders";
  const auto check = [&orders](const std::string& prefix) {
    orders.prefix = prefix;
    return std::string(CheckPrefixes(MergeResources(BuiltinResources(), {orders})).message());
  };
  EXPECT_EQ(check("podsecurity"), "");
  EXPECT_EQ(check("pods"), "") << "it takes the place of the pods";
  EXPECT_EQ(check("pods/more"), "orders.shop.example.com: its prefix pods/more lies inside that of pods, pods");
  EXPECT_EQ(check("pods/more/x"), "orders.shop.example.com: its prefix pods/more/x lies inside that of pods, pods");
  EXPECT_EQ(check("services"),
            "endpoints: its prefix services/endpoints lies inside that of orders.shop.example.com, services");
}

}  // namespace
}  // namespace tidemark::config
