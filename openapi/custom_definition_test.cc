#include "openapi/custom_definition.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "openapi/definitions.h"
#include "openapi/test_resources.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

config::Resource WidgetsOf(std::string schema) {
  config::Resource widgets = Widgets();
  widgets.schema = std::make_shared<const std::string>(std::move(schema));
  return widgets;
}

// What each object has.
constexpr char kObject[] = R"("apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"allOf":[)"
                           R"({"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]})";
constexpr char kKind[] =
    R"("x-kubernetes-group-version-kind":[{"group":"shop.example.com","kind":"Widget","version":"v1"}])";

// The definition of a widget that has `properties` and, ending with a comma, `more`.
std::string WidgetWith(absl::string_view properties, absl::string_view more = "") {
  return crd::GoJson(Parsed(absl::StrCat("{", more, R"("type":"object",)", kKind, R"(,"properties":{)", kObject,
                                         properties.empty() ? "" : ",", properties, "}}")));
}

// The definition of a widget of which nothing is known.
std::string WidgetAlone() { return crd::GoJson(Parsed(absl::StrCat(R"({"type":"object",)", kKind, "}"))); }

std::string DefinitionOf(std::string schema) { return crd::GoJson(CustomDefinition(WidgetsOf(std::move(schema)))); }

// Of a widget with a property "e".
std::string DefinitionWith(absl::string_view property, bool for_swagger) {
  return crd::GoJson(CustomDefinition(WidgetsOf(absl::StrCat(R"({"properties":{"e":)", property, "}}")), for_swagger));
}

TEST(CustomDefinitionTest, TheSchemasOwnWordsStay) {
  constexpr char kSpec[] =
      R"("spec":{"type":"object","description":"what is wanted","required":["color"],"properties":{)"
      R"("color":{"type":"string","enum":["red","blue"],"default":"red","description":"which"},)"
      R"("size":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},)"
      R"("more":{"type":"object","nullable":true,"x-kubernetes-preserve-unknown-fields":true},)"
      R"("kind":{"type":"integer"},"metadata":{"type":"integer"}},)"
      R"("x-kubernetes-validations":[{"message":"no","rule":"self.size < 5"}]})";
  constexpr char kMore[] = R"("description":"A widget.","required":["spec"],"oneOf":[{"required":["a"]}],)";
  EXPECT_EQ(DefinitionOf(absl::StrCat(R"({"type":"object",)", kMore, R"("properties":{)", kSpec, "}}")),
            WidgetWith(kSpec, kMore));
}

TEST(CustomDefinitionTest, KindAndMetadataAreThoseOfEveryObject) {
  EXPECT_EQ(DefinitionOf(R"({"type":"object","required":["metadata"],"properties":{
                "apiVersion":{"type":"string","description":"my own"},"kind":{"type":"string","enum":["Gear"]},
                "metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":20}}}}})"),
            WidgetWith("", R"("required":["metadata"],)"));
}

TEST(CustomDefinitionTest, EmbeddedResources) {
  constexpr char kEmbedded[] = R"("x-kubernetes-embedded-resource":true)";
  const std::string bare = absl::StrCat(R"({"type":"object",)", kEmbedded, "}");
  const std::string described = absl::StrCat(R"({"type":"object",)", kEmbedded, R"(,"properties":{)", kObject,
                                             R"(},"required":["kind","apiVersion"]})");
  const auto with = [&](absl::string_view more) { return absl::StrCat(R"({"a":1,)", kEmbedded, more, "}"); };
  const struct {
    const char* name;
    std::string schema;
    std::string expected;
  } rows[] = {
      {"without properties", bare, described},
      {"with properties of its own",
       with(R"(,"properties":{"spec":{"type":"object"},"kind":{"enum":["A"]},"metadata":{"type":"object"}})"),
       with(absl::StrCat(R"(,"properties":{"spec":{"type":"object"},)", kObject,
                         R"(},"required":["kind","apiVersion"])"))},
      {"what it requires comes first", with(R"(,"required":["spec"])"),
       with(absl::StrCat(R"(,"required":["spec","kind","apiVersion"],"properties":{)", kObject, "}"))},
      {"what it requires is not repeated", with(R"(,"required":["apiVersion","kind"])"),
       with(absl::StrCat(R"(,"required":["apiVersion","kind"],"properties":{)", kObject, "}"))},
      {"one of the two is required", with(R"(,"required":["apiVersion","spec"])"),
       with(absl::StrCat(R"(,"required":["apiVersion","spec","kind"],"properties":{)", kObject, "}"))},
      {"in a list", absl::StrCat(R"({"type":"array","items":)", bare, "}"),
       absl::StrCat(R"({"type":"array","items":)", described, "}")},
      {"in a map", absl::StrCat(R"({"additionalProperties":)", bare, "}"),
       absl::StrCat(R"({"additionalProperties":)", described, "}")},
      {"in a property", absl::StrCat(R"({"properties":{"b":)", bare, "}}"),
       absl::StrCat(R"({"properties":{"b":)", described, "}}")},
      {"in one another", with(absl::StrCat(R"(,"properties":{"spec":)", bare, "}")),
       with(absl::StrCat(R"(,"required":["kind","apiVersion"],"properties":{"spec":)", described, ",", kObject, "}"))},
      {"not one", R"({"type":"object","x-kubernetes-embedded-resource":false})",
       R"({"type":"object","x-kubernetes-embedded-resource":false})"},
      {"a property of that name", R"({"properties":{"x-kubernetes-embedded-resource":{"type":"boolean"}}})",
       R"({"properties":{"x-kubernetes-embedded-resource":{"type":"boolean"}}})"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(DefinitionOf(absl::StrCat(R"({"properties":{"e":)", row.schema, "}}")),
              WidgetWith(absl::StrCat(R"("e":)", row.expected)))
        << row.name;
  }
}

// What has unknown fields besides is described in OpenAPI 3 alone.
TEST(CustomDefinitionTest, EmbeddedResourcesThatKeepUnknownFields) {
  const auto with = [](absl::string_view keeps, absl::string_view more) {
    return absl::StrCat(R"({"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":)", keeps,
                        more, "}");
  };
  constexpr char kOwn[] = R"(,"required":["spec"],"properties":{"spec":{"type":"object"}})";
  const std::string described = absl::StrCat(R"(,"required":["kind","apiVersion"],"properties":{)", kObject, "}");
  const std::string own_described =
      absl::StrCat(R"(,"required":["spec","kind","apiVersion"],"properties":{"spec":{"type":"object"},)", kObject, "}");
  const struct {
    const char* name;
    std::string schema;
    std::string expected;
    std::string in_swagger;
  } rows[] = {
      {"it keeps them", with("true", ""), with("true", described), with("true", "")},
      {"it has fields of its own", with("true", kOwn), with("true", own_described), with("true", kOwn)},
      {"it keeps none", with("false", kOwn), with("false", own_described), with("false", own_described)},
      {"one that keeps none in one that does",
       with("true", absl::StrCat(R"(,"properties":{"a":)", with("false", ""), "}")),
       with("true", absl::StrCat(R"(,"required":["kind","apiVersion"],"properties":{"a":)", with("false", described),
                                 ",", kObject, "}")),
       with("true", absl::StrCat(R"(,"properties":{"a":)", with("false", described), "}"))},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(DefinitionWith(row.schema, false), WidgetWith(absl::StrCat(R"("e":)", row.expected))) << row.name;
    EXPECT_EQ(DefinitionWith(row.schema, true), WidgetWith(absl::StrCat(R"("e":)", row.in_swagger))) << row.name;
  }
}

TEST(CustomDefinitionTest, NumberOrText) {
  constexpr char kBoth[] = R"("anyOf":[{"type":"integer"},{"type":"string"}])";
  const auto with = [](absl::string_view more) {
    return absl::StrCat(R"({"x-kubernetes-int-or-string":true)", more.empty() ? "" : ",", more, "}");
  };
  const std::string no_text = R"({"x-kubernetes-int-or-string":false})";
  const struct {
    const char* name;
    std::string schema;
    std::string expected;
  } rows[] = {
      {"with nothing else", with(""), with(kBoth)},
      {"with a pattern", with(R"("pattern":"^a")"), with(absl::StrCat(R"("pattern":"^a",)", kBoth))},
      {"with the same alternatives", with(kBoth), with(kBoth)},
      {"with alternatives of its own", with(R"("anyOf":[{"type":"integer"}])"),
       with(R"("anyOf":[{"type":"integer"}])")},
      {"with what all of it is", with(absl::StrCat(R"("allOf":[{)", kBoth, R"(},{"maxLength":3}])")),
       with(absl::StrCat(R"("allOf":[{)", kBoth, R"(},{"maxLength":3}])"))},
      {"with one of several", with(R"("oneOf":[{"maxLength":3}])"),
       with(absl::StrCat(R"("oneOf":[{"maxLength":3}],)", kBoth))},
      {"in a list", absl::StrCat(R"({"items":)", with(""), "}"), absl::StrCat(R"({"items":)", with(kBoth), "}")},
      {"in a map", absl::StrCat(R"({"additionalProperties":)", with(""), "}"),
       absl::StrCat(R"({"additionalProperties":)", with(kBoth), "}")},
      {"in a property", absl::StrCat(R"({"properties":{"a":)", with(""), "}}"),
       absl::StrCat(R"({"properties":{"a":)", with(kBoth), "}}")},
      {"not one", no_text, no_text},
      {"a property of that name", R"({"properties":{"x-kubernetes-int-or-string":{"type":"boolean"}}})",
       R"({"properties":{"x-kubernetes-int-or-string":{"type":"boolean"}}})"},
      {"a text in its place", R"({"x-kubernetes-int-or-string":"true"})", R"({"x-kubernetes-int-or-string":"true"})"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(DefinitionWith(row.schema, false), WidgetWith(absl::StrCat(R"("e":)", row.expected))) << row.name;
  }
}

TEST(CustomDefinitionTest, WithoutASchemaThereIsNothingButItsKind) {
  for (const char* schema : {"", " ", "null", "[1]", "7", "\"a\"", "true", "{", "{}}"}) {
    for (const bool for_swagger : {false, true}) {
      EXPECT_EQ(crd::GoJson(CustomDefinition(WidgetsOf(schema), for_swagger)), WidgetAlone()) << schema;
    }
  }
  config::Resource widgets = WidgetsOf("");
  widgets.schema = nullptr;
  for (const bool for_swagger : {false, true}) {
    EXPECT_EQ(crd::GoJson(CustomDefinition(widgets, for_swagger)), WidgetAlone());
  }
  // Its list is described: that is what every list has.
  EXPECT_EQ(CustomListDefinition(widgets), CustomListDefinition(WidgetsOf("{}")));
}

TEST(CustomDefinitionTest, OddForms) {
  const struct {
    const char* name;
    const char* schema;
    std::string expected;
  } rows[] = {
      {"an empty one", "{}", WidgetWith("")},
      {"another type", R"({"type":"string"})", WidgetWith("")},
      {"types", R"({"type":["object","null"]})", WidgetWith("")},
      {"properties are a list", R"({"properties":[{}]})", WidgetWith("")},
      {"properties are a text", R"({"properties":"a"})", WidgetWith("")},
      {"properties are null", R"({"properties":null})", WidgetWith("")},
      {"a property is a text", R"({"properties":{"a":"b","c":null,"d":[1]}})",
       WidgetWith(R"("a":"b","c":null,"d":[1])")},
      {"items are a list", R"({"properties":{"a":{"items":[{"x-kubernetes-embedded-resource":true}]}}})",
       WidgetWith(R"("a":{"items":[{"x-kubernetes-embedded-resource":true}]})")},
      {"more properties of any form",
       R"({"additionalProperties":true,"properties":{"a":{"additionalProperties":false}}})",
       WidgetWith(R"("a":{"additionalProperties":false})", R"("additionalProperties":true,)")},
      {"an embedded resource is a text", R"({"properties":{"a":{"x-kubernetes-embedded-resource":"true"}}})",
       WidgetWith(R"("a":{"x-kubernetes-embedded-resource":"true"})")},
      {"what an embedded resource has and requires is no list",
       R"({"properties":{"a":{"x-kubernetes-embedded-resource":true,"required":"a","properties":7}}})",
       WidgetWith(absl::StrCat(R"("a":{"x-kubernetes-embedded-resource":true,"required":["kind","apiVersion"],)",
                               R"("properties":{)", kObject, "}}"))},
      {"what an embedded resource requires is no text",
       R"({"properties":{"a":{"x-kubernetes-embedded-resource":true,"required":[1,null]}}})",
       WidgetWith(absl::StrCat(R"("a":{"x-kubernetes-embedded-resource":true,"required":[1,null,"kind","apiVersion"],)",
                               R"("properties":{)", kObject, "}}"))},
      {"kinds of its own", R"({"x-kubernetes-group-version-kind":"a"})", WidgetWith("")},
  };
  for (const auto& row : rows) EXPECT_EQ(DefinitionOf(row.schema), row.expected) << row.name;
}

// As deep as JSON is read.
TEST(CustomDefinitionTest, DeepSchemas) {
  constexpr int kDepth = crd::kJsonDepthMax / 2 - 1;
  std::string schema = R"({"x-kubernetes-embedded-resource":true})";
  for (int i = 0; i < kDepth; ++i) schema = absl::StrCat(R"({"properties":{"a":)", schema, "}}");
  const Json definition = CustomDefinition(WidgetsOf(schema));
  const Json* at = &definition;
  for (int i = 0; i < kDepth && at != nullptr; ++i) {
    at = crd::Member(*at, "properties") == nullptr ? nullptr : crd::Member((*at)["properties"], "a");
  }
  ASSERT_NE(at, nullptr);
  EXPECT_EQ(crd::TextsMember(*at, "required"), (std::vector<std::string>{"kind", "apiVersion"}));
}

TEST(CustomDefinitionTest, SelectableFields) {
  config::Resource widgets = WidgetsOf("{}");
  widgets.fields = {{"spec.color", "spec.color"}, {"spec.size", "spec.size"}};
  EXPECT_EQ(
      crd::GoJson(CustomDefinition(widgets)),
      WidgetWith("", R"("x-kubernetes-selectable-fields":[{"fieldPath":"spec.color"},{"fieldPath":"spec.size"}],)"));
  EXPECT_EQ(CustomListDefinition(widgets)["x-kubernetes-selectable-fields"],
            CustomDefinition(widgets)["x-kubernetes-selectable-fields"]);
  widgets.custom = false;
  EXPECT_EQ(crd::GoJson(CustomDefinition(widgets)), WidgetWith(""));
}

TEST(CustomDefinitionTest, Lists) {
  constexpr char kList[] = R"("apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"allOf":[)"
                           R"({"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"}]})";
  config::Resource widgets = WidgetsOf(R"({"description":"not the list's","x-own":1})");
  for (const std::string list_kind : {"", "WidgetBag"}) {
    widgets.list_kind = list_kind;
    const std::string kind = list_kind.empty() ? "WidgetList" : list_kind;
    EXPECT_EQ(crd::GoJson(CustomListDefinition(widgets)),
              crd::GoJson(Parsed(absl::StrCat(
                  R"({"description":")", kind, R"( is a list of Widget","type":"object","required":["items"],)",
                  R"("properties":{)", kList,
                  R"(,"items":{"type":"array","items":{"$ref":"#/components/schemas/com.example.shop.v1.Widget"}}},)",
                  R"("x-kubernetes-group-version-kind":[{"group":"shop.example.com","kind":")", kind,
                  R"(","version":"v1"}]})"))));
  }
}

}  // namespace
}  // namespace tidemark::openapi
