#include "store/mvcc/tree_index.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tidemark::mvcc {
namespace {

TEST(TreeIndexTest, CountedInHashIsLookedForInPieces) {
  TreeIndex index;
  int64_t revision = 1;
  const auto key = [](int i) { return absl::StrCat("/", 100 + i); };
  for (int i = 0; i < 100; ++i) index.Put(key(i), {++revision, 0});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(index.Tombstone(key(i), {++revision, 0}));
  // Nothing is alive: each piece ends after its keys, and all of them together see the whole index.
  bool any = false;
  int pieces = 0;
  for (std::optional<std::string> next(std::in_place); next.has_value(); ++pieces) {
    next = index.FindCountedInHash(*next, revision, 30, &any);
    EXPECT_FALSE(any);
    if (pieces < 3) {
      EXPECT_EQ(next, key(30 * (pieces + 1)));
    }
  }
  EXPECT_EQ(pieces, 4);
  index.Put(key(40), {++revision, 0});
  EXPECT_EQ(index.FindCountedInHash("", revision, 30, &any), key(30));
  EXPECT_FALSE(any);
  EXPECT_EQ(index.FindCountedInHash(key(30), revision, 30, &any), std::nullopt);
  EXPECT_TRUE(any);
}

TEST(TreeIndexTest, CompactionStopsWithinAKeyAndGoesOn) {
  TreeIndex index;
  int64_t revision = 1;
  index.Put("/a", {++revision, 0});
  for (int i = 0; i < 25; ++i) index.Put("/hot", {++revision, 0});
  ASSERT_TRUE(index.Tombstone("/hot", {++revision, 0}));
  for (int i = 0; i < 3; ++i) index.Put("/z", {++revision, 0});
  const int64_t compacted = revision;
  std::vector<DroppedChange> all;
  int steps = 0;
  for (std::optional<CompactionCursor> next(std::in_place); next.has_value(); ++steps) {
    std::vector<DroppedChange> dropped;
    next = index.Compact(*next, compacted, 100, 10, &dropped);
    EXPECT_LE(dropped.size(), 10u);
    all.insert(all.end(), dropped.begin(), dropped.end());
    // Other keys and the key itself change between two steps.
    index.Put("/b", {++revision, 0});
    if (steps == 0) index.Put("/hot", {++revision, 0});
    index.CheckInvariants();
  }
  EXPECT_EQ(steps, 3);
  ASSERT_EQ(all.size(), 28u);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].change.main, static_cast<int64_t>(i) + 3) << i;
  EXPECT_TRUE(all[25].tombstone);
  EXPECT_EQ(index.Get("/hot", revision)->version, 1);
  EXPECT_EQ(index.Get("/z", revision)->version, 3);
}

TEST(TreeIndexTest, CompactionForgetsADeadKeyWithItsLastChange) {
  TreeIndex index;
  for (int64_t main = 2; main < 22; ++main) index.Put("/hot", {main, 0});
  ASSERT_TRUE(index.Tombstone("/hot", {22, 0}));
  std::vector<DroppedChange> first, second;
  const std::optional<CompactionCursor> next = index.Compact({}, 30, 100, 20, &first);
  ASSERT_TRUE(next.has_value());
  EXPECT_NE(index.Find("/hot"), nullptr);
  EXPECT_EQ(index.Compact(*next, 30, 100, 20, &second), std::nullopt);
  EXPECT_EQ(index.Find("/hot"), nullptr);
  EXPECT_EQ(first.size(), 20u);
  EXPECT_EQ(second.size(), 1u);
}

}  // namespace
}  // namespace tidemark::mvcc
