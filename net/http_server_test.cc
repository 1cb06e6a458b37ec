#include "net/http_server.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "net/raw_client.h"
#include "net/test_server.h"

namespace tidemark::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HttpServerTest, AnswersAndKeepsTheConnection) {
  TestServer server(Hello);
  RawClient client(server.address());
  for (int i = 0; i < 3; ++i) {
    const RawClient::Response response = client.Get(kGet);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "hello /hello\n");
    EXPECT_TRUE(response.Has("Content-Type: text/plain\r\n")) << response.head;
    EXPECT_TRUE(response.Has("Date: ")) << response.head;
  }
  EXPECT_EQ(server.metrics.requests.Value(), 3);
  EXPECT_EQ(server.metrics.accepted.Value(), 1);
  EXPECT_EQ(server.metrics.received_bytes.Value(), 3 * kGet.size());
}

TEST(HttpServerTest, RequestIsHandedOverAsItWasSent) {
  TestServer server([](std::shared_ptr<Exchange> exchange) {
    const Request& request = exchange->request();
    exchange->Reply({}, absl::StrCat(request.method, "|", request.target, "|", request.path, "|",
                                     absl::StrJoin(request.query, "&", absl::PairFormatter("=")), "|",
                                     request.Header("x-t"), "|", request.Header("absent"), "|",
                                     request.Query("b").value_or("none"), "|", request.Query("c").value_or("none")));
  });
  RawClient client(server.address());
  EXPECT_EQ(client.Get("GET /a%2Fb?x=1+2&b=%41&bad=%zz&x=3&b HTTP/1.1\r\nHost: x\r\nX-T: a%20b%0d%0aI: 1\r\n\r\n").body,
            "GET|/a%2Fb?x=1+2&b=%41&bad=%zz&x=3&b|/a%2Fb|x=1 2&b=A&x=3&b=|a%20b%0d%0aI: 1||A|none");
  EXPECT_EQ(client.Get("GET http://other/p?q=1 HTTP/1.1\r\nHost: x\r\n\r\n").body, "GET|/p?q=1|/p|q=1|||none|none");
  EXPECT_EQ(client.Get("GET /a?b=c?d&x=? HTTP/1.1\r\nHost: x\r\n\r\n").body,
            "GET|/a?b=c?d&x=?|/a|b=c?d&x=?|||c?d|none");
  EXPECT_EQ(client.Get("GET /\xc3\xa4?b=\xe2\x82\xac HTTP/1.1\r\nHost: x\r\n\r\n").body,
            "GET|/\xc3\xa4?b=\xe2\x82\xac|/\xc3\xa4|b=\xe2\x82\xac|||\xe2\x82\xac|none");
  for (const std::string method : {"FOO", "get", "M-SEARCH"}) {
    EXPECT_EQ(client.Get(method + " /a HTTP/1.1\r\nHost: x\r\n\r\n").body, method + "|/a|/a||||none|none");
  }
}

TEST(HttpServerTest, LinesBeyondTheLibrarysOwnLimitAreServed) {
  TestServer server([](std::shared_ptr<Exchange> exchange) {
    exchange->Reply(
        {}, absl::StrCat(exchange->request().target.size(), " ", exchange->request().Header("authorization").size()));
  });
  RawClient client(server.address());
  const std::string target = "/api?labelSelector=" + std::string(50'000, 'a');
  const std::string token(20'000, 't');
  const RawClient::Response response =
      client.Get(absl::StrCat("GET ", target, " HTTP/1.1\r\nHost: x\r\nAuthorization: ", token, "\r\n\r\n"));
  EXPECT_EQ(response.body, absl::StrCat(target.size(), " ", token.size()));
}

TEST(HttpServerTest, LinesAroundTheLibrarysOwnLimitAreServed) {
  TestServer server(Hello);
  RawClient client(server.address());
  for (size_t size = 8150; size < 8210; ++size) {
    const std::string path = "/" + std::string(size, 'a');
    ASSERT_EQ(client.Get(absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: x\r\n\r\n")).body,
              absl::StrCat("hello ", path, "\n"));
  }
}

TEST(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  TestServer server(Hello);
  RawClient client(server.address());
  std::string requests;
  for (int i = 0; i < 200; ++i) absl::StrAppend(&requests, "GET /", i, " HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < 200; ++i) ASSERT_EQ(client.ReadResponse().body, absl::StrCat("hello /", i, "\n"));
}

TEST(HttpServerTest, AHeadMayComeByteByByte) {
  TestServer server(Hello);
  RawClient client(server.address());
  for (int i = 0; i < 2; ++i) {
    for (const char c : kGet) ASSERT_TRUE(client.Send({&c, 1}));
    EXPECT_EQ(client.ReadResponse().body, "hello /hello\n");
  }
}

TEST(HttpServerTest, RefusalsAreAnsweredAndTheConnectionEnds) {
  struct Row {
    const char* name;
    std::string bytes;
    int status;
  };
  const Row kRows[] = {
      {"TwoLengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400},
      {"LengthAndChunks",
       "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"BodyOnGet", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 400},
      {"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
      {"LongLine", absl::StrCat("GET /", std::string(70'000, 'a'), " HTTP/1.1\r\nHost: x\r\n\r\n"), 414},
      {"EndlessLine", absl::StrCat("GET /", std::string(70'000, 'a')), 414},
      {"BigBody", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n", 413},
      {"Connect", "CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n", 501},
  };
  TestServer server(Hello);
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    RawClient client(server.address());
    // A second request behind the first must never be served.
    client.Send(row.bytes + std::string(kGet));
    const RawClient::Response response = client.ReadResponse();
    EXPECT_EQ(response.status, row.status);
    EXPECT_TRUE(response.Has("Connection: close\r\n"));
    EXPECT_EQ(client.ReadAll(), "");
  }
  EXPECT_EQ(server.metrics.requests.Value(), 0);
}

TEST(HttpServerTest, ARefusalArrivesThoughTheClientGoesOnSending) {
  ServerLimits limits;
  limits.linger_time = absl::Seconds(RawClient::kPatienceSeconds);
  TestServer server(Hello, limits);
  RawClient client(server.address());
  client.Send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(client.Send(std::string(2'000'000, 'x')));
  client.FinishSending();
  EXPECT_EQ(client.ReadResponse().status, 400);
  bool reset = true;
  EXPECT_EQ(client.ReadAll(&reset), "");
  EXPECT_FALSE(reset);
}

TEST(HttpServerTest, WhatComesWithTheEndOfARefusedRequestIsReadAndNobodysFault) {
  ServerLimits limits;
  limits.linger_time = absl::Seconds(RawClient::kPatienceSeconds);
  TestServer server(Hello, limits);
  RawClient client(server.address());
  const std::string without_host = "GET / HTTP/1.1\r\n\r\n";
  EXPECT_EQ(client.Get(without_host).status, 400);
  EXPECT_EQ(client.ReadAll(), "");
  // The server lingers. Bytes and end in one segment: it learns of both at once, and that all directions have ended.
  EXPECT_EQ(::send(client.fd(), "x", 1, MSG_NOSIGNAL | MSG_MORE), 1);
  client.FinishSending();
  while (server.metrics.connections.Value() > 0) std::this_thread::yield();
  EXPECT_EQ(server.metrics.received_bytes.Value(), without_host.size() + 1);
  EXPECT_EQ(server.metrics.closed_by_client.Value(), 0);
}

TEST(HttpServerTest, BodiesAreDroppedAndTheConnectionStaysInStep) {
  TestServer server(
      [](std::shared_ptr<Exchange> exchange) { exchange->Reply({.status = 405}, exchange->request().method); });
  RawClient client(server.address());
  EXPECT_EQ(client.Get("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /").body, "POST");
  EXPECT_EQ(
      client.Get("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;e=1\r\nabc\r\n0\r\nT: 1\r\n\r\n")
          .body,
      "PUT");
  const std::string big(1 << 20, 'b');
  EXPECT_EQ(
      client.Get(absl::StrCat("PATCH / HTTP/1.1\r\nHost: x\r\nContent-Length: ", big.size(), "\r\n\r\n", big)).body,
      "PATCH");
  EXPECT_EQ(client.Get("DELETE / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").body, "DELETE");
}

TEST(HttpServerTest, ABodyThatWaitsForContinueGetsIt) {
  TestServer server([](std::shared_ptr<Exchange> exchange) { exchange->Reply({.status = 405}, "no"); });
  RawClient client(server.address());
  EXPECT_EQ(client.Get("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n").status, 100);
  EXPECT_EQ(client.Get("hello").status, 405);
  EXPECT_EQ(client.Get("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello").status,
            405);
}

TEST(HttpServerTest, HeadHasNoBody) {
  TestServer server([](std::shared_ptr<Exchange> exchange) {
    if (exchange->request().path == "/stream") return exchange->Reply({}, std::make_unique<BlockSource>(1000, 10));
    exchange->Reply({}, "twelve bytes");
  });
  RawClient client(server.address());
  const RawClient::Response whole = client.Get("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", true);
  EXPECT_TRUE(whole.Has("Content-Length: 12\r\n")) << whole.head;
  const RawClient::Response stream = client.Get("HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n", true);
  EXPECT_TRUE(stream.Has("Transfer-Encoding: chunked\r\n")) << stream.head;
  EXPECT_EQ(client.Get(kGet).body, "twelve bytes");
}

TEST(HttpServerTest, ConnectionOptionsAreReadInAnyCase) {
  TestServer server(Hello);
  RawClient closing(server.address());
  EXPECT_TRUE(closing.Get("GET / HTTP/1.1\r\nHost: x\r\nConnection: TE, Close\r\n\r\n").Has("Connection: close\r\n"));
  EXPECT_EQ(closing.ReadAll(), "");

  RawClient old(server.address());
  EXPECT_TRUE(old.Get("GET / HTTP/1.0\r\n\r\n").Has("Connection: close\r\n"));
  EXPECT_EQ(old.ReadAll(), "");

  RawClient old_keeping(server.address());
  EXPECT_TRUE(old_keeping.Get("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").Has("Connection: keep-alive\r\n"));
  EXPECT_EQ(old_keeping.Get("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").status, 200);
}

TEST(HttpServerTest, AnswersMayComeLaterFromAnotherThread) {
  std::vector<std::thread> threads;
  Mutex mu;
  TestServer server([&](std::shared_ptr<Exchange> exchange) {
    MutexLock lock(&mu);
    threads.emplace_back([exchange] { Hello(exchange); });
  });
  RawClient client(server.address());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.Get(kGet).body, "hello /hello\n");
  server->Stop();
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpServerTest, AnExchangeThatIsDroppedIsAnswered500) {
  TestServer server([](std::shared_ptr<Exchange>) {});
  RawClient client(server.address());
  EXPECT_EQ(client.Get(kGet).status, 500);
  EXPECT_EQ(client.Get(kGet).status, 500);
}

TEST(HttpServerTest, AnswersCannotBeSplitByTheirHeaders) {
  TestServer server([](std::shared_ptr<Exchange> exchange) {
    exchange->Reply({.content_type = "text/plain", .headers = {{"X-Echo", "a\r\nEvil: 1"}}}, "");
  });
  RawClient client(server.address());
  const std::string head = client.Get(kGet).head;
  EXPECT_THAT(head, HasSubstr("X-Echo: a  Evil: 1\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("\nEvil")));
}

TEST(HttpServerTest, PostRunsOnAWorker) {
  TestServer server(Hello);
  Gate ran;
  server->Post([&] { ran.Open(); });
  ran.Wait();
}

TEST(HttpServerTest, AnAddressInUseIsReported) {
  TestServer server(Hello);
  const absl::Status status = HttpServer::Start({.listen = {server.address()}}, &server).status();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(absl::StrCat("cannot listen on ", server.address(), ": Address already in use")));
  EXPECT_FALSE(HttpServer::Start({.listen = {"127.0.0.1"}}, &server).ok());
  EXPECT_FALSE(HttpServer::Start({.listen = {"no such host:1"}}, &server).ok());
}

}  // namespace
}  // namespace tidemark::net
