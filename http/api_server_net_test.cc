// The whole read path in one process: a store in memory, its mirrors, the REST surface, and real connections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/executor.h"
#include "base/test_gate.h"
#include "cache/mirror_cache.h"
#include "http/api_server.h"
#include "metrics/http_metrics.h"
#include "metrics/names.h"
#include "net/http_server.h"
#include "net/raw_client.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<config::Resource> Mirrored() {
  std::vector<config::Resource> resources;
  for (const config::Resource& resource : config::BuiltinResources()) {
    const bool wanted = resource.group.empty() &&
                        (resource.plural == "pods" || resource.plural == "nodes" || resource.plural == "configmaps");
    if (wanted) resources.push_back(resource);
  }
  return resources;
}

class ApiServerNetTest : public testing::Test {
 protected:
  ApiServerNetTest() {
    cache::MirrorCache::Options options;
    options.resources = Mirrored();
    cache_ = std::make_unique<cache::MirrorCache>(std::move(options), &store_, &cache_loop_, &registry_);
  }
  ~ApiServerNetTest() override {
    if (server_ != nullptr) server_->Stop();
    yaml_loop_.Stop();
    cache_->Stop();
    store_loop_.Stop();
  }

  void Start(const net::ServerLimits& limits = {}) {
    cache_->Start();
    std::vector<const config::Resource*> resources;
    for (cache::Mirror* mirror : cache_->mirrors()) resources.push_back(&mirror->resource());
    api_ = std::make_unique<ApiServer>(
        ApiServerOptions{.cache = cache_.get(),
                         .resources = resources,
                         .registry = &registry_,
                         .executor = &timer_loop_,
                         .slow_executor = &yaml_loop_,
                         .post = [this](Executor::Task task) { server_->Post(std::move(task)); }});
    auto server = net::HttpServer::Start({.listen = {"127.0.0.1:0"}, .limits = limits, .workers = 2}, api_.get());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    while (Get("/readyz").status != 200) std::this_thread::yield();
  }

  std::string address() const { return server_->addresses()[0]; }
  static std::string Request(const std::string& target) {
    return absl::StrCat("GET ", target, " HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  net::RawClient::Response Get(const std::string& target) { return net::RawClient(address()).Get(Request(target)); }

  void PutPod(const std::string& ns, const std::string& name, const std::string& node) {
    store_.Put(
        absl::StrCat("/registry/pods/", ns, "/", name),
        absl::StrFormat(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"%s","namespace":"%s","uid":"u-%s",)"
                        R"("labels":{"app":"web"}},"spec":{"nodeName":"%s"},"status":{"phase":"Running"}})",
                        name, ns, name, node));
  }

  // 1.5 MB of config maps: longer than what is written as YAML at once.
  void PutLongList() {
    const std::string text(size_t{512} << 10, 'x');
    for (int i = 0; i < 3; ++i) {
      store_.Put(absl::StrCat("/registry/configmaps/default/long-", i),
                 absl::StrCat(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"long-)", i,
                              R"(","namespace":"default"},"data":{"text":")", text, "\"}}"));
    }
  }
  // So many clients have asked for the long list as YAML, and the thread that writes it waits for `gate`.
  std::vector<std::unique_ptr<net::RawClient>> AskForLongYaml(int count, const std::shared_ptr<Gate>& gate) {
    yaml_loop_.Post([gate] { gate->Wait(); });
    std::vector<std::unique_ptr<net::RawClient>> clients;
    for (int i = 0; i < count; ++i) {
      clients.push_back(std::make_unique<net::RawClient>(address()));
      clients.back()->Send("GET /api/v1/configmaps HTTP/1.1\r\nHost: x\r\nAccept: application/yaml\r\n\r\n");
    }
    while (YamlWaiting() != count) std::this_thread::yield();
    return clients;
  }
  double YamlWaiting() { return registry_.AddGauge(metrics::names::kSlowAnswersWaiting, "", {}).Value(); }

  metrics::Registry registry_;
  LoopThread store_loop_{"test-store"};
  LoopThread cache_loop_{"test-cache"};
  LoopThread timer_loop_{"test-timers"};
  LoopThread yaml_loop_{"test-yaml"};
  storeclient::MemoryStoreClient store_{store_loop_};
  std::unique_ptr<cache::MirrorCache> cache_;
  std::unique_ptr<ApiServer> api_;
  std::unique_ptr<net::HttpServer> server_;
};

TEST_F(ApiServerNetTest, AWriteIsSeenByTheListThatFollowsIt) {
  PutPod("default", "web-0", "node-1");
  Start();
  for (int i = 1; i <= 50; ++i) {
    const std::string name = absl::StrCat("web-", i);
    PutPod("default", name, absl::StrCat("node-", i % 2));
    EXPECT_THAT(Get("/api/v1/namespaces/default/pods").body, HasSubstr(absl::StrCat("\"name\":\"", name, "\"")));
    EXPECT_EQ(Get("/api/v1/namespaces/default/pods/" + name).status, 200);
  }
  const auto list = Get("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1");
  EXPECT_THAT(list.head, HasSubstr("X-Tidemark-Served: index spec.nodeName=node-1; mirror"));
  EXPECT_THAT(list.body, HasSubstr("web-49"));
  EXPECT_THAT(list.body, Not(HasSubstr("web-50")));
}

TEST_F(ApiServerNetTest, PagesWalkOneRevision) {
  for (int i = 0; i < 25; ++i) PutPod("default", absl::StrFormat("web-%02d", i), "node-1");
  Start();
  std::string token;
  int seen = 0;
  int pages = 0;
  do {
    const auto page = Get("/api/v1/namespaces/default/pods?limit=10&continue=" + token);
    ASSERT_EQ(page.status, 200) << page.body;
    for (size_t at = page.body.find("\"uid\""); at != std::string::npos; at = page.body.find("\"uid\"", at + 1)) ++seen;
    const size_t start = page.body.find("\"continue\":\"");
    token =
        start == std::string::npos ? "" : page.body.substr(start + 12, page.body.find('"', start + 12) - start - 12);
    PutPod("default", absl::StrFormat("later-%02d", pages++), "node-1");
  } while (!token.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen, 25);
}

TEST_F(ApiServerNetTest, AWatchBeginsWithTheStateAndFollows) {
  PutPod("default", "web-0", "node-1");
  Start();
  net::RawClient watch(address());
  ASSERT_TRUE(
      watch.Send(Request("/api/v1/namespaces/default/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
                         "&resourceVersionMatch=NotOlderThan&labelSelector=app%3Dweb")));
  ASSERT_TRUE(watch.ReadUntil("k8s.io/initial-events-end"));
  PutPod("default", "web-1", "node-1");
  ASSERT_TRUE(watch.ReadUntil(R"("name":"web-1")"));
  store_.Delete("/registry/pods/default/web-0");
  ASSERT_TRUE(watch.ReadUntil(R"({"type":"DELETED")"));
  store_.Put("/registry/pods/default/web-1",
             R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1","namespace":"default"}})");
  // It has left the selector: the old object, at the revision of its leaving.
  ASSERT_TRUE(watch.ReadUntil(
      absl::StrCat(R"({"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1",)"
                   R"("namespace":"default","uid":"u-web-1","resourceVersion":")",
                   store_.revision().value(), "\"")));
}

TEST_F(ApiServerNetTest, ManyWatchesOfOneNodeEachGetTheirEvents) {
  Start();
  std::vector<std::unique_ptr<net::RawClient>> watches;
  for (int i = 0; i < 40; ++i) {
    watches.push_back(std::make_unique<net::RawClient>(address()));
    ASSERT_TRUE(watches.back()->Send(Request(
        absl::StrCat("/api/v1/pods?watch=true&allowWatchBookmarks=true&fieldSelector=spec.nodeName%3Dnode-", i % 4))));
    ASSERT_TRUE(watches.back()->ReadUntil("k8s.io/initial-events-end"));
  }
  for (int i = 0; i < 40; ++i) PutPod("default", absl::StrCat("web-", i), absl::StrCat("node-", i % 4));
  for (int i = 0; i < 40; ++i) {
    for (int n = i % 4; n < 40; n += 4) {
      ASSERT_TRUE(watches[static_cast<size_t>(i)]->Take(absl::StrCat("\"name\":\"web-", n, "\"")) != "")
          << i << " " << n;
    }
  }
}

TEST_F(ApiServerNetTest, ASelectedWatchEndsInTimeAndCleanly) {
  Start();
  const auto watch = Get("/api/v1/pods?watch=true&timeoutSeconds=1");
  EXPECT_EQ(watch.status, 200);
  EXPECT_EQ(watch.body, "");
}

TEST_F(ApiServerNetTest, UnreadableValuesAreNamed) {
  store_.Put("/registry/pods/bad/proto", std::string("k8s\0\x0a\x09", 6));
  PutPod("good", "web", "node-1");
  Start();
  const auto list = Get("/api/v1/pods");
  EXPECT_EQ(list.status, 500);
  EXPECT_THAT(list.body, HasSubstr(R"(the stored value of \"/registry/pods/bad/proto\" cannot be read: )"));
  const auto get = Get("/api/v1/namespaces/bad/pods/proto");
  EXPECT_EQ(get.status, 500);
  EXPECT_THAT(get.body, HasSubstr(R"(the stored value of \"/registry/pods/bad/proto\" cannot be read: )"));
  EXPECT_EQ(Get("/api/v1/namespaces/good/pods").status, 200);
}

TEST_F(ApiServerNetTest, OddRequestsReachTheServer) {
  Start();
  const auto refused = net::RawClient(address()).Get("FOO /api/v1/namespaces/d/configmaps HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(refused.status, 405);
  EXPECT_THAT(refused.body, HasSubstr(R"("reason":"MethodNotAllowed","details":{},"code":405})"));
  EXPECT_EQ(Get("/api/v1/namespaces/d/configmaps?limit=1&what=a?b").status, 200);
  EXPECT_EQ(Get("/api/v1/namespaces/d/configmaps/caf\xc3\xa9").status, 404);
}

TEST_F(ApiServerNetTest, AStoreThatIsCutOffIsSaidSo) {
  PutPod("default", "web", "node-1");
  Start();
  store_.CutOff();
  const auto list = Get("/api/v1/pods");
  EXPECT_THAT(list.status, testing::AnyOf(500, 429)) << list.body;
  EXPECT_THAT(list.head, HasSubstr("Retry-After: "));
  EXPECT_EQ(Get("/api/v1/pods?resourceVersion=0").status, 200);
  store_.Reconnect();
  EXPECT_EQ(Get("/api/v1/pods").status, 200);
}

TEST_F(ApiServerNetTest, StoppingEndsWatches) {
  Start();
  net::RawClient watch(address());
  ASSERT_TRUE(watch.Send(Request("/api/v1/pods?watch=true")));
  ASSERT_NE(watch.Take("\r\n\r\n"), "");
  server_->Stop();
  EXPECT_EQ(watch.ReadAll(), "0\r\n\r\n");
}

TEST_F(ApiServerNetTest, LongListsInYamlHoldNoWorker) {
  PutLongList();
  PutPod("default", "web-0", "node-1");
  Start();
  const auto gate = std::make_shared<Gate>();
  const auto clients = AskForLongYaml(10, gate);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Get("/livez").status, 200);
    EXPECT_EQ(Get("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1").status, 200);
    EXPECT_EQ(Get("/api/v1/configmaps").status, 200);
  }
  EXPECT_EQ(YamlWaiting(), 10);
  gate->Open();
  for (const auto& client : clients) {
    const auto answer = client->ReadResponse();
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.head, HasSubstr("Content-Type: application/yaml\r\n"));
    EXPECT_THAT(answer.body.substr(0, 30), StartsWith("apiVersion: v1\nitems:\n- data:\n"));
    EXPECT_THAT(answer.body.substr(answer.body.size() - 100), HasSubstr("kind: ConfigMapList\n"));
  }
}

TEST_F(ApiServerNetTest, StoppingAnswersTheLongYamlThatWaits) {
  PutLongList();
  Start({.drain_time = absl::InfiniteDuration()});
  const auto gate = std::make_shared<Gate>();
  const auto clients = AskForLongYaml(4, gate);
  std::thread stopping([this] { server_->Stop(); });
  while (!server_->Draining()) std::this_thread::yield();
  gate->Open();
  for (const auto& client : clients) EXPECT_EQ(client->ReadResponse().status, 200);
  stopping.join();
}

TEST_F(ApiServerNetTest, LongYamlThatWaitsIsDroppedWithItsConnection) {
  PutLongList();
  Start({.drain_time = absl::ZeroDuration()});
  const auto gate = std::make_shared<Gate>();
  const auto clients = AskForLongYaml(4, gate);
  server_->Stop();
  gate->Open();
  yaml_loop_.Stop();
  for (const auto& client : clients) EXPECT_EQ(client->ReadAll(), "");
  EXPECT_EQ(YamlWaiting(), 0);
}

}  // namespace
}  // namespace tidemark::http
