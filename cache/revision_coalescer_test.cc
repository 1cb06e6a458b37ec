#include "cache/revision_coalescer.h"

#include "base/status.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

constexpr absl::Duration kMs = absl::Milliseconds(1);
const absl::Time kStart = absl::UnixEpoch();
const absl::Time kFar = kStart + absl::Seconds(3);

absl::Status Unavailable() { return MakeError(ErrorKind::kStoreUnavailable, "no endpoint"); }

TEST(RevisionCoalescerTest, FirstReaderAtIdleStartsAtOnce) {
  RevisionCoalescer core;
  EXPECT_EQ(core.NextWake(), absl::InfiniteFuture());
  EXPECT_EQ(core.AddReader(1, kFar, kStart).start, 1u);
  auto actions = core.OnAnswer(1, Revision(7), kStart + kMs);
  ASSERT_EQ(actions.answers.size(), 1u);
  EXPECT_EQ(actions.answers[0].reader, 1u);
  EXPECT_EQ(*actions.answers[0].revision, Revision(7));
  EXPECT_EQ(core.readers(), 0u);
  EXPECT_EQ(core.NextWake(), absl::InfiniteFuture());
}

TEST(RevisionCoalescerTest, ReaderWhoComesWhileAReadIsInFlightWaitsForTheNext) {
  RevisionCoalescer core;
  core.AddReader(1, kFar, kStart);
  EXPECT_FALSE(core.AddReader(2, kFar, kStart + kMs).start.has_value());
  EXPECT_FALSE(core.AddReader(3, kFar, kStart + 2 * kMs).start.has_value());
  auto first = core.OnAnswer(1, Revision(7), kStart + 3 * kMs);
  ASSERT_EQ(first.answers.size(), 1u);
  EXPECT_EQ(first.answers[0].reader, 1u);
  EXPECT_FALSE(first.start.has_value()) << "starts are 5 ms apart";
  EXPECT_EQ(core.NextWake(), kStart + kRevisionReadGap);
  EXPECT_EQ(core.OnTick(kStart + kRevisionReadGap).start, 2u);
  auto second = core.OnAnswer(2, Revision(9), kStart + 6 * kMs);
  ASSERT_EQ(second.answers.size(), 2u) << "both share the next read";
  EXPECT_EQ(*second.answers[1].revision, Revision(9));
}

TEST(RevisionCoalescerTest, LaterReadThatAnswersFirstServesEarlierReadersToo) {
  RevisionCoalescer core;
  core.AddReader(1, kFar, kStart);
  core.AddReader(2, kFar, kStart + kMs);
  EXPECT_EQ(core.OnTick(kStart + kRevisionReadGap).start, 2u);
  EXPECT_EQ(core.OnAnswer(2, Revision(9), kStart + 7 * kMs).answers.size(), 2u);
  EXPECT_TRUE(core.OnAnswer(1, Revision(7), kStart + 8 * kMs).answers.empty());
}

TEST(RevisionCoalescerTest, ReadsInFlightAreBounded) {
  RevisionCoalescer core;
  size_t started = 0;
  absl::Time now = kStart;
  for (RevisionCoalescer::ReaderId reader = 1; reader <= 20; ++reader, now += kRevisionReadGap) {
    started += core.AddReader(reader, kFar, now).start.has_value();
  }
  EXPECT_EQ(started, kRevisionReadsInFlightMax);
  EXPECT_EQ(core.NextWake(), kFar) << "only an answer or a deadline can change anything";
  EXPECT_TRUE(core.OnAnswer(1, Revision(3), now).start.has_value());
}

TEST(RevisionCoalescerTest, FailedReadIsRepeatedAndServesThoseWhoCameMeanwhile) {
  RevisionCoalescer core;
  core.AddReader(1, kFar, kStart);
  core.AddReader(2, kFar, kStart + kMs);
  EXPECT_TRUE(core.OnAnswer(1, Unavailable(), kStart + 2 * kMs).answers.empty());
  EXPECT_EQ(core.NextWake(), kStart + 2 * kMs + kRevisionReadRetryGap);
  EXPECT_FALSE(core.AddReader(3, kFar, kStart + 50 * kMs).start.has_value());
  EXPECT_EQ(core.OnTick(kStart + 2 * kMs + kRevisionReadRetryGap).start, 2u);
  EXPECT_EQ(core.OnAnswer(2, Revision(9), kStart + 110 * kMs).answers.size(), 3u);
}

TEST(RevisionCoalescerTest, ErrorThatRetryingCannotMendEndsItsReaders) {
  RevisionCoalescer core;
  core.AddReader(1, kFar, kStart);
  core.AddReader(2, kFar, kStart);
  auto actions = core.OnAnswer(1, absl::PermissionDeniedError("no"), kStart + kMs);
  ASSERT_EQ(actions.answers.size(), 1u);
  EXPECT_TRUE(absl::IsPermissionDenied(actions.answers[0].revision.status()));
}

TEST(RevisionCoalescerTest, DeadlineEndsAReaderWithTheLastError) {
  RevisionCoalescer core;
  core.AddReader(1, kStart + 10 * kMs, kStart);
  core.AddReader(2, kFar, kStart);
  core.OnAnswer(1, Unavailable(), kStart + 2 * kMs);
  EXPECT_EQ(core.NextWake(), kStart + 10 * kMs);
  auto actions = core.OnTick(kStart + 10 * kMs);
  ASSERT_EQ(actions.answers.size(), 1u);
  EXPECT_EQ(actions.answers[0].reader, 1u);
  EXPECT_EQ(KindOf(actions.answers[0].revision.status()), ErrorKind::kStoreUnavailable);
  EXPECT_NE(actions.answers[0].revision.status().message().find("no endpoint"), absl::string_view::npos);
  EXPECT_EQ(core.readers(), 1u);
}

TEST(RevisionCoalescerTest, NobodyWaitsNothingStarts) {
  RevisionCoalescer core;
  core.AddReader(1, kStart + 2 * kMs, kStart);
  core.OnAnswer(1, Unavailable(), kStart + kMs);
  EXPECT_EQ(core.OnTick(kStart + 2 * kMs).answers.size(), 1u);
  EXPECT_EQ(core.NextWake(), absl::InfiniteFuture());
  EXPECT_FALSE(core.OnTick(kFar).start.has_value());
}

TEST(RevisionCoalescerTest, TooManyReadersAreTurnedAway) {
  RevisionCoalescer core;
  RevisionCoalescer::ReaderId reader = 1;
  for (; reader <= kRevisionReadersMax; ++reader) core.AddReader(reader, kFar, kStart);
  auto actions = core.AddReader(reader, kFar, kStart);
  ASSERT_EQ(actions.answers.size(), 1u);
  EXPECT_EQ(KindOf(actions.answers[0].revision.status()), ErrorKind::kOverloaded);
  EXPECT_EQ(core.Stop(MakeError(ErrorKind::kStopped, "stop")).answers.size(), kRevisionReadersMax);
}

}  // namespace
}  // namespace tidemark::cache
