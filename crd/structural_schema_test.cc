#include "crd/structural_schema.h"

#include <gtest/gtest.h>

namespace tidemark::crd {
namespace {

Json Tree(const char* text) { return *ParseJson(text); }

struct Row {
  const char* name;
  const char* schema;
  const char* object;
  const char* expected;
};

TEST(StructuralSchemaTest, PruneDropsWhatIsNotDeclared) {
  const Row rows[] = {
      {"no schema keeps the object's own fields", "{}",
       R"({"apiVersion":"g/v","kind":"K","metadata":{"x":1},"spec":{}})",
       R"({"apiVersion":"g/v","kind":"K","metadata":{"x":1}})"},
      {"declared fields stay", R"({"properties":{"spec":{"properties":{"a":{}}}}})",
       R"({"spec":{"a":1,"b":2},"other":3})", R"({"spec":{"a":1}})"},
      {"an undeclared object loses its fields", R"({"properties":{"a":{}}})", R"({"a":{"b":1}})", R"({"a":{}})"},
      {"elements of a list without items lose their fields", R"({"properties":{"a":{}}})",
       R"({"a":[{"b":1},2,[{"c":1}]]})", R"({"a":[{},2,[{}]]})"},
      {"elements are pruned by items", R"({"properties":{"a":{"items":{"properties":{"b":{}}}}}})",
       R"({"a":[{"b":1,"c":2}]})", R"({"a":[{"b":1}]})"},
      {"what is preserved stays, and inside it what is declared is pruned",
       R"({"properties":{"spec":{"x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"properties":{}}}}}})",
       R"({"spec":{"a":{"x":1},"b":{"y":1},"c":[{"z":1}]}})", R"({"spec":{"a":{},"b":{"y":1},"c":[{"z":1}]}})"},
      {"a preserved list hands on to its elements",
       R"({"properties":{"l":{"x-kubernetes-preserve-unknown-fields":true,"items":{"properties":{"a":{}}}}}})",
       R"({"l":[{"a":{"x":1},"b":1}]})", R"({"l":[{"a":{},"b":1}]})"},
      {"additional properties by their schema",
       R"({"properties":{"m":{"additionalProperties":{"properties":{"a":{}}}}}})", R"({"m":{"k":{"a":1,"b":2}}})",
       R"({"m":{"k":{"a":1}}})"},
      {"additional properties of any kind keep names alone", R"({"properties":{"m":{"additionalProperties":true}}})",
       R"({"m":{"k":{"a":1},"t":"x"}})", R"({"m":{"k":{},"t":"x"}})"},
      {"an embedded resource keeps its metadata",
       R"({"properties":{"t":{"x-kubernetes-embedded-resource":true,"properties":{"spec":{}}}}})",
       R"({"t":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":1,"status":2}})",
       R"({"t":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":1}})"},
  };
  for (const Row& row : rows) {
    Json object = Tree(row.object);
    StructuralSchema::Parse(Tree(row.schema)).Prune(&object);
    EXPECT_EQ(GoJson(object), row.expected) << row.name;
  }
}

TEST(StructuralSchemaTest, DropNullsLeavesThoseThatMayBe) {
  const Row rows[] = {
      {"not nullable", R"({"properties":{"a":{}}})", R"({"a":null})", "{}"},
      {"nullable", R"({"properties":{"a":{"nullable":true}}})", R"({"a":null})", R"({"a":null})"},
      {"with a default", R"({"properties":{"a":{"default":1}}})", R"({"a":null})", R"({"a":null})"},
      {"not declared", R"({"x-kubernetes-preserve-unknown-fields":true})", R"({"a":null})", R"({"a":null})"},
      {"in a map and a list", R"({"properties":{"a":{"items":{"additionalProperties":{}}}}})",
       R"({"a":[{"x":null,"y":1}]})", R"({"a":[{"y":1}]})"},
      {"elements stay", R"({"properties":{"a":{"items":{}}}})", R"({"a":[null]})", R"({"a":[null]})"},
  };
  for (const Row& row : rows) {
    Json object = Tree(row.object);
    StructuralSchema::Parse(Tree(row.schema)).DropNulls(&object);
    EXPECT_EQ(GoJson(object), row.expected) << row.name;
  }
}

TEST(StructuralSchemaTest, DefaultsStandInForWhatIsMissing) {
  const Row rows[] = {
      {"missing", R"({"properties":{"a":{"default":1}}})", "{}", R"({"a":1})"},
      {"there", R"({"properties":{"a":{"default":1}}})", R"({"a":2})", R"({"a":2})"},
      {"null", R"({"properties":{"a":{"default":1}}})", R"({"a":null})", R"({"a":1})"},
      {"nullable null", R"({"properties":{"a":{"default":1,"nullable":true}}})", R"({"a":null})", R"({"a":null})"},
      {"no parent, no default", R"({"properties":{"s":{"properties":{"a":{"default":1}}}}})", "{}", "{}"},
      {"defaults inside a default", R"({"properties":{"s":{"default":{},"properties":{"a":{"default":[1]}}}}})", "{}",
       R"({"s":{"a":[1]}})"},
      {"in elements", R"({"properties":{"l":{"items":{"default":7}}}})", R"({"l":[null,1]})", R"({"l":[7,1]})"},
      {"in elements' fields", R"({"properties":{"l":{"items":{"properties":{"a":{"default":"x"}}}}}})", R"({"l":[{}]})",
       R"({"l":[{"a":"x"}]})"},
      {"in additional properties", R"({"properties":{"m":{"additionalProperties":{"default":5}}}})",
       R"({"m":{"k":null,"j":1}})", R"({"m":{"j":1,"k":5}})"},
      {"a default is pruned itself", R"({"properties":{"s":{"default":{"a":1,"b":2},"properties":{"a":{}}}}})", "{}",
       R"({"s":{"a":1}})"},
      {"a default of null is none", R"({"properties":{"a":{"default":null}}})", "{}", "{}"},
  };
  for (const Row& row : rows) {
    Json object = Tree(row.object);
    ASSERT_TRUE(StructuralSchema::Parse(Tree(row.schema)).ApplyDefaults(&object).ok()) << row.name;
    EXPECT_EQ(GoJson(object), row.expected) << row.name;
  }
}

// A list with `elements` empty objects as its default, each of which has the same again, `depth` times.
Json ListsInLists(int depth, int elements) {
  if (depth == 0) return Json::object();
  Json schema = {{"items", {{"properties", {{"a", ListsInLists(depth - 1, elements)}}}}}};
  schema["default"] = Json::array();
  for (int i = 0; i < elements; ++i) schema["default"].push_back(Json::object());
  return schema;
}

TEST(StructuralSchemaTest, WhatDefaultsAddHasALimit) {
  const auto added = [](const Json& of_a, Json object) {
    return StructuralSchema::Parse(Json{{"properties", {{"a", of_a}}}}).ApplyDefaults(&object);
  };
  static_assert(kDefaultValuesMax == 100'000);
  EXPECT_TRUE(added(ListsInLists(4, 10), Json::object()).ok());
  EXPECT_EQ(added(ListsInLists(5, 10), Json::object()).message(),
            "the defaults of its schema add more than 100000 values");
  const auto named = [&](size_t name) {
    Json schema = ListsInLists(3, 10);  // a thousand elements, each of which gets one
    Json& innermost = schema["items"]["properties"]["a"]["items"]["properties"]["a"]["items"];
    innermost["properties"] = {{std::string(name * kDefaultTextBytes, 'n'), {{"default", 1}}}};
    return added(schema, Json::object()).ok();
  };
  EXPECT_TRUE(named(90));
  EXPECT_FALSE(named(100));
  // What takes a null's place, and long texts.
  const auto nulls = [&](size_t elements, size_t text) {
    const Json default_value = std::string(text, 'x');
    Json object = {{"a", Json::array()}};
    for (size_t i = 0; i < elements; ++i) object["a"].push_back(nullptr);
    return added(Json{{"items", {{"default", default_value}}}}, object).ok();
  };
  EXPECT_TRUE(nulls(kDefaultValuesMax, 1));
  EXPECT_FALSE(nulls(kDefaultValuesMax + 1, 1));
  EXPECT_TRUE(nulls(kDefaultValuesMax / 10, 9 * kDefaultTextBytes));
  EXPECT_FALSE(nulls(kDefaultValuesMax / 10, 10 * kDefaultTextBytes));
}

TEST(StructuralSchemaTest, EmbeddedMetadataIsRead) {
  Json object = Tree(R"({"t":{"kind":1,"apiVersion":"v1","metadata":{"name":"a","x":1,"labels":{"a":2}}}})");
  StructuralSchema::Parse(Tree(R"({"properties":{"t":{"x-kubernetes-embedded-resource":true}}})"))
      .CoerceEmbedded(&object);
  EXPECT_EQ(GoJson(object), R"({"t":{"apiVersion":"v1","metadata":{"name":"a"}}})");
}

TEST(StructuralSchemaTest, PrunesLikeComparesWhatPrunes) {
  const auto alike = [](const char* a, const char* b) {
    return StructuralSchema::Parse(Tree(a)).PrunesLike(StructuralSchema::Parse(Tree(b)));
  };
  const char* const schema =
      R"({"properties":{"a":{"items":{"properties":{"b":{}}}},"m":{"additionalProperties":{}}}})";
  EXPECT_TRUE(alike(schema, schema));
  EXPECT_TRUE(
      alike(R"({"properties":{"a":{"description":"x","default":1}}})", R"({"properties":{"a":{"default":2}}})"));
  EXPECT_FALSE(
      alike(schema, R"({"properties":{"a":{"items":{"properties":{"c":{}}}},"m":{"additionalProperties":{}}}})"));
  EXPECT_FALSE(alike(R"({"properties":{"a":{}}})", R"({"properties":{"a":{"nullable":true}}})"));
  EXPECT_FALSE(alike(R"({"properties":{"a":{}}})", R"({"properties":{"a":{"additionalProperties":true}}})"));
}

}  // namespace
}  // namespace tidemark::crd
