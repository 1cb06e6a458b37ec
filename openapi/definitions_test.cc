#include "openapi/definitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "config/resource.h"
#include "crd/json_tree.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

absl::Span<const DefinitionRow> Rows() { return {kDefinitionRows, kDefinitionRowCount}; }
absl::Span<const KindRow> Kinds() { return {kKindRows, kKindRowCount}; }

std::string NameOf(const DefinitionRow* row) { return row == nullptr ? "none" : row->name; }

// Adds the names of the schemas that `value` refers to. A property may be called "$ref", but has a schema, no text.
void AddReferences(const Json& value, std::set<std::string>* names) {
  for (auto it = value.begin(); value.is_structured() && it != value.end(); ++it) {
    if (value.is_object() && it.key() == "$ref" && it->is_string()) {
      absl::string_view name = it->get_ref<const std::string&>();
      EXPECT_TRUE(absl::ConsumePrefix(&name, kReferencePrefix)) << name;
      names->emplace(name);
    }
    AddReferences(*it, names);
  }
}

std::set<std::string> ReferencesIn(absl::string_view json) {
  const absl::StatusOr<Json> schema = crd::ParseJson(json);
  EXPECT_TRUE(schema.ok()) << json;
  std::set<std::string> names;
  if (schema.ok()) AddReferences(*schema, &names);
  return names;
}

TEST(DefinitionsTest, ByName) {
  const struct {
    const char* name;
    const char* sought;
    bool found;
  } rows[] = {
      {"one in the middle", "io.k8s.api.apps.v1.Deployment", true},
      {"one of all objects", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", true},
      {"before the first", "A", false},
      {"nothing", "", false},
      {"after the last", "z", false},
      {"the beginning of one", "io.k8s.api.apps.v1.Deploymen", false},
      {"one with more behind it", "io.k8s.api.apps.v1.Deployment2", false},
      {"another case", "io.k8s.api.apps.v1.deployment", false},
      {"a reference", "#/components/schemas/io.k8s.api.apps.v1.Deployment", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(NameOf(FindDefinition(row.sought)), row.found ? row.sought : "none") << row.name;
  }
  EXPECT_NE(FindDefinition(kObjectMeta), nullptr);
  EXPECT_NE(FindDefinition(kListMeta), nullptr);
}

TEST(DefinitionsTest, ByKind) {
  const struct {
    const char* name;
    const char* group;
    const char* version;
    const char* kind;
    const char* expected;
  } rows[] = {
      {"core", "", "v1", "Pod", "io.k8s.api.core.v1.Pod"},
      {"a list", "", "v1", "PodList", "io.k8s.api.core.v1.PodList"},
      {"a group", "apps", "v1", "Deployment", "io.k8s.api.apps.v1.Deployment"},
      {"a group with points", "rbac.authorization.k8s.io", "v1", "Role", "io.k8s.api.rbac.v1.Role"},
      {"an aggregator's", "apiregistration.k8s.io", "v1", "APIService",
       "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService"},
      {"two groups' events", "", "v1", "Event", "io.k8s.api.core.v1.Event"},
      {"two groups' events, the other", "events.k8s.io", "v1", "Event", "io.k8s.api.events.v1.Event"},
      {"what each group has, in core", "", "v1", "DeleteOptions", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"},
      {"what each group has, in another", "apps", "v1", "DeleteOptions", "none"},
      {"another version", "apps", "v2", "Deployment", "none"},
      {"another group", "", "v1", "Deployment", "none"},
      {"no object", "", "v1", "PodSpec", "none"},
      {"before the first", "", "", "", "none"},
      {"after the last", "z", "v1", "Z", "none"},
  };
  for (const auto& row : rows) EXPECT_EQ(NameOf(FindKind(row.group, row.version, row.kind)), row.expected) << row.name;
}

TEST(DefinitionsTest, EveryRowIsFound) {
  ASSERT_GT(Rows().size(), 500u);
  for (size_t i = 0; i < Rows().size(); ++i) {
    EXPECT_EQ(FindDefinition(Rows()[i].name), &Rows()[i]) << Rows()[i].name;
    if (i == 0) continue;
    EXPECT_LT(absl::string_view(Rows()[i - 1].name), Rows()[i].name);
  }
}

TEST(DefinitionsTest, EveryKindIsFoundAndItsSchemaSaysTheSame) {
  const auto key = [](const KindRow& row) {
    return std::tuple<std::string, std::string, std::string>(row.group, row.version, row.kind);
  };
  ASSERT_GT(Kinds().size(), 100u);
  for (size_t i = 0; i < Kinds().size(); ++i) {
    const KindRow& kind = Kinds()[i];
    EXPECT_TRUE(i == 0 || key(Kinds()[i - 1]) < key(kind)) << kind.kind;
    const DefinitionRow* const row = FindKind(kind.group, kind.version, kind.kind);
    ASSERT_LT(kind.definition, Rows().size()) << kind.kind;
    ASSERT_EQ(row, &Rows()[kind.definition]) << kind.kind;
    const Json schema = crd::ParseJson(row->json).value();
    const Json own = {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
    const Json* const kinds = crd::Member(schema, "x-kubernetes-group-version-kind");
    ASSERT_NE(kinds, nullptr) << row->name;
    EXPECT_NE(std::find(kinds->begin(), kinds->end(), own), kinds->end()) << row->name;
  }
}

TEST(DefinitionsTest, EveryBuiltinResourceHasADefinitionAndSoHasItsList) {
  std::vector<config::Resource> resources = config::OtherVersions(config::BuiltinResources());
  resources.insert(resources.end(), config::BuiltinResources().begin(), config::BuiltinResources().end());
  resources.insert(resources.end(), config::UnstoredResources().begin(), config::UnstoredResources().end());
  for (const config::Resource& resource : resources) {
    EXPECT_NE(FindKind(resource.group, resource.version, resource.kind), nullptr) << resource.GroupResource();
    if (!resource.Has("list")) continue;
    EXPECT_NE(FindKind(resource.group, resource.version, resource.ListKind()), nullptr) << resource.GroupResource();
  }
}

TEST(DefinitionsTest, ReferencesAreThoseOfTheSchema) {
  for (const DefinitionRow& row : Rows()) {
    std::vector<std::string> names;
    for (const uint16_t number : absl::MakeConstSpan(kReferences + row.first_reference, row.references)) {
      ASSERT_LT(number, Rows().size()) << row.name;
      names.emplace_back(Rows()[number].name);
    }
    const std::set<std::string> expected = ReferencesIn(row.json);
    EXPECT_EQ(names, std::vector<std::string>(expected.begin(), expected.end())) << row.name;
  }
}

void ExpectNoDescription(const Json& value, const std::string& place) {
  for (auto it = value.begin(); value.is_structured() && it != value.end(); ++it) {
    const std::string at = value.is_object() ? absl::StrCat(place, ".", it.key()) : absl::StrCat(place, "[]");
    EXPECT_TRUE(!value.is_object() || it.key() != "description" || it->is_object()) << at;
    ExpectNoDescription(*it, at);
  }
}

TEST(DefinitionsTest, NothingIsDescribedButDescriptionsMayBeProperties) {
  for (const DefinitionRow& row : Rows()) ExpectNoDescription(crd::ParseJson(row.json).value(), row.name);
  const DefinitionRow* const schema = FindKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
  ASSERT_NE(schema, nullptr);
  Schemas schemas;
  AddWithReferences(*schema, &schemas);
  const Json column = crd::ParseJson(schemas["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
                                             "CustomResourceColumnDefinition"])
                          .value();
  EXPECT_EQ(column["properties"]["description"], Json({{"type", "string"}}));
}

std::set<std::string> NamesOf(const Schemas& schemas) {
  std::set<std::string> names;
  for (const auto& [name, schema] : schemas) names.insert(name);
  return names;
}

TEST(DefinitionsTest, WhatRefersToItselfIsAddedOnce) {
  constexpr char kPackage[] = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";
  const DefinitionRow* const props = FindDefinition(absl::StrCat(kPackage, "JSONSchemaProps"));
  ASSERT_NE(props, nullptr);
  EXPECT_TRUE(ReferencesIn(props->json).contains(props->name));
  Schemas schemas;
  AddWithReferences(*props, &schemas);
  std::set<std::string> expected;
  for (const char* kind : {"ExternalDocumentation", "JSON", "JSONSchemaProps", "JSONSchemaPropsOrArray",
                           "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray", "ValidationRule"}) {
    expected.insert(absl::StrCat(kPackage, kind));
  }
  EXPECT_EQ(NamesOf(schemas), expected);
  EXPECT_EQ(schemas[props->name], props->json);
}

TEST(DefinitionsTest, AllThatIsReferredToIsAddedAndNothingElse) {
  for (const char* name : {"io.k8s.api.apps.v1.Deployment", "io.k8s.api.core.v1.PodList", "io.k8s.api.core.v1.Binding",
                           "io.k8s.apimachinery.pkg.apis.meta.v1.Patch"}) {
    const DefinitionRow* const row = FindDefinition(name);
    ASSERT_NE(row, nullptr) << name;
    Schemas schemas;
    AddWithReferences(*row, &schemas);
    std::set<std::string> referred = {name};
    for (const auto& [schema_name, json] : schemas) {
      EXPECT_EQ(json, FindDefinition(schema_name)->json) << schema_name;
      referred.merge(ReferencesIn(json));
    }
    EXPECT_EQ(NamesOf(schemas), referred) << name;
  }
}

TEST(DefinitionsTest, WhatIsThereAlreadyStays) {
  const DefinitionRow* const binding = FindKind("", "v1", "Binding");
  ASSERT_NE(binding, nullptr);
  Schemas schemas = {{"com.example.v1.Other", "{}"}, {std::string(kObjectMeta), "known"}};
  AddWithReferences(*binding, &schemas);
  EXPECT_EQ(schemas[std::string(kObjectMeta)], "known");
  EXPECT_EQ(schemas["com.example.v1.Other"], "{}");
  EXPECT_TRUE(schemas.contains("io.k8s.api.core.v1.ObjectReference"));
}

}  // namespace
}  // namespace tidemark::openapi
