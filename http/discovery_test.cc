#include "http/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidemark::http {
namespace {

std::vector<const config::Resource*> Pointers(const std::vector<config::Resource>& resources) {
  std::vector<const config::Resource*> pointers;
  for (const config::Resource& resource : resources) pointers.push_back(&resource);
  return pointers;
}

TEST(DiscoveryTest, VersionsInKubernetesOrder) {
  std::vector<config::Resource> resources;
  for (const std::string version : {"v1beta1", "v10", "foo", "v1", "v2beta1", "v2", "v1alpha1", "v1beta2"}) {
    resources.push_back({.group = "g", .version = version, .kind = "K", .plural = "things"});
  }
  const Discovery discovery(Pointers(resources));
  std::string order;
  const std::string& json = discovery.Group("g")->json;
  for (size_t at = json.find("\"version\":\""); at != std::string::npos; at = json.find("\"version\":\"", at + 1)) {
    order += json.substr(at + 11, json.find('"', at + 11) - at - 11) + " ";
  }
  EXPECT_EQ(order, "v10 v2 v1 v2beta1 v1beta2 v1beta1 v1alpha1 foo v10 ");  // and the preferred one again
}

TEST(DiscoveryTest, GroupsInKubeApiserversOrderThenByName) {
  std::vector<config::Resource> resources;
  for (const std::string group : {"z.example.com", "a.example.com", "batch", "apps", "apiregistration.k8s.io"}) {
    resources.push_back({.group = group, .version = "v1", .kind = "K", .plural = "things"});
  }
  const Discovery discovery(Pointers(resources));
  std::string order;
  const std::string& json = discovery.groups().json;
  for (size_t at = json.find("{\"name\":\""); at != std::string::npos; at = json.find("{\"name\":\"", at + 1)) {
    order += json.substr(at + 9, json.find('"', at + 9) - at - 9) + " ";
  }
  EXPECT_EQ(order, "apiregistration.k8s.io apps batch a.example.com z.example.com ");
}

TEST(DiscoveryTest, TheCoreGroupIsThereWithoutResources) {
  const Discovery discovery({});
  EXPECT_EQ(discovery.GroupVersion("", "v1")->json, R"({"kind":"APIResourceList","groupVersion":"v1","resources":[]})");
  EXPECT_EQ(discovery.Group("apps"), nullptr);
  EXPECT_EQ(discovery.GroupVersion("apps", "v1"), nullptr);
  EXPECT_THAT(discovery.groups().json, testing::HasSubstr("\"groups\":[]"));
}

TEST(DiscoveryTest, WhatCanOnlyBeCreatedLeavesItsGroupAndVersion) {
  const std::vector<config::Resource> resources = {
      {.group = "g", .version = "v1", .kind = "Review", .plural = "reviews", .verbs = {}},
      {.version = "v1", .kind = "Health", .plural = "healths", .singular = "health", .verbs = {"get", "list"}}};
  const Discovery discovery(Pointers(resources));
  EXPECT_THAT(discovery.groups().json, testing::HasSubstr(R"({"name":"g","versions":[{"groupVersion":"g/v1")"));
  EXPECT_THAT(discovery.groups_aggregated().json, testing::HasSubstr(R"({"version":"v1","resources":[],"freshness")"));
  EXPECT_THAT(discovery.GroupVersion("g", "v1")->json, testing::HasSubstr("\"resources\":[]"));
  EXPECT_THAT(discovery.GroupVersion("", "v1")->json, testing::HasSubstr(R"("kind":"Health","verbs":["get","list"])"));
}

TEST(DiscoveryTest, ETagFollowsTheContent) {
  const std::vector<config::Resource> one = {{.group = "g", .version = "v1", .kind = "K", .plural = "things"}};
  const std::vector<config::Resource> other = {{.group = "g", .version = "v1", .kind = "K", .plural = "others"}};
  const std::string etag = Discovery(Pointers(one)).groups_aggregated().etag;
  EXPECT_EQ(Discovery(Pointers(one)).groups_aggregated().etag, etag);
  EXPECT_NE(Discovery(Pointers(other)).groups_aggregated().etag, etag);
}

}  // namespace
}  // namespace tidemark::http
