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

}  // namespace
}  // namespace tidemark::mvcc
