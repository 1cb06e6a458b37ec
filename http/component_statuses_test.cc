#include "http/component_statuses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "http/api_server.h"
#include "http/fake_cache.h"
#include "http/fake_exchange.h"
#include "metrics/registry.h"

namespace tidemark::http {
namespace {

using testing::HasSubstr;

// A server of what no store has, and of nothing else.
class UnstoredResourcesTest : public testing::Test {
 protected:
  UnstoredResourcesTest() {
    ApiServerOptions options{
        .cache = &cache_, .registry = &registry_, .executor = &executor_, .slow_executor = &executor_};
    for (const config::Resource& resource : config::UnstoredResources()) options.resources.push_back(&resource);
    options.post = [this](Executor::Task task) { executor_.Post(std::move(task)); };
    server_ = std::make_unique<ApiServer>(std::move(options));
  }

  std::shared_ptr<FakeExchange> Send(const std::string& target, const std::string& method = "GET",
                                     const std::string& accept = "application/json") {
    auto exchange = std::make_shared<FakeExchange>(target, FakeExchange::Headers{{"accept", accept}}, method);
    server_->Handle(exchange);
    return exchange;
  }

  SimClock clock_;
  SimExecutor executor_{clock_};
  metrics::Registry registry_;
  FakeCache cache_;
  std::unique_ptr<ApiServer> server_;
};

TEST_F(UnstoredResourcesTest, NoComponentIsListedOrFound) {
  const std::string warning = R"(299 - "v1 ComponentStatus is deprecated in v1.19+")";
  const auto list = Send("/api/v1/componentstatuses");
  EXPECT_EQ(list->status(), 200);
  EXPECT_EQ(list->Header("Warning"), warning);
  EXPECT_THAT(list->Drain(), HasSubstr(R"({"kind":"ComponentStatusList","apiVersion":"v1","metadata":{},"items":[]})"));
  const auto get = Send("/api/v1/componentstatuses/x");
  EXPECT_EQ(get->status(), 404);
  EXPECT_EQ(get->Header("Warning"), warning);
  EXPECT_THAT(get->Drain(), HasSubstr(R"("message":"componentstatus \"x\" not found","reason":"NotFound","details":)"
                                      R"({"name":"x","kind":"componentstatus"},"code":404)"));
}

TEST_F(UnstoredResourcesTest, TheEmptyListInEveryForm) {
  const std::string table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  EXPECT_THAT(Send("/api/v1/componentstatuses", "GET", table)->Drain(), HasSubstr("\"kind\":\"Table\""));
  EXPECT_THAT(Send("/api/v1/componentstatuses", "GET", "application/yaml")->Drain(), HasSubstr("items: []\n"));
  EXPECT_THAT(Send("/api/v1/componentstatuses", "GET", "application/vnd.kubernetes.protobuf")->Drain(),
              HasSubstr(std::string("k8s\0", 4)));
}

TEST_F(UnstoredResourcesTest, WhatCannotBeAsked) {
  struct Row {
    std::string method;
    std::string path;
    bool elsewhere;  // whether the answer says where such a write belongs
  };
  const std::vector<Row> rows = {
      {"GET", "/api/v1/componentstatuses?watch=1", false},
      {"GET", "/api/v1/watch/componentstatuses", false},
      {"DELETE", "/api/v1/componentstatuses/x", false},
      {"POST", "/api/v1/componentstatuses", false},
      {"GET", "/api/v1/namespaces/d/bindings", false},
      {"POST", "/api/v1/namespaces/d/bindings", true},
      {"PUT", "/api/v1/namespaces/d/bindings", false},
      {"GET", "/apis/authorization.k8s.io/v1/subjectaccessreviews", false},
      {"POST", "/apis/authentication.k8s.io/v1/tokenreviews", true},
  };
  for (const Row& row : rows) {
    const auto exchange = Send(row.path, row.method);
    EXPECT_EQ(exchange->status(), 405) << row.method << " " << row.path;
    const std::string body = exchange->Drain();
    EXPECT_EQ(body.find("this server only reads") != std::string::npos, row.elsewhere) << row.method << " " << row.path;
    if (row.method == "GET") continue;
    EXPECT_EQ(exchange->Header("Warning"), "") << row.method << " " << row.path;
  }
}

}  // namespace
}  // namespace tidemark::http
