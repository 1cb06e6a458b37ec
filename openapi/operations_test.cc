#include "openapi/operations.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "openapi/definitions.h"
#include "openapi/test_resources.h"

namespace tidemark::openapi {
namespace {

// Of Kubernetes' own resources.
const config::Resource* Builtin(absl::string_view group, absl::string_view plural) {
  for (const auto* const table : {&config::BuiltinResources(), &config::UnstoredResources()}) {
    for (const config::Resource& resource : *table) {
      if (resource.group == group && resource.plural == plural) return &resource;
    }
  }
  TM_CHECK(false) << plural;
  return nullptr;
}

// "name:path:string,pretty:string".
std::string ParameterTexts(absl::Span<const Parameter> parameters) {
  return absl::StrJoin(parameters, ",", [](std::string* out, const Parameter& parameter) {
    absl::StrAppend(out, parameter.name, parameter.in_path ? ":path:" : ":", parameter.type);
  });
}

// "200 OK,401 Unauthorized-": without a body.
std::string AnswerTexts(absl::Span<const Answer> answers) {
  return absl::StrJoin(answers, ",", [](std::string* out, const Answer& answer) {
    absl::StrAppend(out, answer.code, " ", answer.description, answer.has_body ? "" : "-");
  });
}

// The part behind the package: "Pod".
std::string ShortName(absl::string_view definition) {
  return std::string(definition.substr(definition.rfind('.') + 1));
}

std::string BodyText(const Operation& operation) {
  constexpr absl::string_view kWords[] = {"", "object ", "patch ", "options "};
  return absl::StrCat(kWords[static_cast<size_t>(operation.body)], ShortName(operation.body_definition));
}

PathItem ItemAt(const config::Resource& resource, absl::string_view path) {
  for (PathItem& item : PathsOf({&resource})) {
    if (item.path == path) return item;
  }
  ADD_FAILURE() << path << " is not there";
  return {};
}

Operation OperationAt(const config::Resource& resource, absl::string_view path, absl::string_view method) {
  const PathItem item = ItemAt(resource, path);
  for (const Operation& operation : item.operations) {
    if (operation.method == method) return operation;
  }
  ADD_FAILURE() << method << " of " << path << " is not there";
  return {};
}

// The paths of the resources, each with the actions of its operations.
using PathRows = std::vector<std::pair<std::string, std::string>>;

PathRows PathsAndActions(const std::vector<const config::Resource*>& resources) {
  PathRows rows;
  for (const PathItem& item : PathsOf(resources)) {
    const auto action = [](std::string* out, const Operation& operation) { absl::StrAppend(out, operation.action); };
    rows.emplace_back(item.path, absl::StrJoin(item.operations, " ", action));
  }
  return rows;
}

TEST(OperationsTest, NamespacedResource) {
  const PathRows expected = {{"/api/v1/namespaces/{namespace}/pods", "list post deletecollection"},
                             {"/api/v1/namespaces/{namespace}/pods/{name}", "get put delete patch"},
                             {"/api/v1/namespaces/{namespace}/pods/{name}/binding", "post"},
                             {"/api/v1/namespaces/{namespace}/pods/{name}/ephemeralcontainers", "get put patch"},
                             {"/api/v1/namespaces/{namespace}/pods/{name}/eviction", "post"},
                             {"/api/v1/namespaces/{namespace}/pods/{name}/resize", "get put patch"},
                             {"/api/v1/namespaces/{namespace}/pods/{name}/status", "get put patch"},
                             {"/api/v1/pods", "list"}};
  EXPECT_EQ(PathsAndActions({Builtin("", "pods")}), expected);
}

TEST(OperationsTest, ClusterResourcesButNamespacesAreNotDeletedTogether) {
  const PathRows expected = {{"/api/v1/namespaces", "list post"},
                             {"/api/v1/namespaces/{name}", "get put delete patch"},
                             {"/api/v1/namespaces/{name}/finalize", "put"},
                             {"/api/v1/namespaces/{name}/status", "get put patch"},
                             {"/api/v1/nodes", "list post deletecollection"},
                             {"/api/v1/nodes/{name}", "get put delete patch"},
                             {"/api/v1/nodes/{name}/status", "get put patch"}};
  EXPECT_EQ(PathsAndActions({Builtin("", "nodes"), Builtin("", "namespaces")}), expected);
}

TEST(OperationsTest, WhatIsNotStoredIsOnlyReadOrOnlyCreated) {
  const PathRows expected = {{"/api/v1/componentstatuses", "list"},
                             {"/api/v1/componentstatuses/{name}", "get"},
                             {"/api/v1/namespaces/{namespace}/bindings", "post"}};
  EXPECT_EQ(PathsAndActions({Builtin("", "componentstatuses"), Builtin("", "bindings")}), expected);
  const PathRows review = {{"/apis/authentication.k8s.io/v1/tokenreviews", "post"}};
  EXPECT_EQ(PathsAndActions({Builtin("authentication.k8s.io", "tokenreviews")}), review);
}

TEST(OperationsTest, CustomResources) {
  const config::Resource widgets = Widgets();
  const config::Resource things = Things();
  const PathRows expected = {
      {"/apis/shop.example.com/v1/namespaces/{namespace}/widgets", "list post deletecollection"},
      {"/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}", "get put delete patch"},
      {"/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}/scale", "get put patch"},
      {"/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}/status", "get put patch"},
      {"/apis/shop.example.com/v1/things", "list post deletecollection"},
      {"/apis/shop.example.com/v1/things/{name}", "get put delete patch"},
      {"/apis/shop.example.com/v1/widgets", "list"}};
  EXPECT_EQ(PathsAndActions({&widgets, &things}), expected);
}

constexpr char kPods[] = "/api/v1/namespaces/{namespace}/pods";
constexpr char kWidgets[] = "/apis/shop.example.com/v1/namespaces/{namespace}/widgets";

TEST(OperationsTest, IdsAndKinds) {
  const config::Resource widgets = Widgets();
  const auto* const pods = Builtin("", "pods");
  const auto* const deployments = Builtin("apps", "deployments");
  const struct {
    const config::Resource* resource;
    std::string path;
    const char* method;
    const char* expected;
  } rows[] = {
      {pods, "/api/v1/pods", "get", "listCoreV1PodForAllNamespaces v1 Pod"},
      {pods, kPods, "get", "listCoreV1NamespacedPod v1 Pod"},
      {pods, kPods, "post", "createCoreV1NamespacedPod v1 Pod"},
      {pods, kPods, "delete", "deleteCoreV1CollectionNamespacedPod v1 Pod"},
      {pods, absl::StrCat(kPods, "/{name}"), "get", "readCoreV1NamespacedPod v1 Pod"},
      {pods, absl::StrCat(kPods, "/{name}"), "patch", "patchCoreV1NamespacedPod v1 Pod"},
      {pods, absl::StrCat(kPods, "/{name}/status"), "get", "readCoreV1NamespacedPodStatus v1 Pod"},
      {pods, absl::StrCat(kPods, "/{name}/eviction"), "post", "createCoreV1NamespacedPodEviction policy/v1 Eviction"},
      {Builtin("", "nodes"), "/api/v1/nodes", "get", "listCoreV1Node v1 Node"},
      {Builtin("", "nodes"), "/api/v1/nodes", "delete", "deleteCoreV1CollectionNode v1 Node"},
      {Builtin("", "serviceaccounts"), "/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token", "post",
       "createCoreV1NamespacedServiceAccountToken authentication.k8s.io/v1 TokenRequest"},
      {deployments, "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale", "put",
       "replaceAppsV1NamespacedDeploymentScale autoscaling/v1 Scale"},
      {&widgets, kWidgets, "delete", "deleteShopExampleComV1CollectionNamespacedWidget shop.example.com/v1 Widget"},
      {&widgets, absl::StrCat(kWidgets, "/{name}/scale"), "get",
       "readShopExampleComV1NamespacedWidgetScale shop.example.com/v1 Widget"},
  };
  for (const auto& row : rows) {
    const Operation operation = OperationAt(*row.resource, row.path, row.method);
    EXPECT_EQ(absl::StrCat(operation.id, " ", operation.group, operation.group.empty() ? "" : "/", operation.version,
                           " ", operation.kind),
              row.expected);
  }
}

constexpr char kListParameters[] =
    "allowWatchBookmarks:boolean,continue:string,fieldSelector:string,labelSelector:string,limit:integer,"
    "resourceVersion:string,resourceVersionMatch:string,sendInitialEvents:boolean,shardSelector:string,"
    "timeoutSeconds:integer,watch:boolean";
constexpr char kDeleteCollectionParameters[] =
    "continue:string,dryRun:string,fieldSelector:string,gracePeriodSeconds:integer,"
    "ignoreStoreReadErrorWithClusterBreakingPotential:boolean,labelSelector:string,limit:integer,"
    "orphanDependents:boolean,propagationPolicy:string,resourceVersion:string,resourceVersionMatch:string,"
    "sendInitialEvents:boolean,shardSelector:string,timeoutSeconds:integer";
constexpr char kDeleteParameters[] =
    "dryRun:string,gracePeriodSeconds:integer,ignoreStoreReadErrorWithClusterBreakingPotential:boolean,"
    "orphanDependents:boolean,propagationPolicy:string";
constexpr char kWriteParameters[] = "dryRun:string,fieldManager:string,fieldValidation:string";
constexpr char kPatchParameters[] = "dryRun:string,fieldManager:string,fieldValidation:string,force:boolean";

// Those of a single operation stand at its path, by name.
TEST(OperationsTest, Parameters) {
  const config::Resource widgets = Widgets();
  const auto* const pods = Builtin("", "pods");
  const auto* const nodes = Builtin("", "nodes");
  const struct {
    const config::Resource* resource;
    std::string path;
    const char* method;  // empty: of all of them
    const char* expected;
  } rows[] = {
      {pods, kPods, "", "namespace:path:string,pretty:string"},
      {pods, kPods, "get", kListParameters},
      {pods, kPods, "post", kWriteParameters},
      {pods, kPods, "delete", kDeleteCollectionParameters},
      {pods, absl::StrCat(kPods, "/{name}"), "", "name:path:string,namespace:path:string,pretty:string"},
      {pods, absl::StrCat(kPods, "/{name}"), "get", ""},
      {pods, absl::StrCat(kPods, "/{name}"), "put", kWriteParameters},
      {pods, absl::StrCat(kPods, "/{name}"), "delete", kDeleteParameters},
      {pods, absl::StrCat(kPods, "/{name}"), "patch", kPatchParameters},
      {nodes, "/api/v1/nodes/{name}", "", "name:path:string,pretty:string"},
      {&widgets, kWidgets, "get", kListParameters},
      {&widgets, kWidgets, "delete", kListParameters},
      {&widgets, absl::StrCat(kWidgets, "/{name}"), "get", "resourceVersion:string"},
      {&widgets, absl::StrCat(kWidgets, "/{name}"), "delete", kDeleteParameters},
      {&widgets, absl::StrCat(kWidgets, "/{name}/status"), "put", kWriteParameters},
      {pods, absl::StrCat(kPods, "/{name}/eviction"), "",
       "dryRun:string,fieldManager:string,fieldValidation:string,name:path:string,namespace:path:string,pretty:string"},
      {pods, absl::StrCat(kPods, "/{name}/eviction"), "post", ""},
      {Builtin("", "bindings"), "/api/v1/namespaces/{namespace}/bindings", "",
       "dryRun:string,fieldManager:string,fieldValidation:string,namespace:path:string,pretty:string"},
      {pods, "/api/v1/pods", "",
       "allowWatchBookmarks:boolean,continue:string,fieldSelector:string,labelSelector:string,limit:integer,"
       "pretty:string,resourceVersion:string,resourceVersionMatch:string,sendInitialEvents:boolean,"
       "shardSelector:string,timeoutSeconds:integer,watch:boolean"},
      {pods, "/api/v1/pods", "get", ""},
  };
  for (const auto& row : rows) {
    const bool of_path = absl::string_view(row.method).empty();
    EXPECT_EQ(of_path ? ParameterTexts(ItemAt(*row.resource, row.path).parameters)
                      : ParameterTexts(OperationAt(*row.resource, row.path, row.method).parameters),
              row.expected)
        << row.method << row.path;
  }
}

TEST(OperationsTest, BodiesAndAnswers) {
  constexpr char kRead[] = "200 OK,401 Unauthorized-";
  constexpr char kWritten[] = "200 OK,201 Created,401 Unauthorized-";
  constexpr char kCreated[] = "200 OK,201 Created,202 Accepted,401 Unauthorized-";
  constexpr char kDeleted[] = "200 OK,202 Accepted,401 Unauthorized-";
  const config::Resource widgets = Widgets();
  const config::Resource things = Things();
  const auto* const pods = Builtin("", "pods");
  const struct {
    const config::Resource* resource;
    std::string path;
    const char* method;
    const char* body;
    const char* answer;
    const char* answers;
  } rows[] = {
      {pods, "/api/v1/pods", "get", "", "PodList", kRead},
      {pods, kPods, "post", "object Pod", "Pod", kCreated},
      {pods, kPods, "delete", "options DeleteOptions", "Status", kRead},
      {pods, absl::StrCat(kPods, "/{name}"), "get", "", "Pod", kRead},
      {pods, absl::StrCat(kPods, "/{name}"), "put", "object Pod", "Pod", kWritten},
      {pods, absl::StrCat(kPods, "/{name}"), "delete", "options DeleteOptions", "Pod", kDeleted},
      {pods, absl::StrCat(kPods, "/{name}"), "patch", "patch Patch", "Pod", kWritten},
      {pods, absl::StrCat(kPods, "/{name}/eviction"), "post", "object Eviction", "Eviction", kCreated},
      {Builtin("", "nodes"), "/api/v1/nodes/{name}", "delete", "options DeleteOptions", "Status", kDeleted},
      {Builtin("apps", "deployments"), "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale", "put",
       "object Scale", "Scale", kWritten},
      {&widgets, kWidgets, "delete", "", "Status", kRead},
      {&widgets, absl::StrCat(kWidgets, "/{name}/scale"), "patch", "patch Patch", "Scale", kRead},
      {&things, "/apis/shop.example.com/v1/things", "get", "", "ThingBag", kRead},
      {&things, "/apis/shop.example.com/v1/things", "post", "object Thing", "Thing", kCreated},
      {&things, "/apis/shop.example.com/v1/things/{name}", "delete", "options DeleteOptions", "Status", kDeleted},
      {&things, "/apis/shop.example.com/v1/things/{name}", "patch", "patch Patch", "Thing", kRead},
  };
  for (const auto& row : rows) {
    const Operation operation = OperationAt(*row.resource, row.path, row.method);
    EXPECT_EQ(BodyText(operation), row.body) << row.method << row.path;
    EXPECT_EQ(ShortName(operation.answer_definition), row.answer) << row.method << row.path;
    EXPECT_EQ(AnswerTexts(operation.answers), row.answers) << row.method << row.path;
  }
}

// Calls `visit` with each operation of Kubernetes' own resources.
template <typename Visit>
void ForEachBuiltin(const Visit& visit) {
  for (const auto* const table : {&config::BuiltinResources(), &config::UnstoredResources()}) {
    for (const config::Resource& resource : *table) {
      for (const PathItem& item : PathsOf({&resource})) {
        for (const Operation& operation : item.operations) visit(operation);
      }
    }
  }
}

TEST(OperationsTest, TheseAreGivenBackWhenTheyAreDeleted) {
  std::set<std::string> kinds;
  ForEachBuiltin([&](const Operation& operation) {
    if (operation.action != "delete" || absl::EndsWith(operation.answer_definition, ".meta.v1.Status")) return;
    EXPECT_EQ(operation.answer_definition, FindKind(operation.group, operation.version, operation.kind)->name);
    kinds.insert(operation.kind);
  });
  EXPECT_EQ(absl::StrJoin(kinds, " "),
            "CSIDriver CSINode DeviceClass PersistentVolume PersistentVolumeClaim Pod PodTemplate ResourceClaim "
            "ResourceClaimTemplate ResourceQuota ResourceSlice Service ServiceAccount StorageClass VolumeAttachment "
            "VolumeAttributesClass");
  config::Resource own = Things();
  own.kind = "Pod";
  EXPECT_EQ(ShortName(OperationAt(own, "/apis/shop.example.com/v1/things/{name}", "delete").answer_definition),
            "Status");
}

TEST(OperationsTest, MediaTypes) {
  const config::Resource widgets = Widgets();
  const struct {
    const char* name;
    Operation operation;
    const char* sent;
    const char* answered;
  } rows[] = {
      {"list", OperationAt(*Builtin("", "pods"), kPods, "get"), "*/*",
       "application/json,application/yaml,application/vnd.kubernetes.protobuf,application/json;stream=watch,"
       "application/vnd.kubernetes.protobuf;stream=watch"},
      {"object", OperationAt(*Builtin("", "pods"), kPods, "post"), "*/*",
       "application/json,application/yaml,application/vnd.kubernetes.protobuf"},
      {"patch", OperationAt(*Builtin("", "pods"), absl::StrCat(kPods, "/{name}"), "patch"),
       "application/json-patch+json,application/merge-patch+json,application/strategic-merge-patch+json,"
       "application/apply-patch+yaml",
       "application/json,application/yaml,application/vnd.kubernetes.protobuf"},
      {"custom list", OperationAt(widgets, kWidgets, "get"), "application/json,application/yaml",
       "application/json,application/yaml"},
      {"scale of a custom object", OperationAt(widgets, absl::StrCat(kWidgets, "/{name}/scale"), "patch"),
       "application/json-patch+json,application/merge-patch+json,application/apply-patch+yaml",
       "application/json,application/yaml"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(absl::StrJoin(RequestTypes(row.operation), ","), row.sent) << row.name;
    EXPECT_EQ(absl::StrJoin(AnswerTypes(row.operation), ","), row.answered) << row.name;
  }
}

TEST(OperationsTest, GroupsInIdsAndTags) {
  const struct {
    const char* group;
    const char* version;
    const char* id;
    const char* tag;
  } rows[] = {
      {"", "v1", "readCoreV1Thing", "core_v1"},
      {"apps", "v1", "readAppsV1Thing", "apps_v1"},
      {"events.k8s.io", "v1", "readEventsV1Thing", "events_v1"},
      {"flowcontrol.apiserver.k8s.io", "v1", "readFlowcontrolApiserverV1Thing", "flowcontrolApiserver_v1"},
      {"rbac.authorization.k8s.io", "v1", "readRbacAuthorizationV1Thing", "rbacAuthorization_v1"},
      {"my-shop.io", "v1alpha1", "readMyShopIoV1alpha1Thing", "myShopIo_v1alpha1"},
      {"k8s.io.example.com", "v1", "readK8sIoExampleComV1Thing", "k8sIoExampleCom_v1"},
      {"-a..b-", "v1", "readABV1Thing", "aB_v1"},
  };
  for (const auto& row : rows) {
    config::Resource things = Things();
    things.group = row.group;
    things.version = row.version;
    const Operation get = PathsOf({&things}).at(1).operations.at(0);
    EXPECT_EQ(get.id, row.id) << row.group;
    EXPECT_EQ(get.tag, row.tag) << row.group;
  }
}

absl::string_view MethodOf(absl::string_view action) {
  if (action == "list") return "get";
  return action == "deletecollection" ? "delete" : action;
}

// Generated clients name their functions by ids.
TEST(OperationsTest, IdsAreUniqueMethodsFitAndDefinitionsAreKnown) {
  std::set<std::string> ids;
  ForEachBuiltin([&](const Operation& operation) {
    EXPECT_TRUE(ids.insert(operation.id).second) << operation.id;
    EXPECT_EQ(operation.method, MethodOf(operation.action)) << operation.id;
    EXPECT_NE(FindDefinition(operation.answer_definition), nullptr) << operation.id;
    EXPECT_TRUE(operation.body == RequestBody::kNone || FindDefinition(operation.body_definition) != nullptr)
        << operation.id;
  });
  EXPECT_GT(ids.size(), 500u);
}

TEST(OperationsTest, KindsWithHyphensInIds) {
  config::Resource things = Things();
  things.kind = "Th-ing-2";
  constexpr char kThings[] = "/apis/shop.example.com/v1/things";
  EXPECT_EQ(OperationAt(things, kThings, "get").id, "listShopExampleComV1ThIng2");
  EXPECT_EQ(OperationAt(things, kThings, "delete").id, "deleteShopExampleComV1CollectionThIng2");
}

}  // namespace
}  // namespace tidemark::openapi
