#include "http/api_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "http/api_fixture.h"

namespace tidemark::http {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

class ApiServerTest : public ApiFixture {};

TEST_F(ApiServerTest, LegacyDiscovery) {
  EXPECT_THAT(Get("/api"), HasSubstr(R"("kind":"APIVersions","versions":["v1"])"));
  EXPECT_EQ(
      Get("/apis"),
      R"({"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1",)"
      R"("version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}},{"name":"shop.example.com",)"
      R"()"
      R"("versions":[{"groupVersion":"shop.example.com/v1","version":"v1"}],"preferredVersion":)"
      R"({"groupVersion":"shop.example.com/v1","version":"v1"}}]})"
      "\n");
  EXPECT_EQ(
      Get("/apis/apps"),
      R"({"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],)"
      R"()"
      R"("preferredVersion":{"groupVersion":"apps/v1","version":"v1"}})"
      "\n");
  EXPECT_EQ(
      Get("/apis/apps/v1"),
      R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[{"name":"deployments",)"
      R"("singularName":"deployment","namespaced":true,"kind":"Deployment","verbs":["get","list","watch"],)"
      R"("shortNames":["deploy"],"categories":["all"]},{"name":"deployments/scale","singularName":"","namespaced":true,)"
      R"("group":"autoscaling","version":"v1","kind":"Scale","verbs":["get"]}]})"
      "\n");
  const std::string core = Get("/api/v1/");
  EXPECT_THAT(core, testing::StartsWith(R"({"kind":"APIResourceList","groupVersion":"v1",)"
                                        R"("resources":[{"name":"configmaps")"));
  EXPECT_THAT(core, HasSubstr(R"({"name":"pods/status","singularName":"","namespaced":true,"kind":"Pod",)"
                              R"("verbs":["get"]})"));
  EXPECT_THAT(core, HasSubstr(R"({"name":"nodes","singularName":"node","namespaced":false,"kind":"Node","verbs")"));
}

TEST_F(ApiServerTest, AggregatedDiscovery) {
  const auto groups = Send("/apis?timeout=32s", {{"accept", kAggregated}});
  EXPECT_EQ(groups->head().content_type, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  EXPECT_EQ(
      groups->Drain(),
      R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":)"
      R"({"name":"apps"},"versions":[{"version":"v1","resources":[{"resource":"deployments",)"
      R"("responseKind":{"group":"",)"
      R"("version":"","kind":"Deployment"},"scope":"Namespaced","singularResource":"deployment","verbs":["get",)"
      R"("list",)"
      R"("watch"],"shortNames":["deploy"],"categories":["all"],"subresources":[{"subresource":"scale","responseKind":)"
      R"({"group":"autoscaling","version":"v1","kind":"Scale"},"verbs":["get"]}]}],"freshness":"Current"}]},{"metadata":)"
      R"({"name":"shop.example.com"},"versions":[{"version":"v1","resources":[{"resource":"widgets",)"
      R"("responseKind":)"
      R"({"group":"shop.example.com","version":"v1","kind":"Widget"},"scope":"Namespaced",)"
      R"("singularResource":"widget",)"
      R"("verbs":["get","list","watch"]}],"freshness":"Current"}]}]})"
      "\n");
  const std::string core = Send("/api", {{"accept", kAggregated}})->Drain();
  EXPECT_THAT(core, HasSubstr(R"("items":[{"metadata":{},"versions":[{"version":"v1",)"
                              R"("resources":[{"resource":"configmaps")"));
  EXPECT_THAT(
      core,
      HasSubstr(R"("subresources":[{"subresource":"status","responseKind":{"group":"","version":"","kind":"Pod"},)"
                R"("verbs":["get"]}])"));
}

TEST_F(ApiServerTest, DiscoveryInOtherEncodings) {
  const auto yaml = Send("/api", {{"accept", "application/yaml"}});
  EXPECT_EQ(yaml->head().content_type, "application/yaml");
  EXPECT_EQ(yaml->Drain(),
            "kind: APIVersions\nserverAddressByClientCIDRs:\n- clientCIDR: 0.0.0.0/0\n  serverAddress: \"\"\n"
            "versions:\n- v1\n");
  const std::string protobuf = "application/vnd.kubernetes.protobuf";
  const std::string parameters = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  for (const std::string path : {"/api", "/apis", "/apis/apps", "/apis/apps/v1", "/api/v1"}) {
    const auto exchange = Send(path, {{"accept", protobuf}});
    EXPECT_EQ(exchange->head().content_type, protobuf) << path;
    EXPECT_THAT(exchange->Drain(), testing::StartsWith(std::string("k8s\0", 4))) << path;
  }
  EXPECT_EQ(Send("/apis", {{"accept", protobuf + parameters}})->head().content_type, protobuf + parameters);
  EXPECT_EQ(Send("/apis", {{"accept", "application/cbor"}})->status(), 406);
}

TEST_F(ApiServerTest, DiscoveryIsNotSentAgainToWhoHasIt) {
  const std::string etag = Send("/apis", {{"accept", kAggregated}})->Header("ETag");
  ASSERT_FALSE(etag.empty());
  const auto again = Send("/apis", {{"accept", kAggregated}, {"if-none-match", etag}});
  EXPECT_EQ(again->status(), 304);
  EXPECT_EQ(again->Drain(), "");
  EXPECT_EQ(Send("/apis", {{"if-none-match", etag}})->status(), 200);
}

TEST_F(ApiServerTest, UnknownPathsAndResources) {
  const std::string status = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                             R"("message":"the server could not find the requested )"
                             R"(resource","reason":"NotFound","details":{},"code":404})"
                             "\n";
  for (const std::string path :
       {"/api/v1/nothing", "/api/v2", "/apis/apps/v2", "/api/v1/pods/p", "/api/v1/watch/nothing"}) {
    const auto exchange = Send(path);
    EXPECT_EQ(exchange->status(), 404) << path;
    EXPECT_EQ(exchange->head().content_type, "application/json") << path;
    EXPECT_EQ(exchange->Drain(), status) << path;
  }
  for (const std::string path :
       {"/nothing", "/apis/nothing/v1", "/apis/shop.example.com/v1/things", "/readyz/nothing"}) {
    const auto exchange = Send(path, {{"accept", "application/yaml"}});
    EXPECT_EQ(exchange->status(), 404) << path;
    EXPECT_EQ(exchange->head().content_type, "text/plain; charset=utf-8") << path;
    EXPECT_EQ(exchange->Drain(), "404 page not found\n") << path;
  }
  EXPECT_EQ(Get("/api/v1/watch"),
            "Internal Server Error: \"/api/v1/watch\": failed to create RequestInfo: unable to determine kind and "
            "namespace from "
            "url, /api/v1/watch\n");
  EXPECT_THAT(Get("/apis/shop.example.com/v1/namespaces/d/widgets/w/status"),
              HasSubstr(R"(widgets.shop.example.com \"w\" not found)"));
}

TEST_F(ApiServerTest, WritesAreToldWhereToGoAndNonsenseIsNot) {
  struct Row {
    std::string method;
    std::string path;
    bool elsewhere;
  };
  const Row rows[] = {
      {"POST", "/api/v1/namespaces/d/configmaps", true},
      {"DELETE", "/api/v1/namespaces/d/configmaps", true},
      {"PUT", "/api/v1/namespaces/d/configmaps/a", true},
      {"PATCH", "/api/v1/namespaces/d/pods/p/status", true},
      {"DELETE", "/api/v1/namespaces/d/configmaps/a", true},
      {"PUT", "/api/v1/namespaces/d/configmaps", false},
      {"POST", "/api/v1/namespaces/d/configmaps/a", false},
      {"DELETE", "/api/v1/namespaces/d/pods/p/status", false},
      {"HEAD", "/api/v1/namespaces/d/configmaps", false},
      {"OPTIONS", "/api/v1/namespaces/d/configmaps", false},
      {"FOO", "/api/v1/namespaces/d/configmaps", false},
      {"POST", "/api", false},
      {"POST", "/api/v1", false},
      {"DELETE", "/version", false},
  };
  for (const Row& row : rows) {
    const auto exchange = Send(row.path, {}, row.method);
    EXPECT_EQ(exchange->status(), 405) << row.method << row.path;
    const std::string body = exchange->Drain();
    EXPECT_THAT(body, HasSubstr("the server does not allow this method on the requested resource")) << row.path;
    EXPECT_THAT(body, HasSubstr(R"("reason":"MethodNotAllowed","details":{},"code":405)")) << row.path;
    EXPECT_EQ(body.find("send writes to the Kubernetes API server") != std::string::npos, row.elsewhere)
        << row.method << row.path;
  }
  EXPECT_EQ(Send("/api/v1/nothing", {}, "POST")->status(), 404);
  EXPECT_EQ(Send("/nothing", {}, "POST")->status(), 404);
  EXPECT_EQ(Send("/readyz", {}, "POST")->status(), 200);
}

TEST_F(ApiServerTest, Health) {
  for (const std::string path : {"/livez", "/readyz", "/healthz", "/readyz/ping", "/readyz?timeout=32s"}) {
    const auto exchange = Send(path);
    EXPECT_EQ(exchange->status(), 200) << path;
    EXPECT_EQ(exchange->Drain(), "ok") << path;
  }
  EXPECT_THAT(Get("/readyz?verbose"), HasSubstr("[+]mirror/pods ok\n"));
  EXPECT_THAT(Get("/readyz?verbose"), testing::EndsWith("readyz check passed\n"));
  pods_->set_ready(false);
  const auto exchange = Send("/readyz");
  EXPECT_EQ(exchange->status(), 500);
  EXPECT_THAT(exchange->Drain(), HasSubstr("[-]mirror/pods failed: its first list is not complete\n"));
  EXPECT_EQ(Send("/livez")->status(), 200);
  EXPECT_EQ(Send("/readyz?exclude=mirror/pods")->status(), 200);
  nodes_->set_ready(false);
  EXPECT_EQ(Send("/readyz?exclude=mirror/pods")->status(), 500);
  EXPECT_EQ(Send("/readyz?exclude=mirror/pods&exclude=mirror/nodes")->status(), 200);
  nodes_->set_ready(true);
  EXPECT_EQ(Get("/readyz/mirror/pods"), "internal server error: its first list is not complete\n");
  EXPECT_EQ(Get("/readyz/mirror/nodes"), "ok");
  EXPECT_EQ(Get("/livez/mirror/nodes"), "404 page not found\n");
}

TEST_F(ApiServerTest, AStoreThatRefusesWritesIsNotReady) {
  absl::Status health;
  ApiServer server(ApiServerOptions{
      .cache = &cache_, .registry = &registry_, .executor = &executor_, .clock = clock_, .store_health = [&health] {
        return health;
      }});
  const auto get = [&server](absl::string_view path) {
    const auto exchange = std::make_shared<FakeExchange>(path);
    server.Handle(exchange);
    return absl::StrCat(exchange->status(), " ", exchange->Drain());
  };
  EXPECT_EQ(get("/readyz"), "200 ok");
  EXPECT_THAT(get("/readyz?verbose"), HasSubstr("[+]store ok\n"));
  health = absl::UnavailableError("cannot sync the log");
  EXPECT_THAT(get("/readyz"), testing::StartsWith("500 "));
  EXPECT_THAT(get("/readyz"), HasSubstr("[-]store failed: cannot sync the log\n"));
  EXPECT_EQ(get("/livez"), "200 ok");
  EXPECT_EQ(get("/readyz/ping"), "200 ok");
}

TEST_F(ApiServerTest, VersionMetricsAndTheFirstPage) {
  EXPECT_THAT(Get("/version"), HasSubstr("{\n  \"major\": \"1\",\n  \"minor\": \"36\",\n"));
  Get("/api/v1/pods");
  const auto metrics = Send("/metrics");
  EXPECT_EQ(metrics->head().content_type, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
  const std::string text = metrics->Drain();
  EXPECT_THAT(text, HasSubstr(R"(resource="pods",scope="cluster")"));
  EXPECT_THAT(text, HasSubstr(R"(apiserver_current_inflight_requests{request_kind="readOnly"} 1)"));
  const std::string page = Get("/");
  EXPECT_THAT(page, HasSubstr("/apis/apps/v1/deployments"));
  EXPECT_THAT(page, HasSubstr("/readyz"));
}

TEST_F(ApiServerTest, EndpointsAreDeprecatedInEveryAnswer) {
  const config::Resource endpoints{
      .version = "v1", .kind = "Endpoints", .plural = "endpoints", .prefix = "services/endpoints"};
  FakeCache cache;
  cache.Add(endpoints)->Progress(84);
  ApiServer server(ApiServerOptions{
      .cache = &cache, .resources = {&endpoints}, .registry = &registry_, .executor = &executor_, .clock = clock_});
  for (const std::string path : {"", "/none", "?watch=true", "?limit=abc"}) {
    const auto exchange = std::make_shared<FakeExchange>("/api/v1/namespaces/d/endpoints" + path);
    server.Handle(exchange);
    EXPECT_EQ(exchange->Header("Warning"),
              R"(299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")")
        << path;
  }
  EXPECT_EQ(Send("/api/v1/pods")->Header("Warning"), "");

  const struct {
    std::string query;
    std::string accept;
    int status;
    bool warns;
  } kRows[] = {
      {"", "application/json", 200, true},
      {"", "application/cbor", 406, false},  // the route has no such type
      {"/none", "image/png", 406, false},
      {"?watch=true", "text/html", 406, false},
      {"", "application/json;as=Wrong;v=v1;g=meta.k8s.io", 406, true},  // the endpoint has no such form
      {"?watch=true", "application/yaml", 406, true},
      {"", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", 406, true},
  };
  for (const auto& row : kRows) {
    const auto exchange = std::make_shared<FakeExchange>("/api/v1/namespaces/d/endpoints" + row.query,
                                                         FakeExchange::Headers{{"accept", row.accept}});
    server.Handle(exchange);
    EXPECT_EQ(exchange->status(), row.status) << row.query << " as " << row.accept;
    EXPECT_EQ(!exchange->Header("Warning").empty(), row.warns) << row.query << " as " << row.accept;
  }
}

TEST_F(ApiServerTest, WhatIsNotMirroredIsUnknown) {
  FakeCache none;
  const ApiServerOptions options{.cache = &none, .resources = {&pod_}, .registry = &registry_, .executor = &executor_};
  ApiServer server(options);
  const auto exchange = std::make_shared<FakeExchange>("/api/v1/pods");
  server.Handle(exchange);
  EXPECT_EQ(exchange->status(), 404);
}

TEST_F(ApiServerTest, AnAnswerThatNobodyWaitsForAnyMoreDoesNoHarm) {
  cache_.HoldReads();
  Send("/api/v1/pods").reset();
  Send("/api/v1/pods?watch=true").reset();
  cache_.ReleaseReads();
  executor_.RunUntilIdle();
}

}  // namespace
}  // namespace tidemark::http
