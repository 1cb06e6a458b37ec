#include "storeclient/progress_pacer.h"

#include <gtest/gtest.h>

#include "storeclient/store_client.h"

namespace tidemark::storeclient {
namespace {

constexpr absl::Time kStart = absl::UnixEpoch();

TEST(ProgressPacerTest, OneInFlightAndTheGap) {
  ProgressPacer pacer;
  EXPECT_FALSE(pacer.MaySend(kStart));
  EXPECT_EQ(pacer.NextTime(), absl::InfiniteFuture());
  pacer.Want();
  ASSERT_TRUE(pacer.MaySend(kStart));
  pacer.Sent(kStart, Revision());
  pacer.Want();
  EXPECT_FALSE(pacer.MaySend(kStart + kProgressRequestGap)) << "in flight";
  pacer.Answered(Revision());
  EXPECT_FALSE(pacer.MaySend(kStart)) << "too close";
  EXPECT_EQ(pacer.NextTime(), kStart + kProgressRequestGap);
  EXPECT_TRUE(pacer.MaySend(kStart + kProgressRequestGap));
}

TEST(ProgressPacerTest, UnansweredCountsAsDroppedAfterAWhile) {
  ProgressPacer pacer;
  pacer.Want();
  pacer.Sent(kStart, Revision());
  pacer.Want();
  EXPECT_EQ(pacer.NextTime(), kStart + ProgressPacer::kAnswerWait);
  EXPECT_TRUE(pacer.MaySend(kStart + ProgressPacer::kAnswerWait));
}

// Asks every 100 ms from `from` for `span`; returns the time.
absl::Time Ask(ProgressPacer* pacer, absl::Time from, absl::Duration span, Revision store = {}) {
  absl::Time now = from;
  for (; now < from + span; now += ProgressPacer::kAnswerWait) {
    pacer->Want();
    EXPECT_TRUE(pacer->MaySend(now));
    pacer->Sent(now, store);
  }
  return now;
}

TEST(ProgressPacerTest, SilenceIsRequestsWithoutAnyMessage) {
  ProgressPacer pacer;
  absl::Time now = Ask(&pacer, kStart, absl::Seconds(1.9));
  EXPECT_FALSE(pacer.IsSilent(now));
  now = Ask(&pacer, now, absl::Seconds(0.2));
  EXPECT_TRUE(pacer.IsSilent(now));
  pacer.Heard(Revision());
  EXPECT_FALSE(pacer.IsSilent(now));
  now = Ask(&pacer, now, absl::Seconds(2.1));
  EXPECT_TRUE(pacer.IsSilent(now));
  pacer.Answered(Revision());
  EXPECT_FALSE(pacer.IsSilent(now));
}

TEST(ProgressPacerTest, MessagesBehindTheStoreDoNotBreakTheSilence) {
  ProgressPacer pacer;
  absl::Time now = Ask(&pacer, kStart, absl::Seconds(1), Revision(9));
  pacer.Answered(Revision(8));
  pacer.Heard(Revision(8));
  now = Ask(&pacer, now, absl::Seconds(1), Revision(20));
  EXPECT_TRUE(pacer.IsSilent(now));
  pacer.Heard(Revision(9));
  EXPECT_FALSE(pacer.IsSilent(now)) << "as far as the store was when the silence began";
  now = Ask(&pacer, now, absl::Seconds(2), Revision(20));
  EXPECT_TRUE(pacer.IsSilent(now));
  pacer.Answered(Revision(20));
  EXPECT_FALSE(pacer.IsSilent(now));
}

TEST(ProgressPacerTest, AnswerThatIsBehindIsNoLongerInFlight) {
  ProgressPacer pacer;
  pacer.Want();
  pacer.Sent(kStart, Revision(9));
  pacer.Answered(Revision(8));
  pacer.Want();
  EXPECT_EQ(pacer.NextTime(), kStart + kProgressRequestGap);
}

TEST(ProgressPacerTest, RequestsFarApartAreNoSilence) {
  ProgressPacer pacer;
  absl::Time now = kStart;
  for (int i = 0; i < 10; ++i, now += absl::Minutes(1)) {
    EXPECT_FALSE(pacer.IsSilent(now));
    pacer.Want();
    pacer.Sent(now, Revision());
  }
}

TEST(ProgressPacerTest, EachSilenceIsBorneLongerUntilAnAnswer) {
  ProgressPacer pacer;
  absl::Time now = kStart;
  absl::Duration bearable = ProgressPacer::kSilenceFirst;
  for (int i = 0; i < 10; ++i) {
    now = Ask(&pacer, now, bearable);
    EXPECT_FALSE(pacer.IsSilent(now - ProgressPacer::kAnswerWait)) << i;
    EXPECT_TRUE(pacer.IsSilent(now)) << i;
    pacer.GaveUp();
    pacer.StreamOpened();
    bearable = std::min(bearable * 2, ProgressPacer::kSilenceMax);
  }
  pacer.Answered(Revision());
  now = Ask(&pacer, now, ProgressPacer::kSilenceFirst);
  EXPECT_TRUE(pacer.IsSilent(now));
}

}  // namespace
}  // namespace tidemark::storeclient
