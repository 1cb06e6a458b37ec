#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "config/resource.h"
#include "gtest/gtest.h"
#include "http/discovery.h"
#include "http/router.h"

namespace tidemark::http {
namespace {

// What is mirrored, and what is served besides.
class OtherVersionsHttpTest : public testing::Test {
 protected:
  OtherVersionsHttpTest() : others_(config::OtherVersions(config::BuiltinResources())) {
    for (const config::Resource& row : config::BuiltinResources()) rows_.push_back(&row);
    for (const config::Resource& row : others_) rows_.push_back(&row);
  }

  const std::vector<config::Resource> others_;
  std::vector<const config::Resource*> rows_;
};

TEST_F(OtherVersionsHttpTest, EachHasItsPath) {
  const Router router(rows_);
  struct PathRow {
    const char* path;
    const char* api_version;
    const char* stored;
  };
  const PathRow rows[] = {
      {"/api/v1/namespaces/a/events", "v1", "v1"},
      {"/apis/events.k8s.io/v1/namespaces/a/events/b", "events.k8s.io/v1", "v1"},
      {"/apis/autoscaling/v1/horizontalpodautoscalers", "autoscaling/v1", "autoscaling/v2"},
      {"/apis/autoscaling/v2/horizontalpodautoscalers", "autoscaling/v2", "autoscaling/v2"},
      {"/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies", "admissionregistration.k8s.io/v1",
       "admissionregistration.k8s.io/v1beta1"},
  };
  for (const PathRow& row : rows) {
    const Route route = router.Find(row.path);
    ASSERT_NE(route.resource, nullptr) << row.path;
    EXPECT_EQ(route.resource->ApiVersion(), row.api_version) << row.path;
    EXPECT_EQ(route.resource->StoredApiVersion(), row.stored) << row.path;
  }
  EXPECT_EQ(router.Find("/apis/events.k8s.io/v1beta1/events").resource, nullptr);
  EXPECT_EQ(router.Find("/apis/admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies").resource, nullptr);
}

TEST_F(OtherVersionsHttpTest, DiscoveryNamesThemAndPrefersTheNewest) {
  const Discovery discovery(rows_);
  const Discovery::Document* const autoscaling = discovery.Group("autoscaling");
  ASSERT_NE(autoscaling, nullptr);
  EXPECT_EQ(autoscaling->json,
            R"({"kind":"APIGroup","apiVersion":"v1","name":"autoscaling","versions":[)"
            R"({"groupVersion":"autoscaling/v2","version":"v2"},{"groupVersion":"autoscaling/v1","version":"v1"}],)"
            R"("preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"}})");
  const Discovery::Document* const events = discovery.GroupVersion("events.k8s.io", "v1");
  ASSERT_NE(events, nullptr);
  EXPECT_EQ(events->json,
            R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"events.k8s.io/v1","resources":[)"
            R"({"name":"events","singularName":"event","namespaced":true,"kind":"Event",)"
            R"("verbs":["get","list","watch"],"shortNames":["ev"]}]})");
  const Discovery::Document* const admission = discovery.Group("admissionregistration.k8s.io");
  ASSERT_NE(admission, nullptr);
  EXPECT_FALSE(absl::StrContains(admission->json, "v1beta1")) << admission->json;
}

}  // namespace
}  // namespace tidemark::http
