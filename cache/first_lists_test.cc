#include "cache/first_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

namespace tidemark::cache {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kMax = static_cast<int>(kFirstListsMax);

class FirstListsTest : public testing::Test {
 protected:
  void Join(int from, int to) {
    for (int i = from; i < to; ++i) {
      lists_->Join(&names_[static_cast<size_t>(i)], [this, i] { started_.push_back(i); });
    }
    executor_.RunUntilIdle();
  }
  void Leave(int who) {
    lists_->Leave(&names_[static_cast<size_t>(who)]);
    executor_.RunUntilIdle();
  }
  static std::vector<int> UpTo(int end) {
    std::vector<int> numbers(static_cast<size_t>(end));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }

  SimClock clock_;
  SimExecutor executor_{clock_};
  std::shared_ptr<FirstLists> lists_ = std::make_shared<FirstLists>(&executor_);
  std::vector<char> names_ = std::vector<char>(100);
  std::vector<int> started_;
};

TEST_F(FirstListsTest, SoManyAtOnceAndTheRestInTheirOrder) {
  Join(0, kMax + 3);
  EXPECT_EQ(started_, UpTo(kMax));
  Leave(5);
  EXPECT_EQ(started_, UpTo(kMax + 1));
  Leave(0);
  Leave(1);
  Leave(2);
  EXPECT_EQ(started_, UpTo(kMax + 3));
}

TEST_F(FirstListsTest, StartsOnTheExecutor) {
  lists_->Join(&names_[0], [this] { started_.push_back(0); });
  EXPECT_THAT(started_, IsEmpty());
  executor_.RunUntilIdle();
  EXPECT_THAT(started_, ElementsAre(0));
}

TEST_F(FirstListsTest, WhoLeavesWhileItWaitsIsNeverStarted) {
  Join(0, kMax + 3);
  Leave(kMax);
  lists_->Withdraw(&names_[static_cast<size_t>(kMax) + 1]);
  EXPECT_EQ(started_, UpTo(kMax));
  Leave(0);
  Leave(1);
  EXPECT_THAT(started_, SizeIs(kFirstListsMax + 1));
  EXPECT_EQ(started_.back(), kMax + 2);
}

TEST_F(FirstListsTest, WithdrawingGivesNoTurnBack) {
  Join(0, kMax + 1);
  lists_->Withdraw(&names_[0]);
  executor_.RunUntilIdle();
  EXPECT_EQ(started_, UpTo(kMax));
}

TEST_F(FirstListsTest, LeavingTwiceCountsOnce) {
  Join(0, kMax + 3);
  Leave(0);
  Leave(0);
  EXPECT_EQ(started_, UpTo(kMax + 1));
}

TEST_F(FirstListsTest, AListThatTakesTooLongHoldsNobodyBack) {
  Join(0, 2 * kMax + 1);
  executor_.RunFor(kFirstListTurnMax - absl::Milliseconds(1));
  EXPECT_EQ(started_, UpTo(kMax));
  executor_.RunFor(absl::Milliseconds(1));
  EXPECT_EQ(started_, UpTo(2 * kMax));
  // Its end comes late, and is nobody else's.
  Leave(0);
  EXPECT_EQ(started_, UpTo(2 * kMax));
}

TEST_F(FirstListsTest, NothingStartsAfterStop) {
  Join(0, kMax + 1);
  lists_->Stop();
  Leave(0);
  Join(kMax + 1, kMax + 2);
  EXPECT_EQ(started_, UpTo(kMax));
}

}  // namespace
}  // namespace tidemark::cache
