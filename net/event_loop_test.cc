#include "net/event_loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include "base/clock.h"
#include "base/mutex.h"
#include "gtest/gtest.h"

namespace tidemark::net {
namespace {

// One end of a pipe, and how often the loop has called.
class Watched : public EventLoop::Watched {
 public:
  Watched() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    read_fd = ends[0];
    write_fd = ends[1];
  }
  ~Watched() override {
    ::close(read_fd);
    ::close(write_fd);
  }
  void OnReady(uint32_t) override { Count(&ready_); }
  void OnDeadline() override { Count(&deadlines_); }

  void WaitForReady() { WaitFor(&ready_); }
  int deadlines() {
    MutexLock lock(&mu_);
    return deadlines_;
  }

  int read_fd = -1;
  int write_fd = -1;

 private:
  void Count(int* counter) {
    MutexLock lock(&mu_);
    ++*counter;
    changed_.SignalAll();
  }
  void WaitFor(const int* counter) {
    MutexLock lock(&mu_);
    while (*counter == 0) changed_.Wait(&mu_);
  }

  Mutex mu_;
  CondVar changed_;
  int ready_ = 0;
  int deadlines_ = 0;
};

// Runs `task` on the loop and waits until it, and the sweep of an earlier turn, are over.
void RunOn(EventLoop* loop, EventLoop::Task task) {
  Mutex mu;
  CondVar changed;
  bool done = false;
  loop->Post(std::move(task));
  // Posted from the loop: runs in the turn after.
  loop->Post([&] {
    loop->Post([&] {
      MutexLock lock(&mu);
      done = true;
      changed.SignalAll();
    });
  });
  MutexLock lock(&mu);
  while (!done) changed.Wait(&mu);
}

TEST(EventLoopTest, DeadlinesNeedNoFile) {
  SimClock clock;
  EventLoop loop("test-loop", clock);
  const auto watched = std::make_shared<Watched>();
  RunOn(&loop, [&] { loop.Add(watched); });
  loop.SetDeadline(watched.get(), clock.Now() + absl::Hours(1));
  clock.Advance(absl::Hours(2));
  RunOn(&loop, [] {});
  EXPECT_EQ(watched->deadlines(), 1);
  loop.Remove(watched.get());
  RunOn(&loop, [] {});
  EXPECT_EQ(watched.use_count(), 1);
}

TEST(EventLoopTest, DeadlinesPassInTheirOrderAndCanBeMoved) {
  SimClock clock;
  EventLoop loop("test-loop", clock);
  const auto early = std::make_shared<Watched>(), late = std::make_shared<Watched>(),
             never = std::make_shared<Watched>();
  RunOn(&loop, [&] {
    for (const auto& watched : {early, late, never}) loop.Add(watched, watched->read_fd, EPOLLIN);
  });
  loop.SetDeadline(late.get(), clock.Now() + absl::Hours(2));
  loop.SetDeadline(early.get(), clock.Now() + absl::Hours(1));
  loop.SetDeadline(never.get(), clock.Now() + absl::Minutes(1));
  loop.SetDeadline(never.get(), absl::InfiniteFuture());
  RunOn(&loop, [] {});
  EXPECT_EQ(early->deadlines(), 0);
  clock.Advance(absl::Hours(1));
  RunOn(&loop, [] {});
  EXPECT_EQ(early->deadlines(), 1);
  EXPECT_EQ(late->deadlines(), 0);
  clock.Advance(absl::Hours(1));
  RunOn(&loop, [] {});
  EXPECT_EQ(early->deadlines(), 1);
  EXPECT_EQ(late->deadlines(), 1);
  EXPECT_EQ(never->deadlines(), 0);
}

TEST(EventLoopTest, DeadlinesThatPassOneByOneShareASweep) {
  SimClock clock(absl::FromUnixSeconds(1));
  EventLoop loop("test-loop", clock);
  const auto first = std::make_shared<Watched>(), second = std::make_shared<Watched>();
  RunOn(&loop, [&] {
    for (const auto& watched : {first, second}) loop.Add(watched, watched->read_fd, EPOLLIN);
  });
  loop.SetDeadline(first.get(), clock.Now());
  RunOn(&loop, [] {});
  EXPECT_EQ(first->deadlines(), 1);
  // The loop is awake, and the second has passed: it waits for its turn all the same.
  loop.SetDeadline(second.get(), clock.Now() + absl::Milliseconds(1));
  clock.Advance(absl::Milliseconds(50));
  RunOn(&loop, [] {});
  EXPECT_EQ(second->deadlines(), 0);
  clock.Advance(absl::Milliseconds(50));
  RunOn(&loop, [] {});
  EXPECT_EQ(second->deadlines(), 1);
}

TEST(EventLoopTest, SaysWhoIsReadyAndLetsGoOfWhatIsRemoved) {
  EventLoop loop("test-loop", RealClock());
  auto watched = std::make_shared<Watched>();
  const std::weak_ptr<Watched> alive = watched;
  RunOn(&loop, [&] { loop.Add(watched, watched->read_fd, EPOLLIN | EPOLLET); });
  ASSERT_EQ(::write(watched->write_fd, "x", 1), 1);
  watched->WaitForReady();
  ::close(watched->read_fd);
  watched->read_fd = ::dup(watched->write_fd);  // for the destructor to close
  loop.Remove(watched.get());
  watched = nullptr;
  RunOn(&loop, [] {});
  EXPECT_TRUE(alive.expired());
}

TEST(EventLoopTest, StopDropsWhatIsWatched) {
  EventLoop loop("test-loop", RealClock());
  auto watched = std::make_shared<Watched>();
  const std::weak_ptr<Watched> alive = watched;
  RunOn(&loop, [&] { loop.Add(watched, watched->read_fd, EPOLLIN); });
  watched = nullptr;
  EXPECT_FALSE(alive.expired());
  loop.Stop();
  EXPECT_TRUE(alive.expired());
}

}  // namespace
}  // namespace tidemark::net
