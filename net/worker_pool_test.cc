#include "net/worker_pool.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/test_gate.h"
#include "gtest/gtest.h"

namespace tidemark::net {
namespace {

// Counts down to zero and lets one thread wait for it.
class Countdown {
 public:
  explicit Countdown(int count) : count_(count) {}
  void Down() {
    MutexLock lock(&mu_);
    if (--count_ == 0) done_.SignalAll();
  }
  void Wait() {
    MutexLock lock(&mu_);
    while (count_ > 0) done_.Wait(&mu_);
  }

 private:
  Mutex mu_;
  CondVar done_;
  int count_ ABSL_GUARDED_BY(mu_);
};

// Queues itself again until it has run `runs` times.
class Again : public WorkerPool::Turn, public std::enable_shared_from_this<Again> {
 public:
  Again(WorkerPool* pool, int runs, Countdown* done) : pool_(pool), runs_(runs), done_(done) {}
  void Run(SendBatch*) override {
    if (--runs_ == 0) return done_->Down();
    pool_->Push(shared_from_this());
  }

 private:
  WorkerPool* const pool_;
  int runs_;
  Countdown* const done_;
};

TEST(WorkerPoolTest, OneWorkerKeepsTheOrder) {
  WorkerPool pool("test-", 1);
  std::vector<int> order;
  Countdown done(100);
  for (int i = 0; i < 100; ++i) {
    pool.Post([&, i] {
      order.push_back(i);
      done.Down();
    });
  }
  done.Wait();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(WorkerPoolTest, NoPushIsLostBetweenManyThreads) {
  WorkerPool pool("test-", 3);
  constexpr int kThreads = 4, kTasks = 5000;
  Countdown done(kThreads * kTasks);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kTasks; ++n) pool.Post([&] { done.Down(); });
    });
  }
  done.Wait();
  for (std::thread& thread : threads) thread.join();
}

TEST(WorkerPoolTest, SleepingWorkersAreWokenEachTime) {
  WorkerPool pool("test-", 2);
  for (int i = 0; i < 2000; ++i) {
    Countdown done(1);
    pool.Post([&] { done.Down(); });
    done.Wait();
  }
}

// Pushes at the very moment at which the only worker goes to sleep.
TEST(WorkerPoolTest, APushThatMeetsAWorkerFallingAsleepIsNotLost) {
  WorkerPool pool("test-", 1);
  for (int i = 0; i < 50'000; ++i) {
    std::atomic<bool> ran{false};
    pool.Post([&] { ran = true; });
    for (int spins = 0; !ran; ++spins) {
      if (spins > 1000) std::this_thread::yield();
    }
  }
}

TEST(WorkerPoolTest, ATurnMayQueueItselfAgain) {
  WorkerPool pool("test-", 2);
  Countdown done(10);
  for (int i = 0; i < 10; ++i) pool.Push(std::make_shared<Again>(&pool, 1000, &done));
  done.Wait();
}

// Adds one send to the batch, and learns when it has been sent.
class AddsOnce : public WorkerPool::Turn, public SendBatch::Sender, public std::enable_shared_from_this<AddsOnce> {
 public:
  AddsOnce(int fd, const std::atomic<int>* runs_of_others) : fd_(fd), runs_of_others_(runs_of_others) {}
  void Run(SendBatch* batch) override {
    batch->Add(fd_, {"event"}, shared_from_this());
    runs_before_ = *runs_of_others_;
  }
  void OnSent(const Transfer&, absl::string_view) override {
    waited_ = *runs_of_others_ - runs_before_;
    sent.Open();
  }
  int waited() const { return waited_; }
  Gate sent;

 private:
  const int fd_;
  const std::atomic<int>* const runs_of_others_;
  int runs_before_ = 0;
  int waited_ = 0;
};

// Queues itself again and adds nothing, for a while or until it is told.
class AddsNothing : public WorkerPool::Turn, public std::enable_shared_from_this<AddsNothing> {
 public:
  AddsNothing(WorkerPool* pool, std::atomic<int>* runs, const std::atomic<bool>* end)
      : pool_(pool), runs_(runs), end_(end) {}
  void Run(SendBatch*) override {
    if (++*runs_ < 200'000 && !*end_) pool_->Push(shared_from_this());
  }

 private:
  WorkerPool* const pool_;
  std::atomic<int>* const runs_;
  const std::atomic<bool>* const end_;
};

TEST(WorkerPoolTest, WhatWaitsInABatchWaitsForFewTurns) {
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  std::atomic<int> runs{0};
  std::atomic<bool> end{false};
  {
    WorkerPool pool("test-", 1);
    for (int i = 0; i < 4; ++i) pool.Push(std::make_shared<AddsNothing>(&pool, &runs, &end));
    const auto adds = std::make_shared<AddsOnce>(fds[0], &runs);
    pool.Push(adds);
    adds->sent.Wait();
    end = true;
    EXPECT_LE(adds->waited(), static_cast<int>(SendBatch::kSendsMax));
  }
  close(fds[0]);
  close(fds[1]);
}

TEST(WorkerPoolTest, AfterStopNothingRunsAndNothingIsKept) {
  WorkerPool pool("test-", 1);
  const auto kept = std::make_shared<int>(0);
  // A task that is dropped may own what posts again when it goes.
  struct PostsAgain {
    PostsAgain(WorkerPool* pool, std::shared_ptr<int> kept) : pool(pool), kept(std::move(kept)) {}
    ~PostsAgain() {
      pool->Post([held = kept] {});
    }
    WorkerPool* const pool;
    const std::shared_ptr<int> kept;
  };
  Countdown started(1), release(1);
  pool.Post([&] {
    started.Down();
    release.Wait();
  });
  started.Wait();
  for (int i = 0; i < 10; ++i) pool.Post([held = std::make_unique<PostsAgain>(&pool, kept)] {});
  std::thread stopping([&] { pool.Stop(); });
  release.Down();
  stopping.join();
  pool.Post([held = std::make_unique<PostsAgain>(&pool, kept)] { ADD_FAILURE() << "ran after Stop"; });
  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace
}  // namespace tidemark::net
