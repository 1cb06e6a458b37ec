// Streamed answers: watches, big bodies, clients that leave, and the end of the server.
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
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

// Events for many at once go out together; every stream has its own, whole and in order, whoever reads late or leaves.
TEST(HttpServerStreamTest, EventsForManyStreamsComeWholeToEach) {
  constexpr size_t kStreams = 48, kLate = 5, kLeaving = 7;
  constexpr int kEvents = 300;
  std::vector<std::shared_ptr<Feed>> feeds;
  for (size_t i = 0; i < kStreams; ++i) feeds.push_back(std::make_shared<Feed>());
  TestServer server([&](std::shared_ptr<Exchange> exchange) {
    size_t number = 0;
    TM_CHECK(absl::SimpleAtoi(exchange->request().path.substr(1), &number));
    Watch(feeds[number])(std::move(exchange));
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (size_t i = 0; i < kStreams; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.address(), /*receive_buffer=*/4096));
    clients.back()->Send(absl::StrCat("GET /", i, " HTTP/1.1\r\nHost: x\r\n\r\n"));
    clients.back()->Take("\r\n\r\n");
  }
  const auto event = [](size_t stream, int number) {
    return absl::StrCat(stream, ":", number, std::string(500, '.'), "\n");
  };
  std::thread pushing([&] {
    for (int n = 0; n < kEvents; ++n) {
      for (size_t i = 0; i < kStreams; ++i) feeds[i]->Push(event(i, n), /*end=*/n + 1 == kEvents);
    }
  });
  std::vector<std::string> received(kStreams);
  const auto read = [&](size_t first, size_t step) {
    for (size_t i = first; i < kStreams; i += step) clients[i]->ReadChunks(&received[i]);
  };
  for (size_t i = kLeaving; i < kStreams; i += kLate) clients[i]->Close();
  for (const size_t first : {0, 1, 3, 4}) read(first, kLate);
  pushing.join();
  for (size_t i = 0; i < kStreams; ++i) {
    if (i >= kLeaving && (i - kLeaving) % kLate == 0) continue;
    std::string expected;
    for (int n = 0; n < kEvents; ++n) expected += event(i, n);
    if (i % kLate == 2) clients[i]->ReadChunks(&received[i]);
    EXPECT_TRUE(received[i] == expected) << i;
  }
}

// Says much, then a little, then waits; and notices two turns of its connection at once.
class LongAndShort : public BodySource {
 public:
  LongAndShort(std::atomic<int>* rounds_left, std::atomic<bool>* overlapped)
      : rounds_left_(rounds_left), overlapped_(overlapped) {}

  State Pull(size_t, std::vector<absl::string_view>* slices) override {
    if (pulling_.exchange(true)) *overlapped_ = true;
    said_much_ = !said_much_;
    slices->push_back(said_much_ ? absl::string_view(kMuch) : ".");
    const State state = said_much_ ? State::kMore : --*rounds_left_ > 0 ? State::kWait : State::kEnd;
    pulling_ = false;
    return state;
  }

  static inline const std::string kMuch = std::string(2 * kShortTurnBytes, 'x');

 private:
  std::atomic<int>* const rounds_left_;
  std::atomic<bool>* const overlapped_;
  std::atomic<bool> pulling_{false};
  bool said_much_ = false;
};

// A long turn sends the batch in which its own last piece lies. With that the turn has ended, whoever wakes it meanwhile.
TEST(HttpServerStreamTest, AConnectionThatSendsItsOwnBatchHasOneTurnAtATime) {
  constexpr int kRounds = 300, kWakers = 3;
  std::atomic<int> rounds_left{kRounds};
  std::atomic<bool> overlapped{false};
  std::vector<std::thread> waking;
  TestServer server([&](std::shared_ptr<Exchange> exchange) {
    for (int i = 0; i < kWakers; ++i) {
      waking.emplace_back([&rounds_left, wake = exchange->waker()] {
        while (rounds_left > 0) wake();
      });
    }
    exchange->Reply({}, std::make_unique<LongAndShort>(&rounds_left, &overlapped));
  });
  RawClient client(server.address());
  const std::string body = client.Get(kGet).body;
  server->Stop();
  for (std::thread& thread : waking) thread.join();
  std::string expected;
  for (int i = 0; i < kRounds; ++i) expected += LongAndShort::kMuch + ".";
  EXPECT_TRUE(body == expected) << body.size() << " of " << expected.size();
  EXPECT_FALSE(overlapped);
}

// A stream's end lets the connection's next request begin: what others have to send does not wait for its handler.
TEST(HttpServerStreamTest, ASmallPieceDoesNotWaitForTheHandlerOfAnother) {
  auto stays = std::make_shared<Feed>(), ends = std::make_shared<Feed>();
  Gate busy, go_on, received;
  TestServer server(
      [&](std::shared_ptr<Exchange> exchange) {
        const std::string path = exchange->request().path;
        if (path == "/stays") return Watch(stays)(std::move(exchange));
        if (path == "/ends") return Watch(ends)(std::move(exchange));
        if (path == "/busy") {
          busy.Open();
          go_on.Wait();
        } else {
          received.Wait();
        }
        Hello(std::move(exchange));
      },
      {}, /*workers=*/1);
  RawClient reader(server.address()), pipelining(server.address()), other(server.address());
  reader.Send("GET /stays HTTP/1.1\r\nHost: x\r\n\r\n");
  reader.Take("\r\n\r\n");
  pipelining.Send("GET /ends HTTP/1.1\r\nHost: x\r\n\r\nGET /waits HTTP/1.1\r\nHost: x\r\n\r\n");
  pipelining.Take("\r\n\r\n");
  // While the only worker is held, both are queued: first who has something to say, then who ends.
  other.Send("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n");
  busy.Wait();
  stays->Push("event");
  ends->Push("", /*end=*/true);
  go_on.Open();
  EXPECT_EQ(reader.ReadChunk(), "event");
  received.Open();
  EXPECT_EQ(pipelining.ReadChunk(), "");
  EXPECT_EQ(pipelining.ReadResponse().status, 200);
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
