#include "store/mvcc/key_index.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/test_seed.h"
#include "gtest/gtest.h"

namespace tidemark::mvcc {
namespace {

// put(1.0) put(2.0) tombstone(3.0) put(4.0) tombstone(5.0), the header's example.
KeyIndex Example() {
  KeyIndex index("foo");
  index.Put({1, 0});
  index.Put({2, 0});
  EXPECT_TRUE(index.Tombstone({3, 0}));
  index.Put({4, 0});
  EXPECT_TRUE(index.Tombstone({5, 0}));
  return index;
}

std::string Dropped(const std::vector<DroppedChange>& dropped) {
  std::string out;
  for (const DroppedChange& drop : dropped) {
    absl::StrAppend(&out, out.empty() ? "" : " ", drop.change.main, ".", drop.change.sub, drop.tombstone ? "t" : "");
  }
  return out;
}

void CompactWhole(KeyIndex* index, int64_t revision, std::vector<DroppedChange>* dropped) {
  EXPECT_EQ(index->Compact(revision, 0, 1'000, dropped), std::nullopt);
}

TEST(KeyIndexTest, CompactKeepsWhatTheExampleSays) {
  struct Row {
    int64_t revision;
    const char* kept;
    const char* dropped;
  };
  const Row rows[] = {
      {1, "{1.0, 2.0, 3.0t} {4.0, 5.0t}", ""}, {2, "{2.0, 3.0t} {4.0, 5.0t}", "1.0"},
      {3, "{3.0t} {4.0, 5.0t}", "1.0 2.0"},    {4, "{4.0, 5.0t}", "1.0 2.0 3.0t"},
      {5, "{5.0t}", "1.0 2.0 3.0t 4.0"},       {6, "", "1.0 2.0 3.0t 4.0 5.0t"},
  };
  for (const Row& row : rows) {
    KeyIndex index = Example();
    std::vector<DroppedChange> dropped;
    CompactWhole(&index, row.revision, &dropped);
    EXPECT_EQ(index.DebugString(), row.kept) << "compact " << row.revision;
    EXPECT_EQ(Dropped(dropped), row.dropped) << "compact " << row.revision;
    EXPECT_EQ(index.empty(), std::string(row.kept).empty());
  }
}

TEST(KeyIndexTest, CompactOfALivingKeyKeepsItsNewestChange) {
  KeyIndex index("foo");
  for (int64_t main : {2, 5, 9}) index.Put({main, 0});
  std::vector<DroppedChange> dropped;
  CompactWhole(&index, 7, &dropped);
  EXPECT_EQ(index.DebugString(), "{5.0, 9.0}");
  CompactWhole(&index, 100, &dropped);
  EXPECT_EQ(index.DebugString(), "{9.0}");
  const std::optional<KeyState> state = index.Get(100);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->version, 3);
  EXPECT_EQ(state->create_revision, 2);
  EXPECT_EQ(index.Put({101, 0}).version, 4);
}

TEST(KeyIndexTest, CompactGoesOnWhereItStoppedThoughTheKeyChanges) {
  KeyIndex index = Example();
  std::vector<DroppedChange> dropped;
  EXPECT_EQ(index.Compact(6, 0, 2, &dropped), 2u);
  EXPECT_EQ(Dropped(dropped), "1.0 2.0");
  EXPECT_EQ(index.Put({7, 0}).version, 1);
  EXPECT_EQ(index.Compact(6, 2, 2, &dropped), 4u);
  EXPECT_EQ(index.Put({8, 0}).version, 2);
  EXPECT_EQ(index.DebugString(), "{1.0, 2.0, 3.0t} {4.0, 5.0t} {7.0, 8.0}") << "forgotten all at once";
  EXPECT_EQ(index.Compact(6, 4, 2, &dropped), std::nullopt);
  EXPECT_EQ(Dropped(dropped), "1.0 2.0 3.0t 4.0 5.0t");
  EXPECT_EQ(index.DebugString(), "{7.0, 8.0}");
  EXPECT_EQ(index.Put({9, 0}).version, 3);
}

TEST(KeyIndexTest, GetFindsTheLifeAtARevision) {
  struct Row {
    int64_t revision;
    int64_t modified;  // 0: not alive
    int64_t created;
    int64_t version;
  };
  const Row rows[] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 1, 2}, {3, 0, 0, 0}, {4, 4, 4, 1}, {5, 0, 0, 0}, {6, 0, 0, 0}};
  const KeyIndex index = Example();
  for (const Row& row : rows) {
    const std::optional<KeyState> state = index.Get(row.revision);
    ASSERT_EQ(state.has_value(), row.modified != 0) << row.revision;
    if (!state.has_value()) continue;
    EXPECT_EQ(state->modified, (ChangeId{row.modified, 0}));
    EXPECT_EQ(state->create_revision, row.created);
    EXPECT_EQ(state->version, row.version);
  }
}

TEST(KeyIndexTest, PutAndTombstoneOfOneRevisionLeaveNothingAlive) {
  KeyIndex index("foo");
  index.Put({5, 0});
  EXPECT_TRUE(index.Tombstone({5, 1}));
  EXPECT_FALSE(index.Get(5).has_value());
  EXPECT_FALSE(index.Tombstone({6, 0}));
  std::vector<DroppedChange> dropped;
  CompactWhole(&index, 5, &dropped);
  EXPECT_EQ(index.DebugString(), "{5.1t}");
}

TEST(KeyIndexTest, HashCountsTheNewestLivingChange) {
  const KeyIndex index = Example();
  EXPECT_TRUE(index.CountsInHash({2, 0}, 2));
  EXPECT_FALSE(index.CountsInHash({1, 0}, 2));
  // A tombstone at the very revision is kept by compaction, but never counted.
  EXPECT_FALSE(index.CountsInHash({3, 0}, 3));
  EXPECT_FALSE(index.AnyCountsInHash(5));
  EXPECT_FALSE(index.AnyCountsInHash(9));
}

TEST(KeyIndexTest, RestoreContinuesAnOlderLife) {
  KeyIndex index("foo");
  index.Restore({7, 2}, /*create_revision=*/3, /*version=*/4);
  EXPECT_EQ(index.Put({9, 0}).version, 5);
  EXPECT_EQ(index.Get(8)->create_revision, 3);

  KeyIndex dead("foo");
  dead.RestoreTombstone({7, 0});
  EXPECT_FALSE(dead.Get(8).has_value());
  EXPECT_EQ(dead.Put({8, 0}).version, 1);
  EXPECT_EQ(dead.DebugString(), "{7.0t} {8.0}");
}

// What a reader may ask for after a compaction is what it could ask for before, and nothing is
// dropped that a reader needs.
TEST(KeyIndexTest, RandomHistoriesReadTheSameAfterCompaction) {
  const uint32_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    KeyIndex index("foo");
    int64_t main = 1;
    for (int i = 0; i < 20; ++i) {
      main += 1 + random() % 3;
      if (random() % 3 == 0) {
        index.Tombstone({main, 0});
      } else {
        index.Put({main, 0});
      }
    }
    const KeyIndex before = index;
    int64_t compacted = 0;
    std::vector<DroppedChange> dropped;
    while (compacted < main && !index.empty()) {
      compacted += 1 + random() % 10;
      KeyIndex at_once = index;
      std::vector<DroppedChange> dropped_at_once;
      CompactWhole(&at_once, compacted, &dropped_at_once);
      const size_t dropped_before = dropped.size();
      for (std::optional<size_t> next = 0; next.has_value();) {
        next = index.Compact(compacted, *next, 1 + random() % 4, &dropped);
        ASSERT_EQ(before.Get(compacted).has_value(), index.Get(compacted).has_value());
      }
      ASSERT_EQ(index.DebugString(), at_once.DebugString());
      ASSERT_EQ(Dropped({dropped.begin() + static_cast<ptrdiff_t>(dropped_before), dropped.end()}),
                Dropped(dropped_at_once));
      if (!index.empty()) index.CheckInvariants();
      for (int64_t revision = compacted; revision <= main + 1; ++revision) {
        const auto expected = before.Get(revision), actual = index.Get(revision);
        ASSERT_EQ(expected.has_value(), actual.has_value()) << revision << " of " << before.DebugString();
        if (!expected.has_value()) continue;
        ASSERT_EQ(expected->modified, actual->modified);
        ASSERT_EQ(expected->version, actual->version);
        ASSERT_EQ(expected->create_revision, actual->create_revision);
      }
    }
    ASSERT_TRUE(std::is_sorted(dropped.begin(), dropped.end(),
                               [](const auto& a, const auto& b) { return a.change < b.change; }));
  }
}

}  // namespace
}  // namespace tidemark::mvcc
