#include "http/router.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tidemark::http {
namespace {

using Kind = Route::Kind;

const std::vector<config::Resource>& Resources() {
  static const std::vector<config::Resource> resources = {
      {.version = "v1", .kind = "ConfigMap", .plural = "configmaps"},
      {.version = "v1",
       .kind = "Namespace",
       .plural = "namespaces",
       .namespaced = false,
       .subresources = {{"status", "Namespace", {"get", "patch"}}, {"finalize", "Namespace", {"update"}}}},
      {.version = "v1", .kind = "Node", .plural = "nodes", .namespaced = false},
      {.version = "v1",
       .kind = "Pod",
       .plural = "pods",
       .subresources = {{"status", "Pod", {"get", "patch"}},
                        {"log", "Pod", {"get"}},
                        {"eviction", "Eviction", {"create"}}}},
      {.group = "apps",
       .version = "v1",
       .kind = "Deployment",
       .plural = "deployments",
       .subresources = {{"scale", "Scale", {"get"}}, {"status", "Deployment", {"get"}}}},
      {.group = "shop.example.com", .version = "v1", .kind = "Widget", .plural = "widgets", .custom = true},
      {.version = "v1", .kind = "Binding", .plural = "bindings", .verbs = {}},
      {.group = "authorization.k8s.io",
       .version = "v1",
       .kind = "SubjectAccessReview",
       .plural = "subjectaccessreviews",
       .namespaced = false,
       .verbs = {}},
  };
  return resources;
}

const Router& TestRouter() {
  static const Router router = [] {
    std::vector<const config::Resource*> pointers;
    for (const config::Resource& resource : Resources()) pointers.push_back(&resource);
    return Router(pointers);
  }();
  return router;
}

// "pods ns/name/sub", for a table that reads like the paths.
std::string Text(const Route& route) {
  if (route.resource == nullptr)
    return absl::StrCat(route.group, "|", route.version, "|", route.name, "|", route.subresource);
  return absl::StrCat(route.resource->plural, " ", route.namespace_name, "/", route.name, "/", route.subresource,
                      route.watch_path ? " watch" : "");
}

struct Row {
  std::string path;
  Kind kind;
  std::string text = "|||";
};

const Row kRows[] = {
    {"/", Kind::kRoot},
    {"/version", Kind::kVersion},
    {"/version/", Kind::kVersion},
    {"/metrics", Kind::kMetrics},
    {"/openapi/v2", Kind::kOpenApi, "||v2|"},
    {"/openapi/v3/", Kind::kOpenApi, "||v3/|"},
    {"/openapi/v3/apis/apps/v1", Kind::kOpenApi, "||v3/apis/apps/v1|"},
    {"/openapi/", Kind::kOpenApi, "|||"},
    {"/openapi", Kind::kUnknownPath, "|||"},
    {"/readyz", Kind::kHealth, "||readyz|"},
    {"/livez/ping", Kind::kHealth, "||livez|ping"},
    {"/healthz", Kind::kHealth, "||healthz|"},
    {"/readyz/mirror/pods", Kind::kHealth, "||readyz|mirror/pods"},
    {"/api", Kind::kApi},
    {"/api/", Kind::kApi},
    {"/apis", Kind::kApis},
    {"/api/v1", Kind::kGroupVersion, "|v1||"},
    {"/api/v1/", Kind::kGroupVersion, "|v1||"},
    {"/apis/apps", Kind::kGroup, "apps|||"},
    {"/apis/apps/v1", Kind::kGroupVersion, "apps|v1||"},
    {"/api/v2", Kind::kNotFound},
    {"/apis/apps/v2", Kind::kNotFound},
    {"/apis/nothing", Kind::kUnknownPath},
    {"/apis/nothing/v1", Kind::kUnknownPath},
    {"/apis/nothing/v1/things", Kind::kUnknownPath},
    {"/apis/shop.example.com/v2", Kind::kUnknownPath},
    {"/apis/shop.example.com/v1/things", Kind::kUnknownPath},
    {"/nothing", Kind::kUnknownPath},
    {"/API/v1/configmaps", Kind::kUnknownPath},
    {"//api/v1/namespaces/d/configmaps", Kind::kUnknownPath},
    {"/api//v1/namespaces/d/configmaps", Kind::kNotFound},
    // Collections.
    {"/api/v1/pods", Kind::kCollection, "pods //"},
    {"/api/v1/namespaces/d/pods", Kind::kCollection, "pods d//"},
    {"/api/v1/namespaces/d/configmaps/", Kind::kCollection, "configmaps d//"},
    {"/api/v1/namespaces//configmaps", Kind::kCollection, "configmaps //"},
    {"/api/v1/namespaces/d%2Fconfigmaps", Kind::kCollection, "configmaps d//"},
    {"/api/v1/namespaces", Kind::kCollection, "namespaces //"},
    {"/api/v1/namespaces/", Kind::kCollection, "namespaces //"},
    {"/apis/apps/v1/deployments", Kind::kCollection, "deployments //"},
    {"/api/v1/namespaces/d/nodes", Kind::kNotFound},
    {"/api/v1/namespaces/d//configmaps", Kind::kNotFound},
    {"/api/v1/./namespaces/d/configmaps", Kind::kNotFound},
    {"/api/v1/namespaces/x/../d/configmaps", Kind::kNotFound},
    {"/api/v1/nothing", Kind::kNotFound},
    {"/api/v1/namespaces/d/nothing", Kind::kNotFound},
    {"/api/v1/ConfigMaps", Kind::kNotFound},
    {"/apis/apps/v1/nothing", Kind::kNotFound},
    {"/api/v1/deployments", Kind::kNotFound},
    // Objects.
    {"/api/v1/namespaces/d/configmaps/a.b-c", Kind::kObject, "configmaps d/a.b-c/"},
    {"/api/v1/namespaces/d/configmaps/a%2Eb-c", Kind::kObject, "configmaps d/a.b-c/"},
    {"/api/v1/namespaces/d/configmaps/a%20b", Kind::kObject, "configmaps d/a b/"},
    {"/api/v1/namespaces/d/configmaps/..", Kind::kObject, "configmaps d/../"},
    {"/api/v1/namespaces/d", Kind::kObject, "namespaces /d/"},
    {"/api/v1/nodes/n1", Kind::kObject, "nodes /n1/"},
    {"/api/v1/pods/p", Kind::kNotFound},
    {"/api/v1/namespaces/d/nodes/x", Kind::kNotFound},
    {"/api/v1/namespaces/d/configmaps/a%2Fb", Kind::kNotFound},
    {"/api/v1/namespaces/d/configmaps/a/x/y", Kind::kNotFound},
    // Subresources.
    {"/api/v1/namespaces/d/pods/p/status", Kind::kObject, "pods d/p/status"},
    {"/api/v1/namespaces/d/status", Kind::kObject, "namespaces /d/status"},
    {"/api/v1/namespaces/d/finalize", Kind::kWriteOnly, "namespaces /d/finalize"},
    {"/api/v1/namespaces/d/pods/p/eviction", Kind::kWriteOnly, "pods d/p/eviction"},
    {"/api/v1/namespaces/d/pods/p/scale", Kind::kNotFound},
    {"/api/v1/namespaces/d/configmaps/a/status", Kind::kNotFound},
    {"/apis/apps/v1/namespaces/d/deployments/x/scale", Kind::kObject, "deployments d/x/scale"},
    {"/apis/shop.example.com/v1/namespaces/d/widgets/w/status", Kind::kNoSubresource, "widgets d/w/status"},
    // Only created, where that is done.
    {"/api/v1/namespaces/d/bindings", Kind::kWriteOnly, "bindings d//"},
    {"/api/v1/bindings", Kind::kNotFound},
    {"/api/v1/namespaces/d/bindings/b", Kind::kNotFound},
    {"/apis/authorization.k8s.io/v1", Kind::kGroupVersion, "authorization.k8s.io|v1||"},
    {"/apis/authorization.k8s.io/v1/subjectaccessreviews", Kind::kWriteOnly, "subjectaccessreviews //"},
    {"/apis/authorization.k8s.io/v1/subjectaccessreviews/x", Kind::kNotFound},
    {"/apis/authorization.k8s.io/v1/namespaces/d/subjectaccessreviews", Kind::kNotFound},
    // The deprecated prefix.
    {"/api/v1/watch", Kind::kBrokenWatchPath},
    {"/api/v1/watch/nothing", Kind::kNotFound},
    {"/api/v1/watch/pods", Kind::kCollection, "pods // watch"},
    {"/api/v1/watch/namespaces/d/pods", Kind::kCollection, "pods d// watch"},
    {"/api/v1/watch/namespaces/d/pods/p", Kind::kObject, "pods d/p/ watch"},
    {"/api/v1/watch/namespaces/d", Kind::kObject, "namespaces /d/ watch"},
    {"/api/v1/watch/namespaces/d/pods/p/status", Kind::kNotFound},
    {"/api/v1/proxy/nodes/x", Kind::kNotFound},
};

TEST(RouterTest, EveryPath) {
  for (const Row& row : kRows) {
    const Route route = TestRouter().Find(row.path);
    EXPECT_EQ(static_cast<int>(route.kind), static_cast<int>(row.kind)) << row.path;
    if (route.kind == row.kind && route.kind != Kind::kNotFound && route.kind != Kind::kUnknownPath) {
      EXPECT_EQ(Text(route), row.text) << row.path;
    }
  }
}

TEST(RouterTest, CoreGroupIsThereWithoutResources) {
  const Router router({});
  EXPECT_EQ(router.Find("/api/v1").kind, Kind::kGroupVersion);
  EXPECT_EQ(router.Find("/api/v1/pods").kind, Kind::kNotFound);
  EXPECT_EQ(router.Find("/apis/apps").kind, Kind::kUnknownPath);
}

TEST(RouterTest, ABrokenEscapeLeavesThePathAsItWasSent) {
  EXPECT_EQ(Text(TestRouter().Find("/api/v1/%70ods")), "pods //");
  EXPECT_EQ(TestRouter().Find("/api/v1/%70ods/%zz").kind, Kind::kNotFound);
  EXPECT_EQ(Text(TestRouter().Find("/api/v1/namespaces/d/pods/a%2db%4")), "pods d/a%2db%4/");
}

}  // namespace
}  // namespace tidemark::http
