#include "net/http_server.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "metrics/registry.h"
#include "net/raw_client.h"

namespace tidemark::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using HandleFn = std::function<void(std::shared_ptr<Exchange>)>;

constexpr absl::string_view kGet = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";

// A one-way gate between threads.
class Gate {
 public:
  void Open() {
    MutexLock lock(&mu_);
    open_ = true;
    changed_.SignalAll();
  }
  void Wait() {
    MutexLock lock(&mu_);
    while (!open_) changed_.Wait(&mu_);
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool open_ ABSL_GUARDED_BY(mu_) = false;
};

class TestServer : public Handler {
 public:
  explicit TestServer(HandleFn handle, ServerLimits limits = {}, int workers = 2) : handle_(std::move(handle)) {
    absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(
        {.listen = {"127.0.0.1:0"}, .limits = limits, .workers = workers, .metrics = metrics}, this);
    TM_CHECK_OK(server.status());
    server_ = *std::move(server);
  }

  void Handle(std::shared_ptr<Exchange> exchange) override { handle_(std::move(exchange)); }
  std::string address() const { return server_->addresses().front(); }
  HttpServer& operator*() { return *server_; }
  HttpServer* operator->() { return server_.get(); }

  metrics::Registry registry;
  metrics::NetMetrics metrics{&registry};

 private:
  const HandleFn handle_;
  std::unique_ptr<HttpServer> server_;
};

void Hello(std::shared_ptr<Exchange> exchange) {
  exchange->Reply({.status = 200, .content_type = "text/plain"}, absl::StrCat("hello ", exchange->request().path, "\n"));
}

// Repeats one block until `total` bytes are given.
class BlockSource : public BodySource {
 public:
  BlockSource(uint64_t total, size_t slice, std::atomic<uint64_t>* pulled = nullptr) : left_(total), block_(slice, 'x'), pulled_(pulled) {}

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    for (size_t given = 0; given < max_bytes && left_ > 0;) {
      const size_t bytes = std::min<uint64_t>(block_.size(), left_);
      slices->push_back(absl::string_view(block_).substr(0, bytes));
      given += bytes;
      left_ -= bytes;
      if (pulled_ != nullptr) *pulled_ += bytes;
    }
    return left_ == 0 ? State::kEnd : State::kMore;
  }

 private:
  uint64_t left_;
  const std::string block_;
  std::atomic<uint64_t>* const pulled_;
};

// What a test pushes into an open watch from any thread.
class Feed {
 public:
  void Push(std::string event, bool end = false) {
    MutexLock lock(&mu_);
    events_.push_back(std::move(event));
    end_ |= end;
    if (waker_) waker_();
  }
  void SetWaker(Waker waker) {
    MutexLock lock(&mu_);
    waker_ = std::move(waker);
  }
  BodySource::State Take(std::vector<std::string>* events) {
    MutexLock lock(&mu_);
    events->swap(events_);
    events_.clear();
    return end_ ? BodySource::State::kEnd : BodySource::State::kWait;
  }

  Gate destroyed;
  std::atomic<bool> drained{false};
  std::atomic<int> pulls{0};

 private:
  Mutex mu_;
  std::vector<std::string> events_ ABSL_GUARDED_BY(mu_);
  bool end_ ABSL_GUARDED_BY(mu_) = false;
  Waker waker_ ABSL_GUARDED_BY(mu_);
};

class FeedSource : public BodySource {
 public:
  FeedSource(std::shared_ptr<Feed> feed, bool ends_on_drain) : feed_(std::move(feed)), ends_on_drain_(ends_on_drain) {}
  ~FeedSource() override { feed_->destroyed.Open(); }

  State Pull(size_t, std::vector<absl::string_view>* slices) override {
    ++feed_->pulls;
    const State state = feed_->Take(&held_);
    slices->insert(slices->end(), held_.begin(), held_.end());
    return ends_on_drain_ && feed_->drained ? State::kEnd : state;
  }
  void Drain() override { feed_->drained = true; }

 private:
  const std::shared_ptr<Feed> feed_;
  const bool ends_on_drain_;
  std::vector<std::string> held_;
};

HandleFn Watch(std::shared_ptr<Feed> feed, bool ends_on_drain = true) {
  return [feed, ends_on_drain](std::shared_ptr<Exchange> exchange) {
    feed->SetWaker(exchange->waker());
    exchange->Reply({.status = 200, .content_type = "application/json"}, std::make_unique<FeedSource>(feed, ends_on_drain));
  };
}

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
                                     absl::StrJoin(request.query, "&", absl::PairFormatter("=")), "|", request.Header("x-t"), "|",
                                     request.Header("absent"), "|", request.Query("b").value_or("none"), "|",
                                     request.Query("c").value_or("none")));
  });
  RawClient client(server.address());
  EXPECT_EQ(client.Get("GET /a%2Fb?x=1+2&b=%41&bad=%zz&x=3&b HTTP/1.1\r\nHost: x\r\nX-T: a%20b%0d%0aI: 1\r\n\r\n").body,
            "GET|/a%2Fb?x=1+2&b=%41&bad=%zz&x=3&b|/a%2Fb|x=1 2&b=A&x=3&b=|a%20b%0d%0aI: 1||A|none");
  EXPECT_EQ(client.Get("GET http://other/p?q=1 HTTP/1.1\r\nHost: x\r\n\r\n").body, "GET|/p?q=1|/p|q=1|||none|none");
}

TEST(HttpServerTest, LinesBeyondTheLibrarysOwnLimitAreServed) {
  TestServer server([](std::shared_ptr<Exchange> exchange) {
    exchange->Reply({}, absl::StrCat(exchange->request().target.size(), " ", exchange->request().Header("authorization").size()));
  });
  RawClient client(server.address());
  const std::string target = "/api?labelSelector=" + std::string(50'000, 'a');
  const std::string token(20'000, 't');
  const RawClient::Response response =
      client.Get(absl::StrCat("GET ", target, " HTTP/1.1\r\nHost: x\r\nAuthorization: ", token, "\r\n\r\n"));
  EXPECT_EQ(response.body, absl::StrCat(target.size(), " ", token.size()));
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
      {"LengthAndChunks", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"BodyOnGet", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 400},
      {"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
      {"LongLine", absl::StrCat("GET /", std::string(70'000, 'a'), " HTTP/1.1\r\nHost: x\r\n\r\n"), 414},
      {"EndlessLine", absl::StrCat("GET /", std::string(70'000, 'a')), 414},
      {"BigBody", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n", 413},
      {"SecondQuestionMark", "GET /a?b?c HTTP/1.1\r\nHost: x\r\n\r\n", 400},
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

TEST(HttpServerTest, BodiesAreDroppedAndTheConnectionStaysInStep) {
  TestServer server([](std::shared_ptr<Exchange> exchange) { exchange->Reply({.status = 405}, exchange->request().method); });
  RawClient client(server.address());
  EXPECT_EQ(client.Get("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nGET /").body, "POST");
  EXPECT_EQ(client.Get("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;e=1\r\nabc\r\n0\r\nT: 1\r\n\r\n").body, "PUT");
  const std::string big(1 << 20, 'b');
  EXPECT_EQ(client.Get(absl::StrCat("PATCH / HTTP/1.1\r\nHost: x\r\nContent-Length: ", big.size(), "\r\n\r\n", big)).body, "PATCH");
  EXPECT_EQ(client.Get("DELETE / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").body, "DELETE");
}

TEST(HttpServerTest, ABodyThatWaitsForContinueGetsIt) {
  TestServer server([](std::shared_ptr<Exchange> exchange) { exchange->Reply({.status = 405}, "no"); });
  RawClient client(server.address());
  EXPECT_EQ(client.Get("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n").status, 100);
  EXPECT_EQ(client.Get("hello").status, 405);
  EXPECT_EQ(client.Get("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello").status, 405);
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

TEST(HttpServerTest, StreamsAreChunkedOrHaveALengthOrEndWithTheConnection) {
  TestServer server([](std::shared_ptr<Exchange> exchange) {
    auto source = std::make_unique<BlockSource>(3'000'000, 1000);
    if (exchange->request().path == "/length") return exchange->Reply({}, std::move(source), 3'000'000);
    exchange->Reply({}, std::move(source));
  });
  RawClient client(server.address());
  const RawClient::Response chunked = client.Get("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(chunked.Has("Transfer-Encoding: chunked")) << chunked.head;
  EXPECT_EQ(chunked.body, std::string(3'000'000, 'x'));
  const RawClient::Response length = client.Get("GET /length HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(length.Has("Content-Length: 3000000\r\n")) << length.head;
  EXPECT_EQ(length.body.size(), 3'000'000u);
  EXPECT_EQ(client.Get("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").body.size(), 3'000'000u);
}

TEST(HttpServerTest, ABodyThatCannotBeCompletedResetsTheConnection) {
  class Aborting : public BodySource {
   public:
    State Pull(size_t, std::vector<absl::string_view>* slices) override {
      slices->push_back("begun");
      return ++calls_ == 2 ? State::kAbort : State::kMore;
    }
    int calls_ = 0;
  };
  TestServer server([](std::shared_ptr<Exchange> exchange) {
    if (exchange->request().path == "/short") return exchange->Reply({}, std::make_unique<BlockSource>(5, 5), 6);
    exchange->Reply({}, std::make_unique<Aborting>());
  });
  bool reset = false;
  RawClient aborted(server.address());
  aborted.Send("GET / HTTP/1.0\r\n\r\n");
  aborted.ReadAll(&reset);
  EXPECT_TRUE(reset);
  RawClient short_body(server.address());
  short_body.Send("GET /short HTTP/1.1\r\nHost: x\r\n\r\n");
  short_body.ReadAll(&reset);
  EXPECT_TRUE(reset);
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

TEST(HttpServerTest, TooManyUnansweredRequestsAreRefused) {
  Gate asked;
  std::shared_ptr<Exchange> held;
  ServerLimits limits;
  limits.exchanges_max = 1;
  TestServer server(
      [&](std::shared_ptr<Exchange> exchange) {
        held = std::move(exchange);
        asked.Open();
      },
      limits);
  RawClient first(server.address()), second(server.address());
  first.Send(kGet);
  asked.Wait();
  const RawClient::Response refused = second.Get(kGet);
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.Has("Retry-After: 1\r\n")) << refused.head;
  std::exchange(held, nullptr)->Reply({}, "ok");
  EXPECT_EQ(first.ReadResponse().body, "ok");
}

TEST(HttpServerTest, AWatchIsWokenFromAnotherThread) {
  auto feed = std::make_shared<Feed>();
  TestServer server(Watch(feed));
  RawClient client(server.address());
  client.Send(kGet);
  EXPECT_THAT(client.Take("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  for (int i = 0; i < 100; ++i) {
    std::thread([&] { feed->Push(absl::StrCat("event ", i, "\n")); }).join();
    EXPECT_EQ(client.ReadChunk(), absl::StrCat("event ", i, "\n"));
  }
  feed->Push("", true);
  EXPECT_EQ(client.ReadChunk(), "");
  feed->destroyed.Wait();
  // The connection goes on, and a late wake of the old watch concerns nobody.
  feed->Push("late");
}

TEST(HttpServerTest, ManyWakesFromManyThreadsLoseNothing) {
  auto feed = std::make_shared<Feed>();
  TestServer server(Watch(feed));
  RawClient client(server.address());
  client.Send(kGet);
  client.Take("\r\n\r\n");
  constexpr int kThreads = 4, kEvents = 2000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kEvents; ++n) feed->Push("e");
    });
  }
  size_t received = 0;
  while (received < kThreads * kEvents) {
    const size_t got = client.ReadChunk().size();
    ASSERT_GT(got, 0u);
    received += got;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(received, static_cast<size_t>(kThreads * kEvents));
}

TEST(HttpServerTest, AClientThatLeavesIsNoticedWhileWaiting) {
  auto feed = std::make_shared<Feed>();
  TestServer server(Watch(feed));
  RawClient client(server.address());
  client.Send(kGet);
  client.Take("\r\n\r\n");
  client.Close();
  feed->destroyed.Wait();
  feed->Push("into the void");
}

TEST(HttpServerTest, AHalfClosedClientGetsItsWholeAnswer) {
  Gate answer;
  std::thread answering;
  TestServer server([&](std::shared_ptr<Exchange> exchange) {
    answering = std::thread([&answer, exchange] {
      answer.Wait();
      exchange->Reply({}, std::make_unique<BlockSource>(5'000'000, 10'000));
    });
  });
  RawClient client(server.address());
  client.Send(kGet);
  client.FinishSending();
  answer.Open();
  EXPECT_EQ(client.ReadResponse().body.size(), 5'000'000u);
  EXPECT_EQ(client.ReadAll(), "");
  server->Stop();
  answering.join();
}

TEST(HttpServerTest, AStalledReaderHoldsNeitherThreadNorMemory) {
  std::atomic<uint64_t> pulled{0};
  TestServer server(
      [&](std::shared_ptr<Exchange> exchange) {
        if (exchange->request().path == "/hello") return Hello(exchange);
        exchange->Reply({}, std::make_unique<BlockSource>(1ull << 40, 1000, &pulled));
      },
      {}, 1);
  RawClient stalled(server.address(), 4096);
  stalled.Send("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n");
  RawClient neighbour(server.address());
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(neighbour.Get(kGet).status, 200);
  EXPECT_LT(pulled, 32u << 20);
}

TEST(HttpServerTest, AReaderBelowTheMinimumRateIsCut) {
  ServerLimits limits;
  limits.write_window = absl::Milliseconds(50);
  TestServer server([](std::shared_ptr<Exchange> exchange) { exchange->Reply({}, std::make_unique<BlockSource>(1ull << 40, 1000)); },
                    limits);
  RawClient stalled(server.address(), 4096);
  stalled.Send(kGet);
  while (server.metrics.closed_slow.Value() == 0) std::this_thread::yield();
  bool reset = false;
  stalled.ReadAll(&reset);
  EXPECT_TRUE(reset);
}

TEST(HttpServerTest, SlowHeadsAndBodiesAreEnded) {
  ServerLimits limits;
  limits.head_time = limits.body_time = absl::Milliseconds(50);
  TestServer server(Hello, limits);
  RawClient head(server.address());
  head.Send("GET / HT");
  EXPECT_EQ(head.ReadResponse().status, 408);
  EXPECT_EQ(head.ReadAll(), "");
  RawClient body(server.address());
  body.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe");
  EXPECT_EQ(body.ReadResponse().status, 408);
  RawClient silent(server.address());
  EXPECT_EQ(silent.ReadAll(), "");
}

TEST(HttpServerTest, IdleConnectionsAreEndedSilently) {
  ServerLimits limits;
  limits.idle_time = absl::Milliseconds(50);
  TestServer server(Hello, limits);
  RawClient client(server.address());
  EXPECT_EQ(client.Get(kGet).status, 200);
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(server.metrics.closed_idle.Value(), 1);
}

TEST(HttpServerTest, AThousandIdleConnectionsAreServedInAnyOrder) {
  TestServer server(Hello);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 1000; ++i) clients.push_back(std::make_unique<RawClient>(server.address()));
  for (auto& client : clients) client->Send(kGet);
  for (auto it = clients.rbegin(); it != clients.rend(); ++it) ASSERT_EQ((*it)->ReadResponse().status, 200);
  for (auto& client : clients) ASSERT_EQ(client->Get(kGet).status, 200);
  EXPECT_EQ(server.metrics.connections.Value(), 1000);
}

TEST(HttpServerTest, ConnectionsOverTheLimitAreRefused) {
  ServerLimits limits;
  limits.connections_max = 1;
  TestServer server(Hello, limits);
  RawClient first(server.address());
  EXPECT_EQ(first.Get(kGet).status, 200);
  RawClient second(server.address());
  EXPECT_THAT(second.ReadAll(), StartsWith("HTTP/1.1 503 "));
  first.Close();
  while (server.metrics.connections.Value() > 0) std::this_thread::yield();
  RawClient third(server.address());
  EXPECT_EQ(third.Get(kGet).status, 200);
}

TEST(HttpServerTest, AnswersCannotBeSplitByTheirHeaders) {
  TestServer server([](std::shared_ptr<Exchange> exchange) {
    exchange->Reply({.content_type = "text/plain", .headers = {{"X-Echo", "a\r\nEvil: 1"}}}, "");
  });
  RawClient client(server.address());
  EXPECT_THAT(client.Get(kGet).head, Not(HasSubstr("\nEvil")));
}

TEST(HttpServerTest, PostRunsOnAWorker) {
  TestServer server(Hello);
  Gate ran;
  server->Post([&] { ran.Open(); });
  ran.Wait();
}

TEST(HttpServerTest, StopLetsStreamsEnd) {
  auto feed = std::make_shared<Feed>();
  TestServer server(Watch(feed));
  RawClient watching(server.address()), idle(server.address());
  EXPECT_EQ(idle.Send("GET / HT"), true);
  watching.Send(kGet);
  watching.Take("\r\n\r\n");
  server->Stop();
  EXPECT_TRUE(feed->drained);
  EXPECT_EQ(watching.ReadAll(), "0\r\n\r\n");
  EXPECT_EQ(idle.ReadAll(), "");
}

TEST(HttpServerTest, StopCutsWhatDoesNotEnd) {
  ServerLimits limits;
  limits.drain_time = absl::Milliseconds(50);
  auto feed = std::make_shared<Feed>();
  TestServer server(Watch(feed, /*ends_on_drain=*/false), limits);
  RawClient client(server.address());
  client.Send(kGet);
  client.Take("\r\n\r\n");
  server->Stop();
  feed->destroyed.Wait();
  bool reset = false;
  client.ReadAll(&reset);
  EXPECT_TRUE(reset);
}

TEST(HttpServerTest, StopFinishesARunningAnswer) {
  Gate answer, asked;
  std::shared_ptr<Exchange> held;
  TestServer server([&](std::shared_ptr<Exchange> exchange) {
    held = std::move(exchange);
    asked.Open();
  });
  RawClient client(server.address());
  client.Send(kGet);
  asked.Wait();
  std::thread stopping([&] { server->Stop(); });
  while (!server->Draining()) std::this_thread::yield();
  held->Reply({}, std::make_unique<BlockSource>(20'000'000, 1000));
  held = nullptr;
  const RawClient::Response response = client.ReadResponse();
  EXPECT_EQ(response.body.size(), 20'000'000u);
  EXPECT_TRUE(response.Has("Connection: close\r\n"));
  stopping.join();
}

TEST(HttpServerTest, AnExchangeMayOutliveItsServer) {
  Gate asked;
  std::shared_ptr<Exchange> held;
  ServerLimits limits;
  limits.drain_time = absl::Milliseconds(1);
  auto server = std::make_unique<TestServer>(
      [&](std::shared_ptr<Exchange> exchange) {
        held = std::move(exchange);
        asked.Open();
      },
      limits);
  RawClient client(server->address());
  client.Send(kGet);
  asked.Wait();
  const Waker waker = held->waker();
  server = nullptr;
  held->Reply({}, "too late");
  held = nullptr;
  waker();
}

TEST(HttpServerTest, AnAddressInUseIsReported) {
  TestServer server(Hello);
  const absl::Status status = HttpServer::Start({.listen = {server.address()}}, &server).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("cannot listen on ", server.address(), ": Address already in use")));
  EXPECT_FALSE(HttpServer::Start({.listen = {"127.0.0.1"}}, &server).ok());
  EXPECT_FALSE(HttpServer::Start({.listen = {"no such host:1"}}, &server).ok());
}

}  // namespace
}  // namespace tidemark::net
