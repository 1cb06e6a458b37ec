#include "cache/compaction_tracker.h"

#include "absl/strings/str_cat.h"
#include "cache/test_etcd_client.h"
#include "gtest/gtest.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::cache {
namespace {

struct Fixture {
  SimClock clock;
  SimExecutor executor{clock};
  storeclient::MemoryStoreClient client{executor};
  TestEtcdClient etcd{&client};
  Revision oldest{1};
  Revision cut;
  std::shared_ptr<CompactionTracker> tracker = std::make_shared<CompactionTracker>(
      &etcd, &executor,
      [this] {
        return CompactionTracker::Bounds{oldest, client.revision()};
      },
      [this](Revision revision) { cut = oldest = revision; });

  Fixture() {
    for (int i = 0; i < 100; ++i) client.Put("/registry/pods/a", "{}");
    tracker->Start();
    executor.RunUntilIdle();
  }
  ~Fixture() { tracker->Stop(); }
};

TEST(CompactionTrackerTest, AnnouncementCutsAtOnce) {
  Fixture f;
  EXPECT_TRUE(f.cut.is_none());
  f.client.Put(kCompactRevKey, "40");
  f.executor.RunUntilIdle();
  EXPECT_EQ(f.cut, Revision(40));
}

TEST(CompactionTrackerTest, AnnouncementFromBeforeTheStartCounts) {
  Fixture f;
  f.client.Put(kCompactRevKey, "40");
  auto late = std::make_shared<CompactionTracker>(
      &f.client, &f.executor, [] { return CompactionTracker::Bounds(); },
      [&f](Revision revision) { f.cut = revision; });
  late->Start();
  f.executor.RunUntilIdle();
  EXPECT_EQ(f.cut, Revision(40));
  late->Stop();
}

TEST(CompactionTrackerTest, SilentCompactionIsFoundExactlyByProbing) {
  for (int64_t at : {2, 50, 77, 101}) {
    SCOPED_TRACE(at);
    Fixture f;
    ASSERT_TRUE(f.client.Compact(Revision(at)).ok());
    f.executor.RunFor(kCompactionProbeGap);
    EXPECT_EQ(f.cut, Revision(at));
  }
}

TEST(CompactionTrackerTest, ProbesAreFewAndGoOn) {
  Fixture f;
  const int64_t before = f.client.counts().ranges;
  f.executor.RunFor(100 * kCompactionProbeGap);
  EXPECT_TRUE(f.cut.is_none());
  EXPECT_LE(f.client.counts().ranges - before, 101);
  ASSERT_TRUE(f.client.Compact(Revision(60)).ok());
  f.executor.RunFor(kCompactionProbeGap);
  EXPECT_EQ(f.cut, Revision(60));
  ASSERT_TRUE(f.client.Compact(Revision(80)).ok());
  f.executor.RunFor(kCompactionProbeGap);
  EXPECT_EQ(f.cut, Revision(80));
}

TEST(CompactionTrackerTest, StoreThatIsAwayIsProbedAgainLater) {
  Fixture f;
  f.client.CutOff();
  ASSERT_TRUE(f.client.Compact(Revision(60)).ok());
  f.executor.RunFor(5 * kCompactionProbeGap);
  EXPECT_TRUE(f.cut.is_none());
  f.client.Reconnect();
  f.executor.RunFor(3 * kCompactionProbeGap);
  EXPECT_EQ(f.cut, Revision(60));
}

TEST(CompactionTrackerTest, WhatWasReadBeforeARestoreCutsNothingAfterIt) {
  for (int answers : {0, 1, 3}) {
    SCOPED_TRACE(answers);
    Fixture f;
    ASSERT_TRUE(f.client.Compact(Revision(50)).ok());
    f.client.HoldRanges();
    f.executor.RunFor(kCompactionProbeGap);
    f.client.ReleaseRanges();
    for (int i = 0; i < answers; ++i) f.executor.RunOne();
    ASSERT_TRUE(f.cut.is_none());
    f.tracker->OnRewound(absl::UnknownError("restored"));
    f.executor.RunUntilIdle();
    EXPECT_TRUE(f.cut.is_none()) << f.cut;
    f.oldest = Revision(1);
    f.executor.RunFor(2 * kCompactionProbeGap);
    EXPECT_EQ(f.cut, Revision(50)) << "probes go on";
  }
}

TEST(CompactionTrackerTest, ValueThatIsNoRevisionIsIgnored) {
  Fixture f;
  f.client.Put(kCompactRevKey, "soon");
  f.client.Put(absl::StrCat(kCompactRevKey, "s"), "50");
  f.executor.RunUntilIdle();
  EXPECT_TRUE(f.cut.is_none());
}

TEST(CompactionTrackerTest, AnnouncementOfWhatIsNotWrittenYetIsIgnored) {
  Fixture f;
  for (const int64_t ahead : {int64_t{1}, int64_t{1'000'000}}) {
    f.client.Put(kCompactRevKey, absl::StrCat(f.client.revision().value() + ahead));
    f.executor.RunUntilIdle();
    EXPECT_TRUE(f.cut.is_none()) << f.cut;
  }
  ASSERT_TRUE(f.client.Compact(Revision(60)).ok());
  f.executor.RunFor(kCompactionProbeGap);
  EXPECT_EQ(f.cut, Revision(60)) << "probes go on";
}

}  // namespace
}  // namespace tidemark::cache
