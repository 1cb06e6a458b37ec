// What a Follower makes of a raft term that is lower than it was.
#include <gtest/gtest.h>

#include "storeclient/follower_driver.h"
#include "storeclient/store_identity.h"

namespace tidemark::storeclient {
namespace {

TEST_F(FollowerTest, LowerTermInOneReadIsNoRewind) {
  Watching(50);
  Closed();
  term_ = 2;
  EXPECT_EQ(Store(99), "");
  EXPECT_EQ(Timer(), "store");
  term_ = 3;
  EXPECT_EQ(Store(99), "watch@51");
  Watch(99, {"created"});
  EXPECT_EQ(Watch(99, {"compacted@70"}), "close");
  Timer();
  term_ = 2;
  EXPECT_EQ(Page("ab", true, 100), "");
  EXPECT_EQ(Timer(), "read(100)");
  term_ = 3;
  EXPECT_EQ(Page("ab", true, 100), "read@100(400) list@100 page(a,b)");
  term_ = 2;
  EXPECT_EQ(Page("c", false, 101), "");
  EXPECT_EQ(Timer(), "read@100(400)") << "the same page";
  term_ = 4;
  EXPECT_EQ(Page("c", false, 101), "page(c) watch@101 done");
  term_ = 3;
  EXPECT_EQ(Watch(101, {"created"}), "store");
  const absl::Time doubted = now_;
  EXPECT_EQ(Store(101), "") << "beside the watch, too";
  EXPECT_EQ(Timer(), "store");
  EXPECT_EQ(now_, doubted + kTermDoubtPause);
  term_ = 4;
  EXPECT_EQ(Store(101), "");
  EXPECT_EQ(follower_.stats().relists_rewound, 0);
}

// An election takes as long as it takes: two reads in a row may meet the same member, before it has heard of the term.
TEST_F(FollowerTest, SecondReadOfALowerTermCountsOnlyAfterThePause) {
  Start();
  Page("a", false, 50);
  term_ = 2;
  EXPECT_EQ(Watch(50, {"created"}), "store");
  const absl::Time doubted = now_;
  EXPECT_EQ(Store(50), "");
  EXPECT_EQ(Closed(), "interrupted change store");
  EXPECT_EQ(Store(50), "") << "at once it says no more than the first";
  EXPECT_EQ(Timer(), "store");
  EXPECT_EQ(now_, doubted + kTermDoubtPause);
  EXPECT_EQ(Store(50), "rewound");
}

TEST_F(FollowerTest, WatchThatEndsTakesItsSecondReadWithIt) {
  Start();
  Page("a", false, 50);
  term_ = 2;
  EXPECT_EQ(Watch(50, {"created"}), "store");
  EXPECT_EQ(Store(50), "");
  EXPECT_EQ(Watch(50, {"compacted@50"}), "close read(100)");
  term_ = 3;
  EXPECT_EQ(Page("a", false, 60), "list@60 page(a) watch@61 done");
  EXPECT_EQ(Watch(60, {"created"}), "");
  EXPECT_GT(follower_.NextTimer(), now_ + kTermDoubtPause) << "nothing is in doubt any more";
}

TEST_F(FollowerTest, LowerTermTwiceBesideAWatchIsARewind) {
  Start();
  Page("a", false, 50);
  term_ = 2;
  EXPECT_EQ(Watch(50, {"created"}), "store");
  EXPECT_EQ(Store(50), "");
  EXPECT_EQ(Watch(51, {"+a@51"}), "events(+a@51)") << "the watch goes on meanwhile";
  EXPECT_EQ(Timer(), "store");
  EXPECT_EQ(Store(51), "close rewound read(100)");
}

}  // namespace
}  // namespace tidemark::storeclient
