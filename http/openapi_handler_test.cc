#include "http/openapi_handler.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/api_fixture.h"
#include "http/gunzip.h"
#include "http/gzip_source.h"

namespace tidemark::http {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kProtobuf[] = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

class OpenApiHandlerTest : public ApiFixture {
 protected:
  std::shared_ptr<FakeExchange> Ask(const std::string& target, FakeExchange::Headers headers = {},
                                    const std::string& method = "GET") {
    auto answer = Send(target, std::move(headers), method);
    executor_.RunUntilIdle();
    return answer;
  }

  // What the index says is the document's address: with its hash.
  std::string AddressOf(absl::string_view path) {
    const std::string index = Ask("/openapi/v3")->Drain();
    const std::string before = absl::StrCat("\"", path, "\":{\"serverRelativeURL\":\"");
    const size_t begin = index.find(before);
    if (begin == std::string::npos) return "";
    const size_t address = begin + before.size();
    return index.substr(address, index.find('"', address) - address);
  }
  std::string HashOf(absl::string_view path) {
    const std::string address = AddressOf(path);
    return address.substr(address.find('=') + 1);
  }
};

TEST_F(OpenApiHandlerTest, DocumentsAreMadeInTheSlowLaneWhenTheyAreFirstAskedFor) {
  for (const std::string target : {"/openapi/v3", "/openapi/v2"}) {
    const auto first = Send(target);
    EXPECT_FALSE(first->answered()) << target;
    EXPECT_EQ(executor_.RunUntilIdle(), 1) << target;
    EXPECT_EQ(first->status(), 200) << target;
    const auto second = Send(target);
    ASSERT_TRUE(second->answered()) << target;
    EXPECT_EQ(second->Drain(), first->Drain()) << target;
  }
  EXPECT_TRUE(Send("/openapi/v3/apis/apps/v1")->answered());
}

TEST_F(OpenApiHandlerTest, TheIndexNamesEachGroupVersionThatIsServed) {
  const auto answer = Ask("/openapi/v3");
  EXPECT_EQ(answer->head().content_type, "text/plain; charset=utf-8");
  for (const char* const path : {"api/v1", "apis/apps/v1", "apis/shop.example.com/v1"})
    EXPECT_THAT(AddressOf(path), StartsWith(absl::StrCat("/openapi/v3/", path, "?hash="))) << path;
  EXPECT_EQ(AddressOf("apis/batch/v1"), "");
}

TEST_F(OpenApiHandlerTest, TheDocumentOfAGroupVersionIsJson) {
  const auto answer = Ask("/openapi/v3/apis/apps/v1");
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->head().content_type, "application/json");
  EXPECT_EQ(answer->Header("ETag"), absl::StrCat("\"", HashOf("apis/apps/v1"), "\""));
  EXPECT_EQ(answer->Header("Cache-Control"), "");
  const std::string body = answer->Drain();
  EXPECT_THAT(body, StartsWith(R"({"openapi":"3.0.0",)"));
  EXPECT_THAT(body, HasSubstr("/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"));
}

TEST_F(OpenApiHandlerTest, WhoNamesTheHashMayKeepTheDocument) {
  const auto kept = Ask(AddressOf("api/v1"));
  EXPECT_EQ(kept->status(), 200);
  EXPECT_EQ(kept->Header("Cache-Control"), "public, immutable");
  EXPECT_EQ(kept->Header("Expires"),
            absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", clock_.Now() + absl::Hours(24 * 365), absl::UTCTimeZone()));
  const auto old = Ask("/openapi/v3/api/v1?hash=0123456789abcdef");
  EXPECT_EQ(old->status(), 301);
  EXPECT_EQ(old->Header("Location"), AddressOf("api/v1"));
  EXPECT_EQ(old->Header("Cache-Control"), "no-cache, private") << "the document may become that again";
  EXPECT_EQ(old->Drain(), "");
}

TEST_F(OpenApiHandlerTest, AnEmptyHashNamesNoDocument) {
  const auto answer = Ask("/openapi/v3/api/v1?hash=");
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->Header("Cache-Control"), "");
}

TEST_F(OpenApiHandlerTest, WhoHasTheDocumentGetsNoOther) {
  for (const std::string target : {"/openapi/v3/api/v1", "/openapi/v2"}) {
    const std::string etag = Ask(target)->Header("ETag");
    EXPECT_EQ(etag.size(), 18) << target;
    for (const std::string& known : {etag, "W/" + etag, "\"x\", " + etag, etag + ",\"x\"", std::string("*")}) {
      const auto answer = Ask(target, {{"if-none-match", known}});
      EXPECT_EQ(answer->status(), 304) << target << " " << known;
      EXPECT_EQ(answer->Header("ETag"), etag) << target;
      EXPECT_EQ(answer->Drain(), "") << target;
    }
    for (const std::string& other : {std::string("\"another\""), etag.substr(1, 16), std::string()})
      EXPECT_EQ(Ask(target, {{"if-none-match", other}})->status(), 200) << target << " " << other;
  }
  const std::string address = AddressOf("api/v1");
  const auto kept = Ask(address, {{"if-none-match", "*"}});
  EXPECT_EQ(kept->status(), 304);
  EXPECT_EQ(kept->Header("Cache-Control"), "public, immutable");
}

struct TypeRow {
  const char* target;
  const char* accept;
  int status;
  const char* content_type;
};

TEST_F(OpenApiHandlerTest, TypesByWhatTheClientTakes) {
  constexpr char kProtobufAnswer[] = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  const std::vector<TypeRow> rows = {
      {"/openapi/v2", "", 200, "application/json"},
      {"/openapi/v2", "*/*", 200, "application/json"},
      {"/openapi/v2", "application/json", 200, "application/json"},
      {"/openapi/v2", "application/xml, application/*;q=0.1", 200, "application/json"},
      {"/openapi/v2", kProtobuf, 200, kProtobufAnswer},
      {"/openapi/v2", kProtobufAnswer, 200, kProtobufAnswer},
      {"/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf, application/json", 200,
       kProtobufAnswer},
      {"/openapi/v2", "application/yaml", 406, ""},
      {"/openapi/v3/api/v1", "", 200, "application/json"},
      {"/openapi/v3/api/v1", "application/json, */*", 200, "application/json"},
      {"/openapi/v3/api/v1", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf", 406, ""},
      {"/openapi/v3", "application/xml", 200, "text/plain; charset=utf-8"},
  };
  for (const TypeRow& row : rows) {
    FakeExchange::Headers headers;
    if (*row.accept != '\0') headers.emplace_back("accept", row.accept);
    const auto answer = Ask(row.target, headers);
    EXPECT_EQ(answer->status(), row.status) << row.target << " " << row.accept;
    EXPECT_EQ(answer->head().content_type, row.content_type) << row.target << " " << row.accept;
  }
  EXPECT_THAT(Ask("/openapi/v2", {{"accept", kProtobuf}})->Drain(), StartsWith("\x0a\x03"
                                                                               "2.0"));
}

TEST_F(OpenApiHandlerTest, WhatIsNoDocumentIsNotFound) {
  for (const char* const target : {"/openapi/v3/", "/openapi/v3/apis/nothing/v1", "/openapi/v3/apis/apps/v1/"}) {
    const auto answer = Ask(target);
    EXPECT_EQ(answer->status(), 404) << target;
    EXPECT_EQ(answer->Drain(), "") << target;
  }
  for (const char* const target : {"/openapi", "/openapi/", "/openapi/v1", "/openapi/v2/", "/openapi/v30"}) {
    const auto answer = Ask(target);
    EXPECT_EQ(answer->status(), 404) << target;
    EXPECT_EQ(answer->Drain(), "404 page not found\n") << target;
  }
}

TEST_F(OpenApiHandlerTest, AnyMethodReads) {
  const std::string body = Ask("/openapi/v3")->Drain();
  for (const char* const method : {"POST", "PUT", "OPTIONS"})
    EXPECT_EQ(Ask("/openapi/v3", {}, method)->Drain(), body) << method;
}

TEST_F(OpenApiHandlerTest, LargeDocumentsAreCompressedForWhoTakesThat) {
  auto gear = std::make_shared<config::Resource>(widget_);
  gear->group = "gears.example.com";
  gear->schema =
      std::make_shared<const std::string>(absl::StrCat(R"({"description":")", std::string(kGzipBytesMin, 'd'), "\"}"));
  server_->SetCustomResources({std::make_shared<const ServedResource>(ServedResource{.resource = gear})});
  const std::string plain = Ask("/openapi/v2")->Drain();
  const auto answer = Ask("/openapi/v2", {{"accept-encoding", "gzip"}});
  EXPECT_EQ(answer->Header("Content-Encoding"), "gzip");
  EXPECT_EQ(Gunzip(answer->Drain()), plain);
}

TEST_F(OpenApiHandlerTest, WhoAsksMeanwhileWaitsForTheSame) {
  std::vector<std::shared_ptr<FakeExchange>> waiting;
  for (int i = 0; i < 100; ++i) waiting.push_back(Send(i % 2 == 0 ? "/openapi/v2" : "/openapi/v3/api/v1"));
  waiting[4]->Leave();
  EXPECT_EQ(executor_.RunUntilIdle(), 2) << "each is made once";
  for (size_t i = 0; i < waiting.size(); ++i) EXPECT_EQ(waiting[i]->status(), 200) << i;
  EXPECT_EQ(waiting[98]->Drain(), waiting[0]->Drain());
}

TEST_F(OpenApiHandlerTest, WhatNeedsNoDocumentMakesNone) {
  EXPECT_EQ(Send("/openapi/v3/apis/nothing/v1")->status(), 404);
  EXPECT_EQ(Send("/openapi/v2", {{"accept", "text/html"}})->status(), 406);
  EXPECT_EQ(Send("/openapi/v3/api/v1", {{"accept", "text/html"}})->status(), 406);
  EXPECT_EQ(executor_.RunUntilIdle(), 0);
}

TEST_F(OpenApiHandlerTest, AnAnswerKeepsItsDocumentsAndNoCopyOfThem) {
  const std::string before = Ask("/openapi/v3/apis/shop.example.com/v1")->Drain();
  const auto answer = Ask("/openapi/v3/apis/shop.example.com/v1");
  ASSERT_NE(answer->source(), nullptr);
  EXPECT_EQ(answer->source()->held_bytes(), 0u);
  EXPECT_EQ(answer->length(), before.size());
  server_->SetCustomResources({});
  EXPECT_EQ(answer->Drain(), before);
}

class FullLaneTest : public testing::Test {
 protected:
  std::shared_ptr<FakeExchange> Ask(const std::string& path) {
    auto exchange = std::make_shared<FakeExchange>("/openapi/" + path);
    handler_.Answer(path, documents_, std::make_shared<Responder>(exchange, &metrics_, &series_, clock_));
    return exchange;
  }

  SimClock clock_;
  metrics::Registry registry_;
  metrics::HttpMetrics metrics_{&registry_};
  metrics::RequestSeries series_{&registry_, {.verb = "GET"}};
  std::optional<SimExecutor> executor_{std::in_place, clock_};
  SlowLane lane_{&*executor_, &metrics_};
  OpenApiHandler handler_{&lane_, clock_};
  const std::shared_ptr<openapi::Documents> documents_ = std::make_shared<openapi::Documents>(openapi::Resources());
};

TEST_F(FullLaneTest, TheNextIsToldToComeAgain) {
  while (lane_.Post([] {})) {
  }
  EXPECT_EQ(Ask("v3")->status(), 429);
  EXPECT_EQ(Ask("v2")->status(), 429);
  executor_->RunUntilIdle();
  const auto later = Ask("v3");
  executor_->RunUntilIdle();
  EXPECT_EQ(later->status(), 200);
}

TEST_F(FullLaneTest, WhenTheLaneEndsNobodyIsKept) {
  const auto first = Ask("v2"), second = Ask("v2");
  executor_.reset();
  EXPECT_EQ(first.use_count(), 1);
  EXPECT_EQ(second.use_count(), 1);
  EXPECT_EQ(documents_.use_count(), 1);
  EXPECT_EQ(metrics_.inflight_reads.Value(), 0);
}

// A new definition, and another schema of it, change their own document and no other.
TEST_F(OpenApiHandlerTest, DocumentsFollowWhatIsServed) {
  const std::string core = HashOf("api/v1");
  std::vector<std::string> hashes;
  for (const char* const schema : {R"({"properties":{"a":{"type":"string"}}})", R"({"properties":{"b":{}}})"}) {
    auto gear = std::make_shared<config::Resource>(widget_);
    gear->group = "gears.example.com";
    gear->schema = std::make_shared<const std::string>(schema);
    server_->SetCustomResources({std::make_shared<const ServedResource>(ServedResource{.resource = gear})});
    hashes.push_back(HashOf("apis/gears.example.com/v1"));
    EXPECT_THAT(Ask("/openapi/v3/apis/gears.example.com/v1")->Drain(), HasSubstr("com.example.gears.v1.Widget"));
  }
  EXPECT_NE(hashes[0], hashes[1]);
  EXPECT_EQ(HashOf("api/v1"), core);
  server_->SetCustomResources({});
  EXPECT_EQ(Ask("/openapi/v3/apis/gears.example.com/v1")->status(), 404);
}

}  // namespace
}  // namespace tidemark::http
