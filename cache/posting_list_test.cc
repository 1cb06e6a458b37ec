#include "cache/posting_list.h"

#include <deque>
#include <random>

#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

TEST(PostingListTest, SameSequenceTwiceCountsOnce) {
  PostingList list;
  list.Push(4);
  list.Push(4);
  list.Push(7);
  EXPECT_EQ(list.end() - list.begin(), 2u);
}

TEST(PostingListTest, PositionsStayRightWhenOldPostingsAreDropped) {
  std::mt19937 random(1);
  PostingList list;
  std::deque<uint64_t> model;
  uint64_t dropped = 0;
  uint64_t sequence = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (random() % 8 != 0) {
      list.Push(sequence += 1 + random() % 3);
      model.push_back(sequence);
    } else {
      const uint64_t below = (model.empty() ? sequence : model.front()) + random() % 40;
      list.DropBelow(below);
      for (; !model.empty() && model.front() < below; model.pop_front()) ++dropped;
    }
    ASSERT_EQ(list.begin(), dropped);
    ASSERT_EQ(list.end(), dropped + model.size());
    if (model.empty()) continue;
    const size_t at = random() % model.size();
    ASSERT_EQ(list.at(dropped + at), model[at]);
    ASSERT_EQ(list.PositionOf(model[at]), dropped + at);
  }
}

}  // namespace
}  // namespace tidemark::cache
