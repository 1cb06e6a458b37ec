#include "cache/freshness_waits.h"

#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

constexpr absl::Duration kMs = absl::Milliseconds(1);
const absl::Time kStart = absl::UnixEpoch();
const absl::Time kFar = kStart + absl::Seconds(3);
using Outcome = FreshnessWaits::Outcome;

FreshnessWaits At(int64_t revision) {
  FreshnessWaits core;
  core.OnReached(Revision(revision), false, kStart - absl::Hours(1));
  return core;
}

TEST(FreshnessWaitsTest, RevisionThatIsReachedEndsAtOnceAndAsksNothing) {
  FreshnessWaits core = At(5);
  auto actions = core.Add(1, Revision(5), kFar, kStart);
  ASSERT_EQ(actions.done.size(), 1u);
  EXPECT_EQ(actions.done[0].outcome, Outcome::kReached);
  EXPECT_FALSE(actions.request_progress);
  EXPECT_EQ(core.NextWake(), absl::InfiniteFuture());
}

TEST(FreshnessWaitsTest, FirstWaiterAsksAtOnceThenByTheTick) {
  FreshnessWaits core = At(5);
  EXPECT_TRUE(core.Add(1, Revision(6), kFar, kStart).request_progress);
  EXPECT_EQ(core.NextWake(), kStart + kProgressTick);
  EXPECT_FALSE(core.OnTick(kStart + kProgressTick - kMs).request_progress);
  EXPECT_TRUE(core.OnTick(kStart + kProgressTick).request_progress);
  EXPECT_EQ(core.NextWake(), kStart + 2 * kProgressTick);
}

TEST(FreshnessWaitsTest, NextRoundAsksWhenTheRequestInFlightIsAnswered) {
  FreshnessWaits core = At(5);
  EXPECT_TRUE(core.Add(1, Revision(6), kFar, kStart).request_progress);
  EXPECT_FALSE(core.Add(2, Revision(7), kFar, kStart + kMs).request_progress) << "one in flight";
  auto answer = core.OnReached(Revision(6), true, kStart + 2 * kMs);
  ASSERT_EQ(answer.done.size(), 1u);
  EXPECT_EQ(answer.done[0].waiter, 1u);
  EXPECT_FALSE(answer.request_progress) << "a few ms apart";
  EXPECT_EQ(core.NextWake(), kStart + kProgressGap);
  EXPECT_TRUE(core.OnTick(kStart + kProgressGap).request_progress);
}

TEST(FreshnessWaitsTest, RequestThatWasNotAnsweredHoldsTheNextRoundBackForAShortWhileOnly) {
  FreshnessWaits core = At(5);
  core.Add(1, Revision(6), kFar, kStart);
  core.OnReached(Revision(6), false, kStart + kMs);
  EXPECT_FALSE(core.Add(2, Revision(7), kFar, kStart + 2 * kMs).request_progress);
  EXPECT_EQ(core.NextWake(), kStart + kProgressAnswerMax);
  EXPECT_TRUE(core.OnTick(kStart + kProgressAnswerMax).request_progress);
}

TEST(FreshnessWaitsTest, AnswerThatIsTooOldIsAskedAgainByTheTickOnly) {
  FreshnessWaits core = At(5);
  core.Add(1, Revision(9), kFar, kStart);
  EXPECT_TRUE(core.OnReached(Revision(6), true, kStart + 50 * kMs).done.empty());
  EXPECT_EQ(core.NextWake(), kStart + kProgressTick);
}

TEST(FreshnessWaitsTest, EventsEndWaitersByTheirRevision) {
  FreshnessWaits core = At(5);
  core.Add(1, Revision(8), kFar, kStart);
  core.Add(2, Revision(6), kFar, kStart);
  core.Add(3, Revision(7), kFar, kStart);
  auto actions = core.OnReached(Revision(7), false, kStart + kMs);
  ASSERT_EQ(actions.done.size(), 2u);
  EXPECT_EQ(actions.done[0].waiter, 2u);
  EXPECT_EQ(actions.done[1].waiter, 3u);
  EXPECT_EQ(core.waiters(), 1u);
}

TEST(FreshnessWaitsTest, DeadlineEndsTheWaitAndTheRequests) {
  FreshnessWaits core = At(5);
  core.Add(1, Revision(6), kStart + 30 * kMs, kStart);
  EXPECT_EQ(core.NextWake(), kStart + 30 * kMs);
  auto actions = core.OnTick(kStart + 30 * kMs);
  ASSERT_EQ(actions.done.size(), 1u);
  EXPECT_EQ(actions.done[0].outcome, Outcome::kTimedOut);
  EXPECT_EQ(core.NextWake(), absl::InfiniteFuture());
  EXPECT_FALSE(core.OnTick(kFar).request_progress) << "none when nobody waits";
}

TEST(FreshnessWaitsTest, InterruptionForgetsTheRequestInFlight) {
  FreshnessWaits core = At(5);
  core.Add(1, Revision(6), kFar, kStart);
  core.Add(2, Revision(6), kFar, kStart);
  EXPECT_TRUE(core.OnInterrupted(kStart + kProgressGap).request_progress);
}

TEST(FreshnessWaitsTest, ReachedNeverFallsButByReset) {
  FreshnessWaits core = At(5);
  core.OnReached(Revision(3), true, kStart);
  EXPECT_EQ(core.reached(), Revision(5));
  core.Add(4, Revision(6), kFar, kStart);
  EXPECT_EQ(core.Reset(Revision(2)), std::vector<FreshnessWaits::WaiterId>{4});
  EXPECT_EQ(core.reached(), Revision(2));
  EXPECT_EQ(core.NextWake(), absl::InfiniteFuture());
}

TEST(FreshnessWaitsTest, TooManyWaitersAreTurnedAway) {
  FreshnessWaits core = At(5);
  FreshnessWaits::WaiterId waiter = 1;
  for (; waiter <= kFreshnessWaitersMax; ++waiter) core.Add(waiter, Revision(6), kFar, kStart);
  auto actions = core.Add(waiter, Revision(6), kFar, kStart);
  ASSERT_EQ(actions.done.size(), 1u);
  EXPECT_EQ(actions.done[0].outcome, Outcome::kOverloaded);
}

}  // namespace
}  // namespace tidemark::cache
