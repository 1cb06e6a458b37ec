#include "store/mvcc/key_range_set.h"

#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/test_seed.h"
#include "gtest/gtest.h"
#include "store/mvcc/test_store.h"

namespace tidemark::mvcc {
namespace {

TEST(KeyRangeSetTest, RangesThatMeetBecomeOne) {
  KeyRangeSet set;
  set.Add(KeyRange("b", "d"));
  set.Add(KeyRange("f", ""));
  set.Add(KeyRange("x", "c"));  // holds nothing
  EXPECT_EQ(set.size(), 2u);
  for (const char* in : {"b", "c", "czz", "f"}) EXPECT_TRUE(set.Contains(in)) << in;
  for (const char* out : {"", "a", "d", "e", "fa", "x", "y"}) EXPECT_FALSE(set.Contains(out)) << out;
  set.Add(KeyRange("d", "e"));  // touches the first
  EXPECT_EQ(set.size(), 2u);
  KeyRangeSet other;
  other.Add(KeyRange("a", "z"));
  other.AddAll(set);
  EXPECT_EQ(other.size(), 1u);
  EXPECT_FALSE(other.Contains("z"));
}

TEST(KeyRangeSetTest, RandomRangesMatchALinearSearch) {
  const uint32_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  std::mt19937 random(seed);
  const auto key = [&] { return absl::StrCat(100 + random() % 300); };
  for (int round = 0; round < 100; ++round) {
    KeyRangeSet set;
    std::vector<KeyRange> ranges;
    for (int i = 0; i < 40; ++i) {
      ranges.emplace_back(key(), random() % 3 == 0 ? "" : key().substr(0, 1 + random() % 3));
      set.Add(ranges.back());
      const std::string wanted = key();
      const bool expected =
          std::any_of(ranges.begin(), ranges.end(), [&](const KeyRange& range) { return range.Contains(wanted); });
      ASSERT_EQ(set.Contains(wanted), expected) << wanted;
    }
  }
}

}  // namespace
}  // namespace tidemark::mvcc
