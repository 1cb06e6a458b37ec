#include "store/server/compaction_schedule.h"

#include "gtest/gtest.h"

namespace tidemark::store {
namespace {

using config::CompactionMode;

const absl::Time kStart = absl::UnixEpoch();

TEST(CompactionScheduleTest, PeriodicCompactsWhatWasNewestAPeriodAgo) {
  CompactionSchedule schedule(CompactionMode::kPeriodic, absl::Minutes(10), 0, kStart);
  ASSERT_EQ(schedule.interval(), absl::Minutes(1));
  for (int minute = 0; minute < 10; ++minute) {
    EXPECT_FALSE(schedule.Tick(kStart + absl::Minutes(minute), Revision(100 + minute)).has_value()) << minute;
  }
  EXPECT_EQ(schedule.Tick(kStart + absl::Minutes(10), Revision(110)), Revision(100));
  for (int minute = 11; minute < 20; ++minute) {
    EXPECT_FALSE(schedule.Tick(kStart + absl::Minutes(minute), Revision(100 + minute)).has_value()) << minute;
  }
  EXPECT_EQ(schedule.Tick(kStart + absl::Minutes(20), Revision(120)), Revision(110));
}

TEST(CompactionScheduleTest, LongPeriodCompactsEveryHour) {
  CompactionSchedule schedule(CompactionMode::kPeriodic, absl::Hours(3), 0, kStart);
  ASSERT_EQ(schedule.interval(), absl::Minutes(6));
  int compactions = 0;
  for (int tick = 0; tick <= 60; ++tick) {
    const absl::Time now = kStart + tick * absl::Minutes(6);
    const auto revision = schedule.Tick(now, Revision(1000 + tick));
    if (!revision.has_value()) continue;
    ++compactions;
    EXPECT_EQ(*revision, Revision(1000 + tick - 30)) << tick;
  }
  EXPECT_EQ(compactions, 4);  // at 3, 4, 5 and 6 hours
}

TEST(CompactionScheduleTest, QuietStoreIsCompactedOnce) {
  CompactionSchedule schedule(CompactionMode::kPeriodic, absl::Minutes(10), 0, kStart);
  int compactions = 0;
  for (int minute = 0; minute < 60; ++minute) {
    compactions += schedule.Tick(kStart + absl::Minutes(minute), Revision(7)).has_value() ? 1 : 0;
  }
  EXPECT_EQ(compactions, 1);
}

TEST(CompactionScheduleTest, RevisionKeepsSoMany) {
  CompactionSchedule schedule(CompactionMode::kRevision, absl::ZeroDuration(), 1000, kStart);
  EXPECT_EQ(schedule.interval(), absl::Minutes(5));
  EXPECT_FALSE(schedule.Tick(kStart, Revision(1000)).has_value());
  EXPECT_EQ(schedule.Tick(kStart, Revision(1500)), Revision(500));
  EXPECT_FALSE(schedule.Tick(kStart, Revision(1500)).has_value());
  EXPECT_EQ(schedule.Tick(kStart, Revision(1501)), Revision(501));
}

}  // namespace
}  // namespace tidemark::store
