#include "cache/slot_tree.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cache/pair_map.h"
#include "cache/slot_set.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

// A version that nobody holds.
class Unheld : public HeldVersion {
 public:
  bool IsHeld() const override { return false; }
};

// Slots with their keys and numbers: slot s has number 3 * s + 1 and a key that sorts alike.
class Table {
 public:
  explicit Table(Slot count) {
    for (Slot slot = 0; slot < count; ++slot) {
      order_.push_back(3 * slot + 1);
      objects_.push_back(MakeUnreadableObject(Key(slot), Revision(1), ""));
      slots_ = slots_.Set(slot, objects_.back().get(), &reclaimer_);
    }
  }
  ~Table() {
    slots_.ForEachNode([](Piece* piece) { std::free(piece); });
  }
  static std::string Key(Slot slot) { return absl::StrCat(absl::Dec(slot, absl::kZeroPad6)); }
  const uint64_t* order() const { return order_.data(); }
  const SlotVector& slots() const { return slots_; }

 private:
  Reclaimer reclaimer_;
  std::vector<uint64_t> order_;
  std::vector<ObjectRef> objects_;
  SlotVector slots_;
};

std::vector<Slot> Members(SlotSet set, size_t rank = 0) {
  std::vector<Slot> members;
  SlotSetWalk walk(set, rank);
  for (absl::Span<const Slot> run = walk.NextRun(); !run.empty(); run = walk.NextRun()) {
    members.insert(members.end(), run.begin(), run.end());
  }
  return members;
}

class SlotSetTest : public testing::TestWithParam<int> {};

// Grows and shrinks through all forms of a set; GetParam() changes make one version.
TEST_P(SlotSetTest, AgreesWithASortedVector) {
  constexpr Slot kSlots = 6000;
  const Table table(kSlots);
  Reclaimer reclaimer;
  std::mt19937 random(GetParam());
  SlotSet set;
  std::vector<bool> in(kSlots);
  size_t size = 0;
  int share = 90;  // of inserts, in percent
  for (int step = 0; step < 60000; ++step) {
    if (step % 20000 == 12000) share = 10;
    if (step % 20000 == 0) share = 90;
    const Slot slot = random() % kSlots;
    const bool insert = static_cast<int>(random() % 100) < share;
    if (insert == in[slot]) continue;
    set = insert ? set.Insert(slot, table.order(), &reclaimer) : set.Erase(slot, table.order(), &reclaimer);
    in[slot] = insert;
    size += insert ? 1 : -1;
    ASSERT_EQ(set.Size(), size);
    if (step % GetParam() == 0) {
      reclaimer.Publish(std::make_unique<Unheld>(), Revision(step));
      reclaimer.SweepAfterBatch();
    }
    if (step % 1000 != 0) continue;
    set.Check();
    std::vector<Slot> expected;
    for (Slot s = 0; s < kSlots; ++s) {
      if (in[s]) expected.push_back(s);
    }
    ASSERT_EQ(Members(set), expected);
    const Slot bound = random() % kSlots;
    const size_t rank =
        static_cast<size_t>(std::lower_bound(expected.begin(), expected.end(), bound) - expected.begin());
    ASSERT_EQ(set.LowerBound(Table::Key(bound), table.slots()), rank);
    ASSERT_EQ(Members(set, rank), std::vector<Slot>(expected.begin() + static_cast<ptrdiff_t>(rank), expected.end()));
    if (!expected.empty()) {
      ASSERT_EQ(set.First(), expected[0]);
    }
  }
  set.ForEachNode([&reclaimer](Piece* piece) { reclaimer.Drop(piece); });
}

INSTANTIATE_TEST_SUITE_P(Batches, SlotSetTest, testing::Values(1, 7, 1000, 1000000));

TEST(SlotTreeTest, AppendedInOrderItsLeavesAreFull) {
  constexpr Slot kSlots = 64 * 100;
  const Table table(kSlots);
  Reclaimer reclaimer;
  SlotNode* root = nullptr;
  for (Slot slot = 0; slot < kSlots; ++slot) root = SlotTree::Insert(root, slot, table.order(), &reclaimer);
  SlotTree::Check(root);
  size_t leaves = 0;
  SlotTree::ForEachNode(root, [&leaves](Piece* piece) { leaves += static_cast<SlotNode*>(piece)->level == 0; });
  EXPECT_EQ(leaves, kSlots / 64);
  for (Slot slot = 0; slot < kSlots; slot += 77) {
    EXPECT_EQ(SlotTree::Select(root, slot), slot);
    EXPECT_EQ(SlotTree::LowerBound(root, Table::Key(slot), table.slots()), slot);
  }
  SlotTree::DropAll(root, &reclaimer);
}

TEST(SlotTreeTest, APublishedTreeDoesNotChange) {
  constexpr Slot kSlots = 3000;
  const Table table(kSlots);
  Reclaimer reclaimer;
  SlotNode* root = nullptr;
  for (Slot slot = 0; slot < kSlots; slot += 2) root = SlotTree::Insert(root, slot, table.order(), &reclaimer);
  SlotNode* const published = root;
  class Held : public HeldVersion {
   public:
    bool IsHeld() const override { return true; }
  };
  reclaimer.Publish(std::make_unique<Held>(), Revision(1));
  for (Slot slot = 0; slot < kSlots; ++slot) {
    root = slot % 2 == 0 ? SlotTree::Erase(root, slot, table.order(), &reclaimer)
                         : SlotTree::Insert(root, slot, table.order(), &reclaimer);
    if (slot % 10 == 0) reclaimer.Publish(std::make_unique<Unheld>(), Revision(slot + 2));
    reclaimer.SweepAfterBatch();
  }
  SlotTree::Check(published);
  ASSERT_EQ(SlotTree::Size(published), kSlots / 2);
  for (size_t rank = 0; rank < kSlots / 2; ++rank) ASSERT_EQ(SlotTree::Select(published, rank), 2 * rank);
  SlotTree::DropAll(root, &reclaimer);
}

TEST(PairMapTest, AgreesWithAMap) {
  Reclaimer reclaimer;
  std::mt19937_64 random(5);
  PairNode* root = nullptr;
  std::map<uint64_t, uint64_t> model;
  EXPECT_EQ(PairMap::Find(root, 7), 0u);
  for (int step = 0; step < 60000; ++step) {
    // Few different hashes, the extremes among them.
    const uint64_t hash = random() % 5000 == 0 ? ~uint64_t{0} : random() % 4000 * 0x3fffffffffffffu;
    const bool erase = random() % 100 < (step / 10000 % 2 == 0 ? 20 : 70);
    if (erase && model.erase(hash) == 0) continue;
    const uint64_t word = erase ? 0 : random() | 1;
    if (!erase) model[hash] = word;
    root = PairMap::Set(root, hash, word, &reclaimer);
    ASSERT_EQ(PairMap::Find(root, hash), word);
    PairMap::Prefetch(root, hash);
    if (step % 13 == 0) {
      reclaimer.Publish(std::make_unique<Unheld>(), Revision(step));
      reclaimer.SweepAfterBatch();
    }
    if (step % 1000 != 0) continue;
    PairMap::Check(root);
    auto expected = model.begin();
    PairMap::ForEach(root, [&](uint64_t found_hash, uint64_t found_word) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(found_hash, expected->first);
      ASSERT_EQ(found_word, expected->second);
      ++expected;
    });
    ASSERT_EQ(expected, model.end());
  }
  PairMap::ForEachNode(root, [&reclaimer](Piece* piece) { reclaimer.Drop(piece); });
}

}  // namespace
}  // namespace tidemark::cache
