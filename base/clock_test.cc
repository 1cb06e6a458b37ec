#include "base/clock.h"

#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(SimClockTest, MovesOnlyWhenTold) {
  SimClock clock(absl::FromUnixSeconds(100));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(100));
  clock.Advance(absl::Seconds(3));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(103));
}

TEST(SimClockTest, AdvanceToThePastDoesNothing) {
  SimClock clock(absl::FromUnixSeconds(100));
  clock.AdvanceTo(absl::FromUnixSeconds(90));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(100));
  clock.AdvanceTo(absl::FromUnixSeconds(110));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(110));
}

TEST(SimClockDeathTest, NegativeStepStops) {
  SimClock clock;
  EXPECT_DEATH(clock.Advance(-absl::Seconds(1)), "check failed");
}

TEST(RealClockTest, NeverGoesBack) {
  absl::Time last = RealClock().Now();
  for (int i = 0; i < 10000; ++i) {
    const absl::Time now = RealClock().Now();
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace tidemark
