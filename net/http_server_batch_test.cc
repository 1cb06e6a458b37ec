// What goes out in batches: events for many streams at once.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "gtest/gtest.h"
#include "net/raw_client.h"
#include "net/send_batch.h"
#include "net/test_server.h"

namespace tidemark::net {
namespace {

// Events for many at once go out together; every stream has its own, whole and in order, whoever reads late or leaves.
void CheckEventsForManyStreams() {
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

TEST(HttpServerBatchTest, EventsForManyStreamsComeWholeToEach) { CheckEventsForManyStreams(); }

// From here on this process gets no rings, as in a container whose filter forbids them.
void ForbidRings() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};
  TM_CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  TM_CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

TEST(HttpServerBatchDeathTest, WhereRingsAreForbiddenEachConnectionSendsForItself) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ForbidRings();
        TM_CHECK(!SendBatch().open());
        CheckEventsForManyStreams();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
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
TEST(HttpServerBatchTest, AConnectionThatSendsItsOwnBatchHasOneTurnAtATime) {
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
TEST(HttpServerBatchTest, ASmallPieceDoesNotWaitForTheHandlerOfAnother) {
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

}  // namespace
}  // namespace tidemark::net
