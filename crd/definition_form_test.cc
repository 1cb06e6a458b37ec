#include "crd/definition_form.h"

#include <gtest/gtest.h>

#include "crd/definition.h"
#include "crd/test_definitions.h"

namespace tidemark::crd {
namespace {

TEST(DefinitionFormTest, SharedMembersMoveIntoTheVersions) {
  EXPECT_EQ(
      MakeDefinitionForm()
          ->Decode(
              R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1","metadata":{"name":"n"},)"
              R"("spec":{"group":"g","version":"v1","names":{"plural":"as","kind":"A"},"scope":"Cluster",)"
              R"("validation":{"openAPIV3Schema":{"type":"object"}},"subresources":{"status":{}},)"
              R"("versions":[{"name":"v1","served":true,"storage":true}],)"
              R"("additionalPrinterColumns":[{"name":"X","type":"string","JSONPath":".x<"}],)"
              R"("conversion":{"strategy":"Webhook","webhookClientConfig":{"url":"u"},"conversionReviewVersions":["v1"]},)"
              R"("preserveUnknownFields":false}})")
          .value(),
      R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"n"},)"
      R"("spec":{"group":"g","names":{"plural":"as","kind":"A"},"scope":"Cluster",)"
      R"("versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},)"
      R"("subresources":{"status":{}},"additionalPrinterColumns":[{"name":"X","type":"string","jsonPath":".x\u003c"}]}],)"
      R"("conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"u"},"conversionReviewVersions":["v1"]}}}})");
}

TEST(DefinitionFormTest, WhatIsReadFromItIsTheSame) {
  for (const absl::string_view stored : {kWidgets, kRegions}) {
    const absl::StatusOr<Definition> before = ParseDefinition(stored);
    const absl::StatusOr<Definition> after = ParseDefinition(MakeDefinitionForm()->Decode(stored).value());
    ASSERT_TRUE(after.ok()) << after.status();
    EXPECT_EQ(after->keep_unknown_fields, before->keep_unknown_fields);
    EXPECT_EQ(after->versions.size(), before->versions.size());
    EXPECT_EQ(after->StorageVersion().columns.size(), before->StorageVersion().columns.size());
    EXPECT_TRUE(after->StorageVersion().schema.PrunesLike(before->StorageVersion().schema));
  }
}

TEST(DefinitionFormTest, V1StaysAsItIs) {
  EXPECT_EQ(MakeDefinitionForm()->Decode(R"({"apiVersion": "apiextensions.k8s.io/v1"})").value(),
            R"({"apiVersion": "apiextensions.k8s.io/v1"})");
  EXPECT_FALSE(MakeDefinitionForm()->Decode(R"({"apiVersion":"apiextensions.k8s.io/v1beta1")").ok());
}

}  // namespace
}  // namespace tidemark::crd
