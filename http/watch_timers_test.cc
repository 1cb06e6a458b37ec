#include "http/watch_timers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace tidemark::http {
namespace {

class WatchTimersTest : public testing::Test {
 protected:
  net::Waker Waker() {
    return [this] { ++wakes_; };
  }
  absl::Time In(absl::Duration span) { return clock_.Now() + span; }

  SimClock clock_;
  SimExecutor executor_{clock_};
  WatchTimers timers_{&executor_};
  std::atomic<int> wakes_{0};
};

TEST_F(WatchTimersTest, ExpiresAtItsDeadlineOnce) {
  const auto alarm = timers_.Add(In(absl::Seconds(10)), false, Waker());
  executor_.RunFor(absl::Milliseconds(9900));
  EXPECT_FALSE(alarm->expired());
  EXPECT_EQ(wakes_, 0);
  executor_.RunFor(absl::Milliseconds(200));
  EXPECT_TRUE(alarm->expired());
  executor_.RunFor(absl::Hours(2));
  EXPECT_EQ(wakes_, 1);
  EXPECT_EQ(timers_.size(), 0u);
}

TEST_F(WatchTimersTest, BookmarksComeEachMinuteAndAreTakenOnce) {
  const auto alarm = timers_.Add(In(absl::Minutes(10)), true, Waker());
  EXPECT_FALSE(alarm->TakeBookmark());
  for (int minute = 1; minute <= 5; ++minute) {
    executor_.RunFor(absl::Minutes(1));
    EXPECT_EQ(wakes_, minute);
    EXPECT_TRUE(alarm->TakeBookmark());
    EXPECT_FALSE(alarm->TakeBookmark());
  }
}

TEST_F(WatchTimersTest, OneMoreBookmarkComesTwoSecondsBeforeTheEnd) {
  const auto alarm = timers_.Add(In(absl::Seconds(90)), true, Waker());
  executor_.RunFor(absl::Minutes(1));
  EXPECT_TRUE(alarm->TakeBookmark());
  executor_.RunFor(absl::Seconds(27));
  EXPECT_FALSE(alarm->TakeBookmark());
  executor_.RunFor(absl::Milliseconds(1200));
  EXPECT_TRUE(alarm->TakeBookmark());
  EXPECT_EQ(wakes_, 2);
  executor_.RunFor(absl::Milliseconds(1700));
  EXPECT_FALSE(alarm->expired());
  EXPECT_FALSE(alarm->TakeBookmark());
  executor_.RunFor(absl::Milliseconds(300));
  EXPECT_TRUE(alarm->expired());
  EXPECT_EQ(wakes_, 3);
}

TEST_F(WatchTimersTest, AWatchOfLessThanTwoSecondsHasNoBookmark) {
  const auto alarm = timers_.Add(In(absl::Seconds(2)), true, Waker());
  executor_.RunFor(absl::Milliseconds(1900));
  EXPECT_EQ(wakes_, 0);
}

TEST_F(WatchTimersTest, WithoutBookmarksAnIdleWatchIsNeverWoken) {
  const auto alarm = timers_.Add(In(absl::Minutes(30)), false, Waker());
  executor_.RunFor(absl::Minutes(29));
  EXPECT_EQ(wakes_, 0);
}

TEST_F(WatchTimersTest, AnEarlierDeadlineThanTheOnePostedForIsKept) {
  const auto late = timers_.Add(In(absl::Minutes(30)), false, Waker());
  const auto early = timers_.Add(In(absl::Seconds(1)), false, Waker());
  executor_.RunFor(absl::Seconds(2));
  EXPECT_TRUE(early->expired());
  EXPECT_FALSE(late->expired());
  executor_.RunFor(absl::Minutes(30));
  EXPECT_TRUE(late->expired());
}

TEST_F(WatchTimersTest, AClosedWatchLeavesNothingBehind) {
  auto alarm = timers_.Add(In(absl::Minutes(30)), true, Waker());
  alarm.reset();
  EXPECT_EQ(timers_.size(), 0u);
  executor_.RunFor(absl::Hours(1));
  EXPECT_EQ(wakes_, 0);
}

TEST_F(WatchTimersTest, TimeWithoutEndIsNoTimer) {
  const auto alarm = timers_.Add(absl::InfiniteFuture(), false, Waker());
  executor_.RunFor(absl::Hours(100));
  EXPECT_FALSE(alarm->expired());
}

TEST_F(WatchTimersTest, ManyWatchesShareWakeUps) {
  std::vector<std::unique_ptr<WatchAlarm>> alarms;
  for (int i = 0; i < 10000; ++i) alarms.push_back(timers_.Add(In(absl::Minutes(40)), true, Waker()));
  int tasks = 0;
  const absl::Time end = In(absl::Minutes(1));
  while (clock_.Now() < end) {
    clock_.Advance(absl::Milliseconds(100));
    tasks += executor_.RunUntilIdle();
  }
  EXPECT_EQ(wakes_, 10000);
  EXPECT_LE(tasks, 2 * 150);  // one for each 100 ms, and those that an earlier alarm took over from
}

TEST(WatchTimersThreadsTest, AddedAndClosedFromManyThreads) {
  LoopThread loop("timers-test");
  WatchTimers timers(&loop);
  std::atomic<int> wakes{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto alarm = timers.Add(RealClock().Now() + absl::Milliseconds(i % 3), i % 2 == 0, [&] { ++wakes; });
        if (i % 5 == 0) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(timers.size(), 0u);
  loop.Stop();
}

}  // namespace
}  // namespace tidemark::http
