#include "net/worker_pool.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
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
