#include "crd/definition.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "crd/definition_forms.h"
#include "crd/definition_resources.h"
#include "crd/test_definitions.h"

namespace tidemark::crd {
namespace {

using ::testing::Test;

TEST(DefinitionTest, WhatAVersionHas) {
  const absl::StatusOr<Definition> widgets = ParseDefinition(kWidgets);
  ASSERT_TRUE(widgets.ok()) << widgets.status();
  EXPECT_EQ(widgets->name, "widgets.shop.example.com");
  EXPECT_EQ(widgets->names.short_names, (std::vector<std::string>{"wd", "wdg"}));
  EXPECT_TRUE(widgets->established);
  EXPECT_TRUE(widgets->namespaced);
  EXPECT_FALSE(widgets->webhook);
  EXPECT_FALSE(widgets->keep_unknown_fields);
  ASSERT_EQ(widgets->versions.size(), 3u);
  const DefinitionVersion& v1 = widgets->StorageVersion();
  EXPECT_EQ(v1.name, "v1");
  EXPECT_TRUE(v1.has_status);
  EXPECT_EQ(v1.scale->spec_replicas, ".spec.replicas");
  ASSERT_EQ(v1.columns.size(), 2u);
  EXPECT_EQ(v1.columns[1].json_path, ".status.phase");
  EXPECT_EQ(v1.columns[1].priority, 1);
  EXPECT_EQ(v1.columns[1].description, "where it is");
  EXPECT_EQ(v1.columns[0].description, "Custom resource definition column (in JSONPath format): .spec.color");
  EXPECT_EQ(v1.selectable_fields, (std::vector<std::string>{"spec.color", "spec.size"}));
  EXPECT_EQ(widgets->DeprecationWarning(v1), "");
  EXPECT_EQ(widgets->DeprecationWarning(widgets->versions[1]),
            "shop.example.com/v1beta1 Widget is deprecated; use shop.example.com/v1 Widget");
  EXPECT_FALSE(widgets->versions[2].served);
}

TEST(DefinitionTest, SchemaOfAVersion) {
  const absl::StatusOr<Definition> regions = ParseDefinition(kRegions);
  ASSERT_TRUE(regions.ok()) << regions.status();
  EXPECT_FALSE(regions->namespaced);
  Json object = *ParseJson(R"({"spec":{"code":"a","other":1}})");
  regions->StorageVersion().schema.Prune(&object);
  ASSERT_TRUE(regions->StorageVersion().schema.ApplyDefaults(&object).ok());
  EXPECT_EQ(GoJson(object), R"({"spec":{"code":"a","kept":"given"}})");
}

TEST(DefinitionTest, AnOldOneKeepsAllAndHasNamesFromItsKind) {
  const absl::StatusOr<Definition> old = ParseDefinition(
      R"({"metadata":{"name":"a.g"},"spec":{"group":"g","names":{"plural":"as","kind":"A"},"preserveUnknownFields":true,
          "versions":[{"name":"v7","served":true,"storage":true,"subresources":{"status":{}},
                       "additionalPrinterColumns":[{"name":"X","type":"string","jsonPath":".x"}]}]},
          "status":{"conditions":[{"type":"Established","status":"False"}]}})");
  ASSERT_TRUE(old.ok()) << old.status();
  EXPECT_EQ(old->StorageVersion().name, "v7");
  EXPECT_TRUE(old->StorageVersion().served);
  EXPECT_TRUE(old->StorageVersion().has_status);
  EXPECT_EQ(old->StorageVersion().columns.size(), 1u);
  EXPECT_TRUE(old->keep_unknown_fields);
  EXPECT_FALSE(old->established);
  EXPECT_EQ(old->names.singular, "a");
  EXPECT_EQ(old->names.list_kind, "AList");
}

TEST(DefinitionTest, FormOfV1) {
  const absl::StatusOr<Definition> definition = ParseDefinition(
      R"({"apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"as.g"},"spec":{"group":"g","scope":"Cluster",
          "names":{"plural":"as","kind":"A"},"conversion":{"strategy":"Webhook"},
          "versions":[{"name":"v1","served":true,"storage":true,"deprecated":true,"deprecationWarning":"gone soon",
                       "additionalPrinterColumns":[{"name":"X","type":"string","jsonPath":".x"}]}]}})");
  ASSERT_TRUE(definition.ok()) << definition.status();
  EXPECT_TRUE(definition->webhook);
  EXPECT_FALSE(definition->keep_unknown_fields);
  EXPECT_EQ(definition->DeprecationWarning(definition->versions[0]), "gone soon");
  EXPECT_EQ(definition->versions[0].columns[0].json_path, ".x");
}

// A definition of one version, with what stands in it, in the spec and in the status.
std::string As(absl::string_view version, absl::string_view spec = "", absl::string_view status = "") {
  return absl::StrCat(
      R"({"metadata":{"name":"as.g","uid":"u"},"spec":{"group":"g","names":{"plural":"as","kind":"A"},)", spec,
      R"("versions":[{"name":"v1","storage":true,)", version, R"(}]},"status":{)", status, "}}");
}

constexpr char kNonStructural[] =
    R"("conditions":[{"type":"Established","status":"True"},{"type":"NonStructuralSchema","status":"True"}])";

TEST(DefinitionTest, SchemaTextIsOfWhatASchemaSays) {
  constexpr char kServed[] = R"("served":true,"schema":{"openAPIV3Schema":{"type":"object","x":[1.50]}})";
  constexpr char kText[] = R"({"type":"object","x":[1.5]})";
  constexpr char kNone[] = "null";
  const struct {
    const char* name;
    std::string definition;
    const char* expected;
  } rows[] = {
      {"a schema", As(kServed), kText},
      {"no schema", As(R"("served":true)"), kNone},
      {"a schema of nothing", As(R"("served":true,"schema":{})"), kNone},
      {"null", As(R"("served":true,"schema":{"openAPIV3Schema":null})"), kNone},
      {"an empty one", As(R"("served":true,"schema":{"openAPIV3Schema":{}})"), kNone},
      {"no object", As(R"("served":true,"schema":{"openAPIV3Schema":[{"type":"object"}]})"), kNone},
      {"not served", As(R"("served":false,"schema":{"openAPIV3Schema":{"type":"object"}})"), kNone},
      {"not structural", As(kServed, "", kNonStructural), kNone},
      {"structural again", As(kServed, "", R"("conditions":[{"type":"NonStructuralSchema","status":"False"}])"), kText},
      {"nobody knows whether it is structural",
       As(kServed, "", R"("conditions":[{"type":"NonStructuralSchema","status":"Unknown"}])"), kText},
      {"another condition", As(kServed, "", R"("conditions":[{"type":"Terminating","status":"True"}])"), kText},
      {"unknown fields stay", As(kServed, R"("preserveUnknownFields":true,)"), kNone},
      {"unknown fields do not stay", As(kServed, R"("preserveUnknownFields":false,)"), kText},
  };
  for (const auto& row : rows) {
    const absl::StatusOr<Definition> definition = ParseDefinition(row.definition);
    ASSERT_TRUE(definition.ok()) << row.name << definition.status();
    const auto& text = definition->StorageVersion().schema_text;
    EXPECT_EQ(text == nullptr ? kNone : *text, row.expected) << row.name;
    for (const config::Resource& resource : ResourcesOf(*definition).served) EXPECT_EQ(resource.schema, text);
  }
}

TEST(DefinitionTest, SchemaTextOfEachVersion) {
  const absl::StatusOr<Definition> widgets = ParseDefinition(kWidgets);
  ASSERT_TRUE(widgets.ok()) << widgets.status();
  ASSERT_NE(widgets->versions[0].schema_text, nullptr);
  ASSERT_NE(widgets->versions[1].schema_text, nullptr);
  EXPECT_NE(*widgets->versions[0].schema_text, *widgets->versions[1].schema_text);
  EXPECT_EQ(widgets->versions[2].schema_text, nullptr);  // it is not served
  const DefinitionResources rows = ResourcesOf(*widgets);
  EXPECT_EQ(rows.served[0].schema, widgets->versions[0].schema_text);
  EXPECT_EQ(rows.served[1].schema, widgets->versions[1].schema_text);
}

TEST(DefinitionTest, WhatIsNoDefinition) {
  for (const char* value : {"", "{", "[]", "{}", R"({"spec":{"group":"g","names":{"plural":"as","kind":"A"}}})",
                            R"({"spec":{"group":"g","versions":[{"name":"v1","storage":true}]}})"}) {
    EXPECT_FALSE(ParseDefinition(value).ok()) << value;
  }
}

TEST(DefinitionTest, FingerprintFollowsWhatIsServed) {
  const uint64_t before = ParseDefinition(kWidgets)->fingerprint;
  const auto with = [](absl::string_view from, absl::string_view to) {
    return ParseDefinition(absl::StrReplaceAll(kWidgets, {{from, to}}))->fingerprint;
  };
  EXPECT_EQ(before, with("\"no conflicts found\"", "\"none\""));
  EXPECT_EQ(before, with("\"generation\":1", "\"generation\":2"));
  EXPECT_NE(before, with("\"wdg\"", "\"wx\""));
  EXPECT_NE(before, with("\"type\":\"NamesAccepted\"", "\"type\":\"NonStructuralSchema\""));
  EXPECT_NE(before, with("InitialNamesAccepted\",\"status\":\"True\"", "InitialNamesAccepted\",\"status\":\"False\""));
}

TEST(DefinitionResourcesTest, OneRowForEachServedVersion) {
  const DefinitionResources rows =
      ResourcesOf(*ParseDefinition(absl::StrReplaceAll(kWidgets, {{"WidgetList", "Widgets"}})));
  EXPECT_EQ(rows.served[0].list_kind, "Widgets");
  ASSERT_EQ(rows.served.size(), 2u);
  EXPECT_EQ(rows.mirrored.version, "v1");
  EXPECT_EQ(rows.mirrored.prefix, "shop.example.com/widgets");
  EXPECT_EQ(rows.mirrored.fields.size(), 3u);
  EXPECT_EQ(rows.served[0].version, "v1");
  EXPECT_EQ(rows.served[0].fields.size(), 2u);
  EXPECT_EQ(rows.served[0].subresources.size(), 2u);
  EXPECT_EQ(rows.served[1].version, "v1beta1");
  EXPECT_EQ(rows.served[1].fields.size(), 2u);
  EXPECT_EQ(rows.served[1].subresources.size(), 1u);
  EXPECT_NE(rows.served[1].warning, "");
  const config::ObjectColumns& columns = *rows.served[0].object_columns;
  EXPECT_EQ(columns.columns().size(), 3u);
  std::string cells;
  const char* const object = R"({"metadata":{"name":"w"},"spec":{"color":"red"},"status":{"phase":"Ready"}})";
  ASSERT_TRUE(columns.AppendCells(object, absl::UnixEpoch(), &cells).ok());
  EXPECT_EQ(cells, R"("w","red","Ready")");
  EXPECT_EQ(rows.served[1].object_columns->columns()[1].name, "Age");
  cells.clear();
  const char* const scale = R"({"metadata":{"name":"w"},"spec":{},"status":{"replicas":2}})";
  ASSERT_TRUE(rows.served[0].scale_columns->AppendCells(scale, absl::UnixEpoch(), &cells).ok());
  EXPECT_EQ(cells, R"("w",null,2,null)");
  EXPECT_EQ(rows.served[1].scale_columns, nullptr);
}

class DefinitionFormsTest : public Test {
 protected:
  explicit DefinitionFormsTest(absl::string_view definition = kWidgets)
      : forms_(DefinitionForms::Make(*ParseDefinition(definition))),
        v1_(forms_->Form(forms_->definition().versions[0])),
        v1beta1_(forms_->Form(forms_->definition().versions[1])) {}

  std::string Decoded(absl::string_view value) const {
    const absl::StatusOr<std::string> decoded = v1_->Decode(value);
    return decoded.ok() ? *decoded : std::string(decoded.status().message());
  }

  const std::shared_ptr<DefinitionForms> forms_;
  const std::shared_ptr<const config::ObjectForm> v1_;
  const std::shared_ptr<const config::ObjectForm> v1beta1_;
};

TEST_F(DefinitionFormsTest, DecodePrunesAndRepairs) {
  EXPECT_EQ(Decoded(R"({"kind":"Widget","apiVersion":"shop.example.com/v1","extra":1,"spec":{"color":"n<","size":2.50,)"
                    R"("more":[1,null]},"status":{"phase":"a","more":1},"metadata":{"name":"w","x":1}})"),
            R"({"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"generation":1,"name":"w"},)"
            R"("spec":{"color":"n\u003c","more":[1,null],"size":2.5},"status":{"phase":"a"}})");
  EXPECT_FALSE(v1_->Converts());
  EXPECT_TRUE(v1beta1_->Converts());  // it prunes otherwise
}

TEST_F(DefinitionFormsTest, DecodeUsesTheObjectsOwnVersion) {
  // v1beta1 keeps all of the status, v1 does not.
  const std::string decoded = Decoded(
      R"({"apiVersion":"shop.example.com/v1beta1","kind":"Widget","metadata":{"name":"w"},"status":{"more":1}})");
  EXPECT_EQ(decoded,
            R"({"apiVersion":"shop.example.com/v1beta1","kind":"Widget","metadata":{"generation":1,"name":"w"},)"
            R"("status":{"more":1}})");
  EXPECT_TRUE(v1_->Converts());
  EXPECT_EQ(v1_->Serve(decoded).value(), R"({"metadata":{"generation":1,"name":"w"},"status":{}})");
  EXPECT_EQ(v1beta1_->Serve(decoded).value(), R"({"metadata":{"generation":1,"name":"w"},"status":{"more":1}})");
}

TEST_F(DefinitionFormsTest, AnOldValueThatLooksTheSameInTheStoredVersionConvertsNothing) {
  const std::string decoded = Decoded(
      R"({"apiVersion":"shop.example.com/v1beta1","kind":"Widget","metadata":{"name":"w"},"status":{"phase":"a"}})");
  EXPECT_FALSE(v1_->Converts());
  EXPECT_EQ(v1_->Serve(decoded).value(), R"({"metadata":{"generation":1,"name":"w"},"status":{"phase":"a"}})");
  Decoded(R"({"apiVersion":"shop.example.com/v1beta1","kind":"Widget","metadata":{"name":"w"},"status":{"more":1}})");
  EXPECT_TRUE(v1_->Converts());
}

TEST_F(DefinitionFormsTest, WhatCannotBeDecodedSaysWhy) {
  EXPECT_EQ(Decoded(R"({"apiVersion":"shop.example.com/v9","kind":"Widget"})"),
            "request to convert CR from an invalid group/version: shop.example.com/v9");
  EXPECT_EQ(Decoded(R"({"apiVersion":"shop.example.com/v1"})"), "Object 'Kind' is missing");
  EXPECT_EQ(Decoded("[1]"), "it is not a JSON object");
  EXPECT_EQ(Decoded("{"), "it is not valid JSON");
  EXPECT_EQ(Decoded(std::string(2000, '[')), "it is nested too deeply");
}

TEST(DefinitionFormsLimitTest, WhatDefaultsAddTooMuchToIsNotDecoded) {
  std::string list = R"({"type":"object","properties":{}})";
  for (int i = 0; i < 6; ++i) {
    list = absl::StrCat(R"({"default":[{},{},{},{},{},{},{},{},{},{}],"items":{"properties":{"a":)", list, "}}}");
  }
  const std::string definition =
      absl::StrReplaceAll(kWidgets, {{R"("phase":{"type":"string"})", absl::StrCat(R"("phase":)", list)}});
  const std::shared_ptr<DefinitionForms> forms = DefinitionForms::Make(*ParseDefinition(definition));
  constexpr char kHead[] = R"({"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w"})";
  EXPECT_TRUE(forms->Decode(absl::StrCat(kHead, "}")).ok());
  EXPECT_EQ(forms->Decode(absl::StrCat(kHead, R"(,"status":{}})")).status().message(),
            "the defaults of its schema add more than 100000 values");
}

TEST_F(DefinitionFormsTest, ScaleInTheVersionThatHasIt) {
  const char* const object = R"({"metadata":{"name":"w"},"spec":{"replicas":2}})";
  EXPECT_TRUE(v1_->Scale(object).ok());
  EXPECT_FALSE(v1beta1_->Scale(object).ok());
}

class WebhookFormsTest : public DefinitionFormsTest {
 protected:
  WebhookFormsTest()
      : DefinitionFormsTest(absl::StrReplaceAll(kWidgets, {{R"("strategy":"None")", R"("strategy":"Webhook")"}})) {}
};

TEST_F(WebhookFormsTest, OnlyTheStoredVersionIsServed) {
  EXPECT_TRUE(v1_->Servable().ok());
  EXPECT_EQ(v1beta1_->Servable().message(),
            "conversion webhook for shop.example.com/v1, Kind=Widget failed: this server calls no webhooks; ask for "
            "shop.example.com/v1, in which objects are stored");
  EXPECT_FALSE(v1beta1_->Serve("{}").ok());
  EXPECT_EQ(
      Decoded(R"({"apiVersion":"shop.example.com/v1beta1","kind":"Widget","metadata":{}})"),
      "conversion webhook for shop.example.com/v1beta1, Kind=Widget failed: this server calls no webhooks; ask for "
      "shop.example.com/v1, in which objects are stored");
}

}  // namespace
}  // namespace tidemark::crd
