// What a server takes from its clients, and when it stops to.
#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "net/raw_client.h"
#include "net/test_server.h"

namespace tidemark::net {
namespace {

using ::testing::StartsWith;

TEST(HttpServerLimitsTest, TooManyUnansweredRequestsAreRefused) {
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

TEST(HttpServerLimitsTest, AReaderBelowTheMinimumRateIsCut) {
  ServerLimits limits;
  limits.write_window = absl::Milliseconds(50);
  TestServer server(
      [](std::shared_ptr<Exchange> exchange) { exchange->Reply({}, std::make_unique<BlockSource>(1ull << 40, 1000)); },
      limits);
  RawClient stalled(server.address(), 4096);
  stalled.Send(kGet);
  while (server.metrics.closed_slow.Value() == 0) std::this_thread::yield();
  bool reset = false;
  stalled.ReadAll(&reset);
  EXPECT_TRUE(reset);
}

TEST(HttpServerLimitsTest, SlowHeadsAndBodiesAreEnded) {
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

TEST(HttpServerLimitsTest, UnfinishedHeadsOfAllClientsTogetherHaveALimit) {
  ServerLimits limits;
  limits.unread_bytes_max = 100'000;
  TestServer server(Hello, limits, /*workers=*/1);
  const std::string unfinished = "GET /" + std::string(60'000, 'a');
  RawClient first(server.address());
  first.Send(unfinished);
  // The turn that has received them counts them, and there is one worker: before it sees the second client.
  while (server.metrics.received_bytes.Value() < unfinished.size()) std::this_thread::yield();
  RawClient second(server.address());
  EXPECT_EQ(second.Get(unfinished).status, 503);
  EXPECT_EQ(second.ReadAll(), "");
  EXPECT_EQ(first.Get(" HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
  RawClient third(server.address());
  EXPECT_EQ(third.Get(unfinished + " HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
}

TEST(HttpServerLimitsTest, WhatWaitsBehindRunningRequestsCountsAsUnfinished) {
  ServerLimits limits;
  limits.unread_bytes_max = 15'000;
  Gate asked;
  std::shared_ptr<Exchange> held;
  TestServer server(
      [&](std::shared_ptr<Exchange> exchange) {
        if (exchange->request().path != "/held") return Hello(std::move(exchange));
        held = std::move(exchange);
        asked.Open();
      },
      limits);
  const std::string behind = "GET /held HTTP/1.1\r\nHost: x\r\n\r\nGET /" + std::string(10'000, 'a');
  RawClient first(server.address()), second(server.address());
  first.Send(behind);
  asked.Wait();
  EXPECT_EQ(second.Get(behind).status, 503);
  EXPECT_EQ(second.ReadAll(), "");
  RawClient third(server.address());
  EXPECT_EQ(third.Get(kGet).status, 200);
  EXPECT_EQ(server.metrics.requests.Value(), 2);
  // What the first one sent is still good, and counts until it has been read.
  std::exchange(held, nullptr)->Reply({}, "ok");
  EXPECT_EQ(first.ReadResponse().body, "ok");
  EXPECT_EQ(first.Get(" HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
  RawClient fourth(server.address());
  EXPECT_EQ(fourth.Get("GET /" + std::string(10'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
}

TEST(HttpServerLimitsTest, WholeAnswersThatNobodyReadsHaveALimit) {
  constexpr size_t kBig = 20 << 20;  // more than sockets take
  ServerLimits limits;
  limits.unsent_bytes_max = 2 * kBig - 1;
  TestServer server(
      [](std::shared_ptr<Exchange> exchange) {
        if (exchange->request().path != "/big") return Hello(std::move(exchange));
        exchange->Reply({}, std::string(kBig, 'x'));
      },
      limits, /*workers=*/1);
  const std::string big = "GET /big HTTP/1.1\r\nHost: x\r\n\r\n";
  RawClient behind(server.address(), 4096), other(server.address());
  behind.Send(big);
  behind.TakeBytes(1);  // its answer has begun; one worker: it waits before the other is seen
  const RawClient::Response refused = other.Get(big);
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.Has("Retry-After: 1\r\n")) << refused.head;
  EXPECT_EQ(other.Get(kGet).status, 200);
  other.Send("HEAD /big HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(other.ReadResponse(/*head_only=*/true).status, 200);
  // Neither an answer that was read nor a client that left counts any more.
  behind.Close();
  while (server.metrics.connections.Value() > 1) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(other.Get(big).body.size(), kBig);
}

// Makes its bytes anew at each Pull, without end.
class MakingSource : public BodySource {
 public:
  explicit MakingSource(std::atomic<size_t>* asked) : asked_(asked) {}

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    *asked_ = max_bytes;
    made_ = std::string(max_bytes, 'x');
    slices->push_back(made_);
    return State::kMore;
  }
  size_t held_bytes() const override { return made_.size(); }

 private:
  std::atomic<size_t>* const asked_;
  std::string made_;
};

// All of its bytes are there when it begins.
class HoardingSource : public BodySource {
 public:
  explicit HoardingSource(size_t bytes) : bytes_(bytes, 'x') {}

  State Pull(size_t, std::vector<absl::string_view>* slices) override {
    slices->push_back(bytes_);
    return State::kEnd;
  }
  size_t held_bytes() const override { return bytes_.size(); }

 private:
  const std::string bytes_;
};

TEST(HttpServerLimitsTest, PiecesAreSmallWhileMuchWaitsForReaders) {
  constexpr size_t kBig = 20 << 20;  // more than sockets take
  ServerLimits limits;
  limits.unsent_bytes_max = 2 * kBig - 1;
  std::atomic<size_t> asked{0};
  TestServer server(
      [&](std::shared_ptr<Exchange> exchange) {
        if (exchange->request().path == "/big") return exchange->Reply({}, std::string(kBig, 'x'));
        exchange->Reply({}, std::make_unique<MakingSource>(&asked));
      },
      limits);
  // As soon as there are so many there are no more.
  const auto wait_for_unsent = [&](size_t bytes) {
    while (server.metrics.unsent_bytes.Value() < static_cast<double>(bytes)) std::this_thread::yield();
    EXPECT_EQ(server.metrics.unsent_bytes.Value(), static_cast<double>(bytes));
  };
  RawClient big(server.address(), 4096), stream(server.address(), 4096), other(server.address(), 4096);
  stream.Send(kGet);
  wait_for_unsent(kPullBytes);
  EXPECT_EQ(asked, kPullBytes);
  big.Send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  wait_for_unsent(kPullBytes + kBig);
  other.Send(kGet);
  wait_for_unsent(kPullBytes + kBig + kScarcePullBytes);
  // Who reads on has smaller pieces from here on, too.
  asked = 0;
  while (asked == 0) stream.Discard(1 << 10);
  EXPECT_EQ(asked, kScarcePullBytes);
  // A client that left does not count any more.
  big.Close();
  other.Close();
  while (server.metrics.connections.Value() > 1) std::this_thread::yield();
  for (int i = 0; i < 1000 && asked != kPullBytes; ++i) stream.Discard(64 << 10);
  EXPECT_EQ(asked, kPullBytes);
  stream.Close();
  while (server.metrics.unsent_bytes.Value() > 0) std::this_thread::yield();
}

TEST(HttpServerLimitsTest, StreamsThatHoldMuchFromTheStartHaveALimit) {
  constexpr size_t kBig = 20 << 20;
  ServerLimits limits;
  limits.unsent_bytes_max = 2 * kBig - 1;
  TestServer server(
      [](std::shared_ptr<Exchange> exchange) {
        const size_t bytes = exchange->request().path == "/big" ? kBig : kSmallAnswerBytesMax;
        exchange->Reply({}, std::make_unique<HoardingSource>(bytes));
      },
      limits);
  const std::string big = "GET /big HTTP/1.1\r\nHost: x\r\n\r\n";
  RawClient behind(server.address(), 4096), other(server.address());
  behind.Send(big);
  while (server.metrics.unsent_bytes.Value() < kBig) std::this_thread::yield();
  const RawClient::Response refused = other.Get(big);
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.Has("Retry-After: 1\r\n")) << refused.head;
  EXPECT_EQ(other.Get(kGet).body.size(), kSmallAnswerBytesMax);
  other.Send("HEAD /big HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(other.ReadResponse(/*head_only=*/true).status, 200);
  behind.Close();
  while (server.metrics.unsent_bytes.Value() > 0) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(other.Get(big).body.size(), kBig);
}

TEST(HttpServerLimitsTest, IdleConnectionsAreEndedSilently) {
  ServerLimits limits;
  limits.idle_time = absl::Milliseconds(50);
  TestServer server(Hello, limits);
  RawClient client(server.address());
  EXPECT_EQ(client.Get(kGet).status, 200);
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(server.metrics.closed_idle.Value(), 1);
}

TEST(HttpServerLimitsTest, AStrayBlankLineLeavesAConnectionIdle) {
  ServerLimits limits;
  limits.head_time = absl::Milliseconds(50);
  limits.idle_time = absl::Milliseconds(200);
  TestServer server(Hello, limits);
  RawClient client(server.address());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Get(std::string(kGet) + "\r\n").status, 200);
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(server.metrics.closed_idle.Value(), 1);
}

TEST(HttpServerLimitsTest, AThousandIdleConnectionsAreServedInAnyOrder) {
  TestServer server(Hello);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 1000; ++i) clients.push_back(std::make_unique<RawClient>(server.address()));
  for (auto& client : clients) client->Send(kGet);
  for (auto it = clients.rbegin(); it != clients.rend(); ++it) ASSERT_EQ((*it)->ReadResponse().status, 200);
  for (auto& client : clients) ASSERT_EQ(client->Get(kGet).status, 200);
  EXPECT_EQ(server.metrics.connections.Value(), 1000);
}

TEST(HttpServerLimitsTest, ConnectionsLeaveFilesToTheRestOfTheProcess) {
  struct Row {
    uint64_t files;
    size_t wanted, expected;
  };
  constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
  for (const Row& row : std::vector<Row>{{kNoLimit, 40'000, 40'000},
                                         {1 << 20, 40'000, 40'000},
                                         {40'000 + kOtherFilesMax, 40'000, 40'000},
                                         {40'000, 40'000, 40'000 - kOtherFilesMax},
                                         {20'000, 100, 100},
                                         {2 * kOtherFilesMax, 40'000, kOtherFilesMax},
                                         {300, 40'000, 150},
                                         {0, 40'000, 0}}) {
    EXPECT_EQ(ConnectionsWithin(row.files, row.wanted), row.expected) << row.files << " files, " << row.wanted;
  }
}

TEST(HttpServerLimitsTest, ConnectionsOverTheLimitAreRefused) {
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

TEST(HttpServerLimitsTest, OneAddressLeavesConnectionsToOthers) {
  ServerLimits limits;
  limits.connections_max = 4;
  TestServer server(Hello, limits);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.address()));
    EXPECT_EQ(clients.back()->Get(kGet).status, 200);
  }
  RawClient fourth(server.address());
  const RawClient::Response refused = fourth.ReadResponse();
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.Has("Retry-After: 1\r\n")) << refused.head;
  EXPECT_EQ(refused.body, "too many connections from one address\n");
  EXPECT_EQ(server.metrics.refused_address.Value(), 1);
  RawClient other(server.address(), 0, /*source=*/2);
  EXPECT_EQ(other.Get(kGet).status, 200);
  RawClient fifth(server.address(), 0, /*source=*/2);
  EXPECT_EQ(fifth.ReadResponse().body, "too many connections\n");
  EXPECT_EQ(server.metrics.refused_full.Value(), 1);
  clients.pop_back();
  while (server.metrics.connections.Value() > 3) std::this_thread::yield();
  RawClient again(server.address());
  EXPECT_EQ(again.Get(kGet).status, 200);
}

TEST(HttpServerLimitsTest, ALimitOfOneAddressCanBeGiven) {
  ServerLimits limits;
  limits.connections_per_address_max = 1;
  TestServer server(Hello, limits);
  RawClient first(server.address());
  EXPECT_EQ(first.Get(kGet).status, 200);
  RawClient second(server.address());
  EXPECT_EQ(second.ReadResponse().status, 503);
  // What is refused was not counted.
  RawClient third(server.address());
  EXPECT_EQ(third.ReadResponse().status, 503);
  first.Close();
  while (server.metrics.connections.Value() > 0) std::this_thread::yield();
  RawClient fourth(server.address());
  EXPECT_EQ(fourth.Get(kGet).status, 200);
}

TEST(HttpServerLimitsTest, OneAddressTakesThreeQuarters) {
  for (const auto& [all, one] :
       std::vector<std::pair<size_t, size_t>>{{0, 0}, {1, 1}, {4, 3}, {150, 113}, {40'000, 30'000}}) {
    EXPECT_EQ(ConnectionsOfOneAddress(all), one) << all;
  }
}

}  // namespace
}  // namespace tidemark::net
