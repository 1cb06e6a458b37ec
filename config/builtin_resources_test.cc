#include <algorithm>
#include <set>
#include <tuple>

#include "config/resource.h"
#include "gtest/gtest.h"

namespace tidemark::config {
namespace {

const Resource& Row(const std::string& name) {
  for (const Resource& resource : BuiltinResources()) {
    if (resource.GroupResource() == name) return resource;
  }
  ADD_FAILURE() << "no " << name;
  return BuiltinResources()[0];
}

std::vector<std::string> FieldNames(const Resource& resource) {
  std::vector<std::string> names;
  for (const SelectableField& field : resource.fields) names.push_back(field.name);
  return names;
}

TEST(BuiltinResourcesTest, SortedByGroupThenPluralWithoutDoubles) {
  const auto& table = BuiltinResources();
  EXPECT_EQ(table.size(), 58U);
  for (size_t i = 1; i < table.size(); ++i) {
    EXPECT_LT(std::tie(table[i - 1].group, table[i - 1].plural), std::tie(table[i].group, table[i].plural));
  }
}

TEST(BuiltinResourcesTest, NoPrefixIsTwiceOrContainsAnother) {
  for (const Resource& a : BuiltinResources()) {
    for (const Resource& b : BuiltinResources()) {
      if (&a == &b) continue;
      EXPECT_NE((b.prefix + "/").substr(0, a.prefix.size() + 1), a.prefix + "/") << a.plural << " " << b.plural;
    }
  }
}

TEST(BuiltinResourcesTest, ShortNamesAreUnambiguousInAGroup) {
  std::set<std::string> names;
  for (const Resource& resource : BuiltinResources()) {
    for (const std::string& name : resource.short_names) EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(BuiltinResourcesTest, OddPrefixes) {
  EXPECT_EQ(Row("nodes").prefix, "minions");
  EXPECT_EQ(Row("services").prefix, "services/specs");
  EXPECT_EQ(Row("endpoints").prefix, "services/endpoints");
  EXPECT_EQ(Row("replicationcontrollers").prefix, "controllers");
  EXPECT_EQ(Row("ingresses.networking.k8s.io").prefix, "ingress");
  EXPECT_EQ(Row("customresourcedefinitions.apiextensions.k8s.io").prefix,
            "apiextensions.k8s.io/customresourcedefinitions");
}

TEST(BuiltinResourcesTest, NamesOfAPod) {
  const Resource& pod = Row("pods");
  EXPECT_EQ(pod.ApiVersion(), "v1");
  EXPECT_EQ(pod.kind, "Pod");
  EXPECT_EQ(pod.singular, "pod");
  EXPECT_EQ(pod.short_names, std::vector<std::string>{"po"});
  EXPECT_EQ(pod.categories, std::vector<std::string>{"all"});
  EXPECT_TRUE(pod.namespaced);
  EXPECT_EQ(pod.subresources.size(), 10U);
  EXPECT_FALSE(Row("nodes").namespaced);
  EXPECT_EQ(Row("deployments.apps").ApiVersion(), "apps/v1");
}

TEST(BuiltinResourcesTest, FieldsOfEachKind) {
  EXPECT_EQ(FieldNames(Row("pods")),
            (std::vector<std::string>{"spec.nodeName", "spec.host", "spec.restartPolicy", "spec.schedulerName",
                                      "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP",
                                      "status.podIPs", "status.nominatedNodeName"}));
  EXPECT_EQ(Row("pods").fields[1].path, "spec.nodeName");
  EXPECT_EQ(Row("pods").fields[5].absent, "false");
  EXPECT_EQ(Row("pods").fields[8].path, "");
  EXPECT_EQ(FieldNames(Row("jobs.batch")), std::vector<std::string>{"status.successful"});
  EXPECT_EQ(Row("jobs.batch").fields[0].path, "status.succeeded");
  EXPECT_EQ(Row("jobs.batch").unknown_field_error, UnknownFieldError::kForKind);
  EXPECT_EQ(Row("resourceslices.resource.k8s.io").unknown_field_error, UnknownFieldError::kForGroupKind);
  EXPECT_EQ(Row("secrets").unknown_field_error, UnknownFieldError::kNotSupported);
  EXPECT_TRUE(Row("replicasets.apps").fields.empty());
  EXPECT_EQ(Row("replicasets.apps").unknown_field_error, UnknownFieldError::kNotKnown);
  EXPECT_EQ(Row("events").fields.size(), 11U);
}

}  // namespace
}  // namespace tidemark::config
