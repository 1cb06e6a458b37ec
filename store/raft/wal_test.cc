#include "store/raft/wal.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "store/raft/wal_fixture.h"

namespace tidemark::raft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(WalTest, NewLogHasIdentityAndNothingElse) {
  const auto wal = OpenOrDie();
  EXPECT_EQ(wal->identity().cluster_id, 11u);
  EXPECT_EQ(wal->identity().member_id, 22u);
  EXPECT_EQ(wal->first(), LogIndex(1));
  EXPECT_EQ(wal->last(), LogIndex(0));
  EXPECT_THAT(Operations(wal.get()), IsEmpty());
}

TEST_F(WalTest, OperationsComeBackAfterRestart) {
  ASSERT_TRUE(Append(OpenOrDie().get(), {{"a", "b"}, {"c"}}).ok());
  ASSERT_TRUE(Append(OpenOrDie().get(), {{"d"}}).ok());
  const auto wal = OpenOrDie();
  EXPECT_EQ(wal->last(), LogIndex(4));
  EXPECT_THAT(Operations(wal.get()), ElementsAre("1:a", "2:b", "3:c", "4:d"));
  EXPECT_THAT(Operations(wal.get(), 1), ElementsAre("2:b", "3:c", "4:d"));
  EXPECT_THAT(Operations(wal.get(), 4), IsEmpty());
}

TEST_F(WalTest, IdentityOfAnExistingLogWins) {
  OpenOrDie();
  WalOptions options;
  options.env = disk_.get();
  options.directory = kDirectory;
  const auto wal = Wal::Open(options, {99, 98});
  ASSERT_TRUE(wal.ok()) << wal.status();
  EXPECT_EQ((*wal)->identity().member_id, 22u);
}

TEST_F(WalTest, TermSurvivesRemovalOfTheSegmentItWasRaisedIn) {
  auto wal = OpenOrDie();
  ASSERT_TRUE(wal->RaiseTerm(7).ok());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Append(wal.get(), {{std::string(300, 'x')}}).ok());
  ASSERT_TRUE(wal->RemoveThrough(wal->last()).ok());
  EXPECT_GT(wal->first(), LogIndex(1));
  wal.reset();
  EXPECT_EQ(OpenOrDie()->term(), 7u);
}

TEST_F(WalTest, RemoveThroughKeepsWhatIsAboveAndTheSegmentInUse) {
  auto wal = OpenOrDie();
  for (int i = 1; i <= 12; ++i) ASSERT_TRUE(Append(wal.get(), {{std::string(300, 'x')}}).ok());
  ASSERT_TRUE(wal->RemoveThrough(LogIndex(5)).ok());
  EXPECT_LE(wal->first(), LogIndex(6));
  EXPECT_GT(wal->first(), LogIndex(1));
  const LogIndex first = wal->first();
  wal.reset();
  wal = OpenOrDie();
  EXPECT_EQ(wal->first(), first);
  EXPECT_EQ(wal->last(), LogIndex(12));
  EXPECT_EQ(Operations(wal.get(), 5).size(), 7u);
  ASSERT_TRUE(wal->RemoveThrough(LogIndex(12)).ok());
  EXPECT_EQ(wal->last(), LogIndex(12));
  ASSERT_TRUE(Append(wal.get(), {{"next"}}).ok());
}

TEST_F(WalTest, EntryLargerThanASegmentHasOneOfItsOwn) {
  auto wal = OpenOrDie();
  const std::string large(5000, 'L');
  ASSERT_TRUE(Append(wal.get(), {{"a"}}).ok());
  ASSERT_TRUE(Append(wal.get(), {{large}}).ok());
  ASSERT_TRUE(Append(wal.get(), {{"b"}}).ok());
  wal.reset();
  EXPECT_THAT(Operations(OpenOrDie().get()), ElementsAre("1:a", "2:" + large, "3:b"));
}

TEST_F(WalTest, AppendIsOneSync) {
  segment_bytes_ = 1 << 20;
  auto wal = OpenOrDie();
  const int before = disk_->sync_count();
  ASSERT_TRUE(Append(wal.get(), {{"a", "b"}, {"c"}, {"d"}}).ok());
  EXPECT_EQ(disk_->sync_count(), before + 1);
}

TEST_F(WalTest, FailedSyncRefusesEverythingUntilRestart) {
  auto wal = OpenOrDie();
  ASSERT_TRUE(Append(wal.get(), {{"a"}}).ok());
  disk_->FailSyncsAfter(0);
  EXPECT_FALSE(Append(wal.get(), {{"b"}}).ok());
  disk_->HealSyncs();
  EXPECT_FALSE(Append(wal.get(), {{"c"}}).ok());
  EXPECT_FALSE(wal->RaiseTerm(9).ok());
  EXPECT_EQ(wal->last(), LogIndex(1));
  wal.reset();
  // The entry whose sync failed may be there or not; here the page cache kept it.
  wal = OpenOrDie();
  EXPECT_THAT(Operations(wal.get()), ElementsAre("1:a", "2:b"));
  ASSERT_TRUE(Append(wal.get(), {{"d"}}).ok());
}

TEST_F(WalTest, WhatIsReadAfterARestartIsSyncedFirst) {
  auto wal = OpenOrDie();
  disk_->FailSyncsAfter(0);
  EXPECT_FALSE(Append(wal.get(), {{"a"}}).ok());
  disk_->HealSyncs();
  wal.reset();
  wal = OpenOrDie();
  ASSERT_THAT(Operations(wal.get()), ElementsAre("1:a"));
  wal.reset();
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    disk_->Crash(seed);
    EXPECT_THAT(Operations(OpenOrDie().get()), ElementsAre("1:a"));
  }
}

TEST_F(WalTest, FullDiskAtARollWritesNothingAndHeals) {
  auto wal = OpenOrDie();
  disk_->SetCapacity(1024);
  absl::Status status;
  int written = 0;
  while ((status = Append(wal.get(), {{std::string(300, 'x')}})).ok()) ++written;
  EXPECT_EQ(KindOf(status), ErrorKind::kNoSpace) << status;
  disk_->SetCapacity(1 << 20);
  ASSERT_TRUE(Append(wal.get(), {{"after"}}).ok());
  wal.reset();
  const auto operations = Operations(OpenOrDie().get());
  EXPECT_EQ(operations.size(), written + 1u);
  EXPECT_EQ(operations.back(), absl::StrCat(written + 1, ":after"));
}

TEST_F(WalTest, MissingSegmentIsAnError) {
  auto wal = OpenOrDie();
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(Append(wal.get(), {{std::string(300, 'x')}}).ok());
  wal.reset();
  ASSERT_TRUE(disk_->Remove(Path(2)).ok());
  EXPECT_THAT(std::string(TryOpen(disk_.get()).status().message()), HasSubstr("missing"));
}

TEST_F(WalTest, SegmentOfAnotherMemberIsAnError) {
  MemoryFileEnv other;
  {
    auto wal = OpenOrDie();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(Append(wal.get(), {{std::string(300, 'x')}}).ok());
  }
  {
    WalOptions options;
    options.env = &other;
    options.directory = kDirectory;
    options.segment_bytes = options.first_segment_bytes = segment_bytes_;
    auto wal = Wal::Open(options, {11, 23});
    ASSERT_TRUE(wal.ok() && (*wal)->RaiseTerm(1).ok());
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(Append(wal->get(), {{std::string(300, 'x')}}).ok());
  }
  disk_->SetContents(Path(2), other.Contents(Path(2)));
  const absl::Status status = TryOpen(disk_.get()).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
  EXPECT_THAT(std::string(status.message()), HasSubstr("another member"));
}

TEST_F(WalTest, StaleRecordBehindATornOneNeverReturns) {
  segment_bytes_ = 4096;
  auto wal = OpenOrDie();
  ASSERT_TRUE(Append(wal.get(), {{"a"}}).ok());
  const std::string before = disk_->Contents(Path(1));
  ASSERT_TRUE(Append(wal.get(), {{"b"}, {"stale"}}).ok());
  wal.reset();
  // The first record of the write never reached the disk, the second did.
  std::string torn = disk_->Contents(Path(1));
  const size_t at = before.find_last_not_of('\0') / kWalAlignment * kWalAlignment + kWalAlignment;
  const size_t length = WalRecordBytes(sizeof(uint32_t) + 1);
  torn.replace(at, length, length, '\0');
  disk_->SetContents(Path(1), torn);
  wal = OpenOrDie();
  ASSERT_THAT(Operations(wal.get()), ElementsAre("1:a"));
  ASSERT_TRUE(Append(wal.get(), {{"B"}}).ok());
  wal.reset();
  EXPECT_THAT(Operations(OpenOrDie().get()), ElementsAre("1:a", "2:B"));
}

TEST_F(WalTest, OldSegmentsAreUsedAgain) {
  auto wal = OpenOrDie();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(Append(wal.get(), {{std::string(300, static_cast<char>('a' + i % 26))}}).ok());
    ASSERT_TRUE(wal->RemoveThrough(wal->last()).ok());
    EXPECT_LE(disk_->List(kDirectory)->size(), 2u);
  }
  // The file was another segment before: what it held is behind the last record, and stays unseen.
  const std::string name = disk_->List(kDirectory)->front();
  const LogIndex last = wal->last();
  const LogIndex first = wal->first();
  wal.reset();
  wal = OpenOrDie();
  EXPECT_EQ(wal->last(), last);
  EXPECT_EQ(wal->first(), first);
  ASSERT_TRUE(Append(wal.get(), {{"next"}}).ok());
  wal.reset();
  EXPECT_EQ(Operations(OpenOrDie().get(), last.value()).back(), absl::StrCat(last.value() + 1, ":next"));
}

// Acknowledged operations survive power cuts at any moment, also through failed syncs, rolls and segments used again.
TEST_F(WalTest, CrashesLoseNothingAcknowledged) {
  segment_bytes_ = 700;
  std::mt19937_64 random(Seed());
  for (int run = 0; run < 300; ++run) {
    SCOPED_TRACE(absl::StrCat("seed ", Seed(), " run ", run));
    disk_ = std::make_unique<MemoryFileEnv>();
    std::vector<std::string> acknowledged;  // element i: "i+1:operation"
    uint64_t removed = 0;
    for (int life = 0; life < 4; ++life) {
      auto opened = TryOpen(disk_.get());
      ASSERT_TRUE(opened.ok()) << opened.status();
      Wal* const wal = opened->get();
      ASSERT_LE(wal->first().value(), removed + 1);
      const std::vector<std::string> seen = Operations(wal, removed);
      ASSERT_GE(seen.size(), acknowledged.size() - removed);
      ASSERT_TRUE(std::equal(acknowledged.begin() + static_cast<ptrdiff_t>(removed), acknowledged.end(), seen.begin()));
      // What has been read is as good as acknowledged.
      acknowledged.resize(removed);
      acknowledged.insert(acknowledged.end(), seen.begin(), seen.end());
      disk_->FailSyncsAfter(static_cast<int>(random() % 12));
      bool healthy = wal->RaiseTerm(wal->term() + 1).ok();
      while (healthy) {
        std::vector<std::vector<std::string>> entries;
        for (int i = 1 + static_cast<int>(random() % 3); i > 0; --i) {
          entries.push_back({std::string(random() % 500, static_cast<char>('a' + random() % 26))});
        }
        uint64_t index = wal->last().value();
        healthy = Append(wal, entries).ok();
        if (!healthy) break;
        for (const auto& entry : entries) acknowledged.push_back(absl::StrCat(++index, ":", entry[0]));
        if (random() % 4 == 0) {
          removed = index;
          healthy = wal->RemoveThrough(LogIndex(removed)).ok();
        }
      }
      opened->reset();
      disk_->HealSyncs();
      disk_->Crash(random());
    }
  }
}

}  // namespace
}  // namespace tidemark::raft
