#include <algorithm>

#include "config/resource.h"
#include "gtest/gtest.h"

namespace tidemark::config {
namespace {

TEST(OtherVersionsTest, EventsAndAutoscalers) {
  const std::vector<Resource> others = OtherVersions(BuiltinResources());
  ASSERT_EQ(others.size(), 2U);
  const Resource& event = others[0];
  EXPECT_EQ(event.ApiVersion(), "events.k8s.io/v1");
  EXPECT_EQ(event.StoredApiVersion(), "v1");
  EXPECT_EQ(event.MirrorGroup(), "");
  EXPECT_EQ(event.prefix, "events");
  EXPECT_EQ(event.short_names, std::vector<std::string>{"ev"});
  EXPECT_EQ(event.unknown_field_error, UnknownFieldError::kNotSupported);
  const Resource& autoscaler = others[1];
  EXPECT_EQ(autoscaler.ApiVersion(), "autoscaling/v1");
  EXPECT_EQ(autoscaler.StoredApiVersion(), "autoscaling/v2");
  EXPECT_EQ(autoscaler.MirrorGroup(), "autoscaling");
  EXPECT_EQ(autoscaler.subresources.size(), 1U);
}

TEST(OtherVersionsTest, WhatTheySelectLiesInTheMirroredObjects) {
  const std::vector<Resource>& table = BuiltinResources();
  for (const Resource& other : OtherVersions(table)) {
    const auto row = std::find_if(table.begin(), table.end(), [&other](const Resource& mirrored) {
      return mirrored.group == other.MirrorGroup() && mirrored.plural == other.plural;
    });
    ASSERT_NE(row, table.end()) << other.GroupResource();
    EXPECT_EQ(row->StoredApiVersion(), other.StoredApiVersion());
    for (const SelectableField& field : other.fields) {
      const auto known =
          std::find_if(row->fields.begin(), row->fields.end(), [&field](const SelectableField& declared) {
            return declared.path == field.path && declared.indexed == field.indexed;
          });
      EXPECT_NE(known, row->fields.end()) << other.GroupResource() << " " << field.name;
    }
  }
}

TEST(OtherVersionsTest, OnlyOfWhatIsMirroredAndBuiltIn) {
  EXPECT_TRUE(OtherVersions({}).empty());
  std::vector<Resource> mirrored;
  for (const Resource& row : BuiltinResources()) {
    if (row.GroupResource() == "events" || row.GroupResource() == "pods") mirrored.push_back(row);
  }
  EXPECT_EQ(OtherVersions(mirrored).size(), 1U);
  for (Resource& row : mirrored) row.custom = true;
  EXPECT_TRUE(OtherVersions(mirrored).empty()) << "a definition has taken the place of the events";
}

TEST(OtherVersionsTest, AVersionThatIsStoredUnderAnotherName) {
  for (const Resource& row : BuiltinResources()) {
    const bool beta = row.kind == "MutatingAdmissionPolicy" || row.kind == "MutatingAdmissionPolicyBinding";
    EXPECT_EQ(row.StoredApiVersion(), beta ? "admissionregistration.k8s.io/v1beta1" : row.ApiVersion());
    EXPECT_EQ(row.MirrorGroup(), row.group);
    EXPECT_TRUE(!beta || row.version == "v1") << row.kind;
  }
}

}  // namespace
}  // namespace tidemark::config
