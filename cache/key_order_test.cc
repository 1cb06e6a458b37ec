#include "cache/key_order.h"

#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cache/key_table.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

// Where the next slot goes, by the number of slots so far.
using Place = size_t (*)(size_t size, uint64_t random);

struct Pattern {
  const char* name;
  Place place;
};

class KeyOrderTest : public testing::TestWithParam<Pattern> {};

TEST_P(KeyOrderTest, NumbersSortAsPlacesDo) {
  Reclaimer reclaimer;
  KeyOrder order;
  SlotNode* root = nullptr;
  std::vector<Slot> expected;
  std::mt19937_64 random(3);
  for (Slot slot = 0; slot < 20000; ++slot) {
    const size_t rank = GetParam().place(slot, random());
    order.Assign(root, rank, slot);
    root = SlotTree::Insert(root, slot, order.numbers(), &reclaimer);
    expected.insert(expected.begin() + static_cast<ptrdiff_t>(rank), slot);
  }
  for (size_t rank = 0; rank < expected.size(); ++rank) {
    ASSERT_EQ(SlotTree::Select(root, rank), expected[rank]) << rank;
    ASSERT_TRUE(rank == 0 || order.numbers()[expected[rank - 1]] < order.numbers()[expected[rank]]) << rank;
  }
  SlotTree::DropAll(root, &reclaimer);
}

INSTANTIATE_TEST_SUITE_P(
    All, KeyOrderTest,
    testing::Values(Pattern{"Ascending", [](size_t size, uint64_t) { return size; }},
                    Pattern{"Descending", [](size_t, uint64_t) { return size_t{0}; }},
                    Pattern{"AtRandom", [](size_t size, uint64_t random) { return random % (size + 1); }},
                    Pattern{"AscendingInTheMiddle",
                            [](size_t size, uint64_t) { return size < 100 ? size : size - 50; }},
                    Pattern{"DescendingInTheMiddle", [](size_t size, uint64_t) { return std::min<size_t>(size, 50); }}),
    [](const auto& info) { return info.param.name; });

TEST(KeyTableTest, FindsWhatIsThere) {
  Reclaimer reclaimer;
  KeyTable table(KeyedHash(1, 2));
  SlotVector slots;
  std::vector<ObjectRef> objects;
  std::mt19937 random(4);
  constexpr Slot kSlots = 5000;
  std::vector<bool> in(kSlots);
  for (Slot slot = 0; slot < kSlots; ++slot) {
    objects.push_back(MakeUnreadableObject(absl::StrCat("key-", slot), Revision(1), ""));
    slots = slots.Set(slot, objects.back().get(), &reclaimer);
  }
  EXPECT_EQ(table.Find("key-1", slots), std::nullopt);
  size_t size = 0;
  for (int step = 0; step < 100000; ++step) {
    const Slot slot = random() % kSlots;
    const std::string key = absl::StrCat("key-", slot);
    ASSERT_EQ(table.Find(key, slots).has_value(), in[slot]);
    if (in[slot]) {
      ASSERT_EQ(table.Find(key, slots), slot);
      table.Erase(key, slots);
    } else {
      table.Insert(key, slot);
    }
    in[slot] = !in[slot];
    size += in[slot] ? 1 : -1;
    ASSERT_EQ(table.size(), size);
  }
  slots.ForEachNode([&reclaimer](Piece* piece) { reclaimer.Drop(piece); });
}

TEST(KeyedHashTest, DependsOnKeyAndEveryByte) {
  const KeyedHash hash(0x0706050403020100u, 0x0f0e0d0c0b0a0908u), other(1, 2);
  std::string text;
  std::vector<uint64_t> seen;
  for (int n = 0; n < 40; ++n) {
    EXPECT_NE(hash(text), other(text));
    for (const uint64_t before : seen) EXPECT_NE(hash(text), before);
    seen.push_back(hash(text));
    for (char& c : text) {
      c ^= 1;
      EXPECT_NE(hash(text), seen.back());
      c ^= 1;
    }
    text.push_back(static_cast<char>(n));
  }
}

}  // namespace
}  // namespace tidemark::cache
