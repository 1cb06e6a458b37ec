#include "cache/tick_scheduler.h"

#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

const absl::Time kStart = absl::UnixEpoch();
constexpr absl::Duration kMs = absl::Milliseconds(1);

TEST(TickSchedulerTest, OneTaskServesItsTimeAndLater) {
  TickScheduler scheduler;
  EXPECT_TRUE(scheduler.Arm(kStart + 10 * kMs));
  EXPECT_FALSE(scheduler.Arm(kStart + 10 * kMs));
  EXPECT_FALSE(scheduler.Arm(kStart + 20 * kMs)) << "asked for again when the first one runs";
  EXPECT_TRUE(scheduler.Arm(kStart + 5 * kMs)) << "sooner than any";
  EXPECT_FALSE(scheduler.Arm(absl::InfiniteFuture()));
}

TEST(TickSchedulerTest, ATaskThatRanServesNobodyElse) {
  TickScheduler scheduler;
  EXPECT_TRUE(scheduler.Arm(kStart + 10 * kMs));
  EXPECT_TRUE(scheduler.Arm(kStart + 5 * kMs));
  scheduler.Fired(kStart + 5 * kMs);
  EXPECT_FALSE(scheduler.Arm(kStart + 10 * kMs)) << "this one is still under way";
  EXPECT_TRUE(scheduler.Arm(kStart + 7 * kMs));
  scheduler.Fired(kStart + 10 * kMs);
  EXPECT_TRUE(scheduler.Arm(kStart + 10 * kMs));
}

}  // namespace
}  // namespace tidemark::cache
