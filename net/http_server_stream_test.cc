// Streamed answers: watches, big bodies, clients that leave, and the end of the server.
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/test_seed.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "net/raw_client.h"
#include "net/test_server.h"

namespace tidemark::net {
namespace {

using ::testing::HasSubstr;

TEST(HttpServerStreamTest, AWatchIsWokenFromAnotherThread) {
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

TEST(HttpServerStreamTest, ManyWakesFromManyThreadsLoseNothing) {
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

TEST(HttpServerStreamTest, AClientThatLeavesIsNoticedWhileWaiting) {
  auto feed = std::make_shared<Feed>();
  TestServer server(Watch(feed));
  RawClient client(server.address());
  client.Send(kGet);
  client.Take("\r\n\r\n");
  client.Close();
  feed->destroyed.Wait();
  feed->Push("into the void");
}

TEST(HttpServerStreamTest, AHalfClosedClientGetsItsWholeAnswer) {
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

TEST(HttpServerStreamTest, AStalledReaderHoldsNeitherThreadNorMemory) {
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

TEST(HttpServerStreamTest, StreamsAreChunkedOrHaveALengthOrEndWithTheConnection) {
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

TEST(HttpServerStreamTest, ABodyThatCannotBeCompletedResetsTheConnection) {
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

// Clients that do anything in any order: afterwards nothing is left of them, and while they do it nobody waits in vain.
TEST(HttpServerStreamTest, RandomClientsLeaveNothingBehind) {
  const uint64_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  std::atomic<int> sources{0};
  struct Counted : BlockSource {
    Counted(uint64_t total, std::atomic<int>* sources) : BlockSource(total, 1000), sources(sources) { ++*sources; }
    ~Counted() override { --*sources; }
    std::atomic<int>* const sources;
  };
  Mutex mu;
  std::vector<std::shared_ptr<Feed>> feeds;
  auto server = std::make_unique<TestServer>(
      [&](std::shared_ptr<Exchange> exchange) {
        if (exchange->request().path == "/big")
          return exchange->Reply({}, std::make_unique<Counted>(3'000'000, &sources));
        if (exchange->request().path != "/watch") return Hello(std::move(exchange));
        auto feed = std::make_shared<Feed>();
        {
          MutexLock lock(&mu);
          feeds.push_back(feed);
        }
        Watch(feed)(std::move(exchange));
      },
      ServerLimits(), 3);
  const auto wake_one = [&](uint64_t which) {
    MutexLock lock(&mu);
    if (!feeds.empty()) feeds[which % feeds.size()]->Push("event");
  };
  const auto client = [&](uint64_t client_seed) {
    std::mt19937_64 random(client_seed);
    for (int i = 0; i < 60; ++i) {
      RawClient raw(server->address());
      for (uint64_t n = random() % 4; n > 0; --n) ASSERT_EQ(raw.Get(kGet).status, 200);
      wake_one(random());
      const char* const paths[] = {"/big", "/watch", "/hello"};
      raw.Send(absl::StrCat("GET ", paths[random() % 3], " HTTP/1.1\r\nHost: x\r\n\r\n"));
      if (random() % 2 == 0) raw.TakeBytes(random() % 100);
      if (random() % 4 == 0) raw.Send(kGet);
      if (random() % 3 == 0) raw.FinishSending();
      wake_one(random());
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i) threads.emplace_back(client, seed + i);
  for (std::thread& thread : threads) thread.join();
  server->server().Stop();
  EXPECT_EQ(server->metrics.connections.Value(), 0);
  EXPECT_EQ(server->metrics.waiting_streams.Value(), 0);
  EXPECT_EQ(sources, 0);
  for (const auto& feed : feeds) feed->destroyed.Wait();
}

TEST(HttpServerStreamTest, StopLetsStreamsEnd) {
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

TEST(HttpServerStreamTest, StopCutsWhatDoesNotEnd) {
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

TEST(HttpServerStreamTest, StopFinishesARunningAnswer) {
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

TEST(HttpServerStreamTest, AnExchangeKnowsWhenItsConnectionHasEnded) {
  Gate asked;
  std::shared_ptr<Exchange> held;
  TestServer server([&](std::shared_ptr<Exchange> exchange) {
    held = std::move(exchange);
    asked.Open();
  });
  RawClient client(server.address());
  client.Send(kGet);
  asked.Pass();
  EXPECT_FALSE(held->ClientGone());
  held->Reply({}, "answer");
  EXPECT_EQ(client.ReadResponse().body, "answer");

  client.Send(kGet);
  asked.Pass();
  client.FinishSending();  // it may still read
  EXPECT_FALSE(held->ClientGone());
  const linger reset = {.l_onoff = 1, .l_linger = 0};
  ::setsockopt(client.fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
  client.Close();
  while (!held->ClientGone()) std::this_thread::yield();
  held->Reply({}, "to nobody");
  held = nullptr;
}

TEST(HttpServerStreamTest, AnExchangeMayOutliveItsServer) {
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

}  // namespace
}  // namespace tidemark::net
