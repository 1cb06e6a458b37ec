// ApiFixture is an ApiServer on a FakeCache in simulated time, with the objects of a recorded conversation with
// kube-apiserver: two namespaces of config maps, changed between revisions 75 and 83, and a store that has moved on
// to 84.
//
// Thread-safety: confined to the test's thread.
#ifndef TIDEMARK_HTTP_API_FIXTURE_H_
#define TIDEMARK_HTTP_API_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/executor.h"
#include "http/api_server.h"
#include "http/fake_cache.h"
#include "http/fake_exchange.h"
#include "metrics/registry.h"

namespace tidemark::http {

inline constexpr size_t kFixtureWatchesMax = 100;

class ApiFixture : public testing::Test {
 protected:
  ApiFixture() {
    config_maps_ = cache_.Add(config_map_);
    deployments_ = cache_.Add(deployment_);
    nodes_ = cache_.Add(node_);
    pods_ = cache_.Add(pod_);
    widgets_ = cache_.Add(widget_);
    FillConfigMaps();
    for (FakeMirror* mirror : {deployments_, nodes_, pods_, widgets_}) mirror->Progress(84);
    server_ = std::make_unique<ApiServer>(ApiServerOptions{
        .cache = &cache_,
        .resources = {&config_map_, &deployment_, &node_, &pod_, &widget_},
        .registry = &registry_,
        .executor = &executor_,
        .watches_max = kFixtureWatchesMax,
        .slow_executor = &executor_,
        .post = [this](Executor::Task task) { executor_.Post(std::move(task)); },
        .clock = clock_,
    });
  }

  void FillConfigMaps() {
    config_maps_->Put(75, "blue/cm-0", {{"app", "web"}});
    config_maps_->Put(76, "blue/cm-1", {{"app", "web"}});
    config_maps_->Put(77, "blue/cm-2", {{"app", "web"}});
    config_maps_->Put(78, "blue/cm-3", {{"app", "web"}});
    config_maps_->Put(79, "green/gr-0");
    config_maps_->Put(80, "green/gr-1");
    config_maps_->Put(81, "blue/cm-1", {{"app", "db"}});
    config_maps_->Delete(82, "blue/cm-2");
    config_maps_->Put(83, "blue/cm-9");
    config_maps_->Progress(84);
  }

  std::shared_ptr<FakeExchange> Send(std::string target, FakeExchange::Headers headers = {},
                                     std::string method = "GET") {
    auto exchange = std::make_shared<FakeExchange>(std::move(target), std::move(headers), std::move(method));
    server_->Handle(exchange);
    return exchange;
  }
  // The body of an answer that is there at once.
  std::string Get(const std::string& target) { return Send(target)->Drain(); }

  // `{"metadata":{"name":"cm-1",...}}` as an item, and as an object or in an event.
  static std::string Item(absl::string_view ns, absl::string_view name, int revision, absl::string_view app = "") {
    const std::string labels = app.empty() ? "" : absl::StrCat(R"(,"labels":{"app":")", app, "\"}");
    return absl::StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns, R"(","resourceVersion":")",
                        revision, "\"", labels, "}}");
  }
  static std::string Object(absl::string_view item) {
    return absl::StrCat(R"({"kind":"ConfigMap","apiVersion":"v1",)", item.substr(1));
  }
  static std::string Frame(absl::string_view type, absl::string_view item) {
    return absl::StrCat(R"({"type":")", type, R"(","object":)", Object(item), "}\n");
  }
  static std::string Bookmark(int revision, bool end) {
    return absl::StrCat(
        R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":")",
        revision, "\"", end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "", "}}}\n");
  }
  static std::string List(int revision, const std::vector<std::string>& items, absl::string_view metadata = "") {
    return absl::StrCat(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":")", revision, "\"",
                        metadata, R"(},"items":[)", absl::StrJoin(items, ","), "]}\n");
  }

  const config::Resource config_map_{.version = "v1",
                                     .kind = "ConfigMap",
                                     .plural = "configmaps",
                                     .singular = "configmap",
                                     .short_names = {"cm"},
                                     .prefix = "configmaps"};
  const config::Resource deployment_{.group = "apps",
                                     .version = "v1",
                                     .kind = "Deployment",
                                     .plural = "deployments",
                                     .singular = "deployment",
                                     .short_names = {"deploy"},
                                     .categories = {"all"},
                                     .prefix = "deployments",
                                     .subresources = {{"scale", "Scale", {"get", "patch", "update"}}}};
  const config::Resource node_{
      .version = "v1", .kind = "Node", .plural = "nodes", .singular = "node", .namespaced = false, .prefix = "minions"};
  const config::Resource pod_{.version = "v1",
                              .kind = "Pod",
                              .plural = "pods",
                              .singular = "pod",
                              .short_names = {"po"},
                              .categories = {"all"},
                              .prefix = "pods",
                              .subresources = {{"status", "Pod", {"get", "patch", "update"}}}};
  const config::Resource widget_{.group = "shop.example.com",
                                 .version = "v1",
                                 .kind = "Widget",
                                 .plural = "widgets",
                                 .singular = "widget",
                                 .prefix = "shop.example.com/widgets",
                                 .custom = true};

  // Recorded: what the table below is held against.
  const std::string cm0_ = Item("blue", "cm-0", 75, "web");
  const std::string cm1_old_ = Item("blue", "cm-1", 76, "web");
  const std::string cm2_ = Item("blue", "cm-2", 77, "web");
  const std::string cm3_ = Item("blue", "cm-3", 78, "web");
  const std::string gr0_ = Item("green", "gr-0", 79);
  const std::string gr1_ = Item("green", "gr-1", 80);
  const std::string cm1_ = Item("blue", "cm-1", 81, "db");
  const std::string cm9_ = Item("blue", "cm-9", 83);

  SimClock clock_;
  SimExecutor executor_{clock_};
  metrics::Registry registry_;
  FakeCache cache_;
  FakeMirror* config_maps_ = nullptr;
  FakeMirror* deployments_ = nullptr;
  FakeMirror* nodes_ = nullptr;
  FakeMirror* pods_ = nullptr;
  FakeMirror* widgets_ = nullptr;
  std::unique_ptr<ApiServer> server_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_API_FIXTURE_H_
