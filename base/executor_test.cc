#include "base/executor.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/test_gate.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(TaskQueueTest, PopsByTimeThenByPosting) {
  TaskQueue queue;
  std::string order;
  queue.Push(absl::FromUnixSeconds(2), [&] { order += 'c'; });
  queue.Push(absl::FromUnixSeconds(1), [&] { order += 'a'; });
  queue.Push(absl::FromUnixSeconds(1), [&] { order += 'b'; });
  EXPECT_EQ(queue.NextTime(), absl::FromUnixSeconds(1));
  while (!queue.empty()) queue.Pop()();
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(queue.NextTime(), absl::InfiniteFuture());
}

TEST(SimExecutorTest, RunsEachTaskAtItsTime) {
  SimClock clock(absl::FromUnixSeconds(0));
  SimExecutor executor(clock);
  std::vector<int64_t> times;
  const auto note = [&] { times.push_back(absl::ToUnixSeconds(clock.Now())); };
  executor.PostAt(absl::FromUnixSeconds(5), note);
  executor.PostAt(absl::FromUnixSeconds(2), [&] {
    note();
    executor.PostAt(clock.Now() + absl::Seconds(1), note);
  });
  executor.PostAt(absl::FromUnixSeconds(9), note);
  executor.RunUntil(absl::FromUnixSeconds(6));
  EXPECT_EQ(times, (std::vector<int64_t>{2, 3, 5}));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(6));
}

TEST(SimExecutorTest, IsCurrentOnlyInsideATask) {
  SimClock clock;
  SimExecutor executor(clock);
  bool inside = false;
  executor.Post([&] { inside = executor.IsCurrent(); });
  EXPECT_FALSE(executor.IsCurrent());
  EXPECT_EQ(executor.RunUntilIdle(), 1);
  EXPECT_TRUE(inside);
  EXPECT_FALSE(executor.IsCurrent());
  EXPECT_FALSE(executor.RunOne());
}

TEST(LoopThreadTest, RunsPostsOfOneThreadInOrder) {
  std::vector<int> order;
  Gate done;
  LoopThread loop("test-loop");
  for (int i = 0; i < 1000; ++i) loop.Post([&order, i] { order.push_back(i); });
  loop.Post([&] { done.Open(); });
  done.Wait();
  ASSERT_EQ(order.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(LoopThreadTest, ManyPostersLoseNothing) {
  constexpr int kThreads = 4, kPosts = 500;
  int count = 0;  // confined to the loop
  Gate done;
  LoopThread loop("test-loop");
  std::vector<std::thread> posters;
  for (int t = 0; t < kThreads; ++t) {
    posters.emplace_back([&] {
      for (int i = 0; i < kPosts; ++i) {
        loop.Post([&] {
          EXPECT_TRUE(loop.IsCurrent());
          if (++count == kThreads * kPosts) done.Open();
        });
      }
    });
  }
  for (std::thread& poster : posters) poster.join();
  done.Wait();
  EXPECT_FALSE(loop.IsCurrent());
}

TEST(LoopThreadTest, AnEarlierTaskOvertakesALaterOne) {
  Gate done;
  LoopThread loop("test-loop");
  loop.PostAt(absl::InfiniteFuture(), [] { FAIL() << "ran"; });
  loop.Post([&] { done.Open(); });
  done.Wait();
}

TEST(LoopThreadTest, StopDestroysWhatHasNotRunAndDropsLaterPosts) {
  auto alive = std::make_shared<int>(0);
  const std::weak_ptr<int> watch = alive;
  bool ran = false;
  {
    LoopThread loop("test-loop");
    loop.PostAt(absl::InfiniteFuture(), [alive] {});
    alive.reset();
    loop.Stop();
    EXPECT_TRUE(watch.expired());  // before the executor goes
    loop.Post([&] { ran = true; });
  }
  EXPECT_FALSE(ran);
}

TEST(LoopThreadTest, WhatHasNotRunMayPostWhenItIsDestroyed) {
  LoopThread loop("test-loop");
  auto poster = std::shared_ptr<int>(new int(0), [&](const int* number) {
    loop.Post([] { FAIL() << "ran"; });
    delete number;
  });
  loop.PostAt(absl::InfiniteFuture(), [poster = std::move(poster)] {});
  loop.Stop();
}

TEST(LoopThreadDeathTest, StoppingItselfStopsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Gate never;
        LoopThread loop("self");
        loop.Post([&] { loop.Stop(); });
        never.Wait();
      },
      "self stops itself");
}

}  // namespace
}  // namespace tidemark
