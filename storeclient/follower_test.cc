#include "storeclient/follower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "storeclient/follower_driver.h"

namespace tidemark::storeclient {
namespace {

TEST_F(FollowerTest, ListsInPagesAskingForTheNextBeforeHandingOver) {
  EXPECT_EQ(Start(), "read(100)");
  EXPECT_EQ(Page("ab", true, 7), "read@7(400) list@7 page(a,b)");
  EXPECT_EQ(follower_.next_key(), std::string("/p/b\0", 5));
  EXPECT_EQ(Page("c", true, 9), "read@7(1600) page(c)");
  EXPECT_EQ(Page("d", false, 12), "page(d) watch@8 done");
  EXPECT_EQ(follower_.position(), Revision(7));
}

TEST_F(FollowerTest, EmptyListHasNoPage) {
  Start();
  EXPECT_EQ(Page("", false, 5), "list@5 watch@6 done");
}

TEST_F(FollowerTest, PageThatClaimsMoreButIsEmptyEndsTheList) {
  Start();
  EXPECT_EQ(Page("", true, 5), "list@5 watch@6 done");
}

TEST_F(FollowerTest, LargeObjectsMakeSmallPages) {
  Start();
  EXPECT_EQ(Page("ab", true, 7, 4 << 20), "read@7(10) list@7 page(a,b)");
}

TEST_F(FollowerTest, EventsAndProgressAfterCreated) {
  Watching(5);
  EXPECT_EQ(Watch(6, {"+a@6"}), "events(+a@6)");
  EXPECT_EQ(Watch(8, {"-a@7", "+b@7", "+c@8"}), "events(-a@7,+b@7,+c@8)");
  EXPECT_EQ(Watch(9), "progress@9");
  EXPECT_EQ(Watch(9), "progress@9") << "may repeat";
  EXPECT_EQ(Watch(8), "") << "never goes back";
  EXPECT_EQ(follower_.position(), Revision(9));
}

TEST_F(FollowerTest, EventsBeforeCreatedBelongToNobody) {
  Start();
  Page("a", false, 5);
  EXPECT_EQ(Watch(6, {"+a@6"}), "");
  EXPECT_EQ(Watch(5, {"created"}), "");
  EXPECT_EQ(Watch(6, {"+a@6"}), "events(+a@6)");
}

TEST_F(FollowerTest, OldEventsOfAFutureWatchAreDropped) {
  Watching(5);
  EXPECT_EQ(Watch(6, {"+a@4", "+a@5", "+a@6"}), "events(+a@6)");
  EXPECT_EQ(Watch(6, {"+a@6"}), "");
}

TEST_F(FollowerTest, FragmentsAreCompletedBeforeDelivery) {
  Watching(5);
  EXPECT_EQ(Watch(7, {"fragment", "+a@6", "+b@7"}), "events(+a@6)");
  EXPECT_EQ(Watch(7, {"-c@7"}), "events(+b@7,-c@7)");
}

TEST_F(FollowerTest, BreakInsideARevisionResumesBeforeIt) {
  Watching(5);
  EXPECT_EQ(Watch(7, {"fragment", "+a@6", "+b@7"}), "events(+a@6)");
  EXPECT_EQ(Closed(), "interrupted change store");
  EXPECT_EQ(Store(7), "watch@7");
  EXPECT_EQ(Watch(7, {"created"}), "");
  EXPECT_EQ(Watch(7, {"+b@7", "-c@7"}), "events(+b@7,-c@7)");
}

TEST_F(FollowerTest, ProgressMovesTheResumePoint) {
  Watching(5);
  EXPECT_EQ(Watch(90), "progress@90");
  EXPECT_EQ(Closed(), "interrupted change store");
  EXPECT_EQ(Store(91), "watch@91");
  EXPECT_EQ(follower_.stats().resumes, 1);
}

TEST_F(FollowerTest, OneInterruptionPerOutageWithGrowingWaits) {
  Watching(5);
  EXPECT_EQ(Closed(), "interrupted change store");
  absl::Time last = now_;
  absl::Duration longest;
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(StoreFailed(), "change");
    EXPECT_EQ(Timer(), "store");
    longest = std::max(longest, now_ - last);
    last = now_;
  }
  EXPECT_GE(longest, Backoff::kMax / 2);
  EXPECT_LE(longest, Backoff::kMax);
  EXPECT_EQ(Store(5), "watch@6");
  EXPECT_EQ(Watch(5, {"created"}), "");
  EXPECT_EQ(Closed(), "interrupted change") << "another outage, no fresh start yet";
  EXPECT_EQ(Timer(), "store");
  EXPECT_EQ(Store(5), "watch@6");
  EXPECT_EQ(Watch(5, {"created"}), "");
  EXPECT_EQ(Watch(6, {"+a@6"}), "events(+a@6)");
  EXPECT_EQ(Closed(), "interrupted change store") << "events came: at once";
}

TEST_F(FollowerTest, LongLivedStreamEarnsAFreshStart) {
  Watching(5);
  EXPECT_EQ(Closed(), "interrupted change store");
  EXPECT_EQ(Store(5), "watch@6");
  Watch(5, {"created"});
  now_ += Follower::kHealthyAfter;
  EXPECT_EQ(Closed(), "interrupted change store");
}

TEST_F(FollowerTest, WatchThatIsNeverCreatedIsGivenUp) {
  Start();
  EXPECT_EQ(Page("a", false, 5), "list@5 page(a) watch@6 done");
  EXPECT_EQ(Timer(), "close interrupted change store");
}

TEST_F(FollowerTest, CancelWithoutCompactionTriesAgain) {
  Watching(5);
  EXPECT_EQ(Watch(5, {"canceled"}), "close interrupted change store");
  EXPECT_EQ(Store(5), "watch@6");
  EXPECT_EQ(Watch(5, {"created", "canceled"}), "close change") << "the same outage";
}

TEST_F(FollowerTest, CompactedWatchListsAgain) {
  Watching(5);
  EXPECT_EQ(Closed(), "interrupted change store");
  EXPECT_EQ(Store(900), "watch@6");
  EXPECT_EQ(Watch(900, {"created"}), "");
  EXPECT_EQ(Watch(900, {"compacted@700"}), "close");
  EXPECT_EQ(Timer(), "read(100)");
  EXPECT_EQ(Page("b", false, 901), "list@901 page(b) watch@902 done");
  EXPECT_EQ(follower_.stats().relists_compacted, 1);
}

TEST_F(FollowerTest, TooFarBehindListsAgain) {
  Watching(5);
  Closed();
  EXPECT_EQ(Store(5 + Follower::kBehindMin), "watch@6");
  Watch(5, {"created"});
  Closed();
  EXPECT_EQ(Timer(), "store");
  EXPECT_EQ(Store(5 + Follower::kBehindMin + 1), "read(100)");
  EXPECT_EQ(follower_.stats().relists_behind, 1);
}

TEST_F(FollowerTest, PageFailureGoesOnWithTheSamePage) {
  Start();
  EXPECT_EQ(PageFailed(absl::UnavailableError("down")), "change read(100)") << "nothing began: nothing is interrupted";
  Page("ab", true, 7);
  EXPECT_EQ(PageFailed(absl::UnavailableError("down")), "interrupted change");
  EXPECT_EQ(Timer(), "read@7(400)");
  EXPECT_EQ(Page("c", false, 8), "page(c) watch@8 done");
}

TEST_F(FollowerTest, PageCompactedBeginsAnew) {
  Start();
  Page("ab", true, 7);
  EXPECT_EQ(PageFailed(MakeError(ErrorKind::kCompacted, "compacted")), "interrupted read(100)");
  EXPECT_EQ(Page("b", false, 99), "list@99 page(b) watch@100 done");
}

TEST_F(FollowerTest, AnotherClusterIdAfterABreakIsARewind) {
  Watching(50);
  Closed();
  cluster_id_ = 12;
  EXPECT_EQ(Store(60), "rewound");
  EXPECT_EQ(Timer(), "read(100)");
  EXPECT_EQ(Page("a", false, 20), "list@20 page(a) watch@21 done") << "below what was seen: another store";
}

TEST_F(FollowerTest, RevisionOrTermThatGoesBackIsARewind) {
  Watching(50);
  Closed();
  EXPECT_EQ(Store(49), "rewound");
  EXPECT_EQ(Timer(), "read(100)");
  Page("a", false, 40);
  Watch(40, {"created"});
  Watch(41, {"+a@41"});
  Closed();
  term_ = 2;
  EXPECT_EQ(Store(99), "") << "a member that has just voted shows a higher one: read again";
  EXPECT_EQ(Timer(), "store");
  EXPECT_EQ(Store(99), "rewound");
}

TEST_F(FollowerTest, AnotherClusterIdInAWatchIsARewindAtOnce) {
  Watching(50);
  cluster_id_ = 12;
  EXPECT_EQ(Watch(60), "close rewound read(100)");
}

TEST_F(FollowerTest, StoreWithoutClusterIdIsBelieved) {
  Watching(50);
  cluster_id_ = 0;
  EXPECT_EQ(Watch(60), "progress@60");
}

TEST_F(FollowerTest, LaggingMemberIsToldFromARestoredOne) {
  Watching(50);
  Closed();
  EXPECT_EQ(Store(50), "watch@51");
  EXPECT_EQ(Watch(30, {"created"}), "store") << "beside the watch";
  EXPECT_EQ(Watch(30), "");
  EXPECT_EQ(Store(52), "") << "it lags";
  EXPECT_EQ(Watch(51, {"+a@51"}), "events(+a@51)");
}

TEST_F(FollowerTest, StoreRestoredBetweenListAndWatch) {
  Start();
  Page("a", false, 50);
  EXPECT_EQ(Watch(30, {"created"}), "store");
  EXPECT_EQ(Store(31), "close rewound read(100)");
}

TEST_F(FollowerTest, LookBesideTheWatchThatFailsEndsIt) {
  Start();
  Page("a", false, 50);
  term_ = 2;
  EXPECT_EQ(Watch(60, {"created"}), "store") << "an older term";
  EXPECT_EQ(StoreFailed(), "close interrupted change store");
}

TEST_F(FollowerTest, LookBesideAWatchThatHasEndedIsForgotten) {
  Start();
  Page("a", false, 50);
  EXPECT_EQ(Watch(30, {"created"}), "store");
  EXPECT_EQ(Closed(), "interrupted change store") << "replaces the other";
  EXPECT_EQ(StoreFailed(), "change");
  EXPECT_EQ(Store(31), "") << "nobody asked";
}

TEST_F(FollowerTest, RewindFoundByTheFirstPageOfARelist) {
  Watching(50);
  Closed();
  EXPECT_EQ(Store(50), "watch@51");
  Watch(50, {"created"});
  EXPECT_EQ(Watch(50, {"compacted@52"}), "close");
  Timer();
  EXPECT_EQ(Page("z", false, 49), "rewound list@49 page(z) watch@50 done");
}

TEST_F(FollowerTest, RewindInsideAList) {
  Start();
  Page("ab", true, 70);
  EXPECT_EQ(Page("c", true, 60), "rewound read(100)");
  Page("ab", true, 60);
  EXPECT_EQ(PageFailed(MakeError(ErrorKind::kFutureRevision, "future")), "rewound");
}

TEST_F(FollowerTest, RecheckLooksAtTheStore) {
  Start();
  EXPECT_EQ(Recheck(), "") << "a list looks anyway";
  Page("a", false, 5);
  Watch(5, {"created"});
  EXPECT_EQ(Recheck(), "close interrupted change store");
  EXPECT_EQ(Store(5), "watch@6");
}

TEST_F(FollowerTest, ProgressRequestsWaitForTheWatchAndAreMerged) {
  Start();
  EXPECT_EQ(Ask(), "");
  Page("a", false, 5);
  EXPECT_EQ(Ask(), "");
  EXPECT_EQ(Watch(5, {"created"}), "ask");
  EXPECT_EQ(Ask(), "") << "one is in flight";
  EXPECT_EQ(Ask(), "");
  EXPECT_EQ(Watch(9), "progress@9");
  EXPECT_EQ(Timer(), "ask") << "those who came meanwhile share the next";
  EXPECT_EQ(follower_.stats().progress_requests, 2);
  EXPECT_EQ(Watch(9), "progress@9");
  EXPECT_EQ(follower_.NextTimer(), now_ + Follower::kQuietMax);
}

TEST_F(FollowerTest, QuietStreamIsAskedOnceAMinute) {
  Watching(5);
  const absl::Time begun = now_;
  EXPECT_EQ(Timer(), "ask");
  EXPECT_EQ(now_, begun + Follower::kQuietMax);
  EXPECT_EQ(Timer(), "ask") << "unanswered: not before another minute";
  EXPECT_EQ(now_, begun + 2 * Follower::kQuietMax);
  now_ += absl::Seconds(1);
  EXPECT_EQ(Watch(90000), "progress@90000");
  EXPECT_EQ(follower_.NextTimer(), now_ + Follower::kQuietMax);
  now_ += absl::Seconds(30);
  EXPECT_EQ(Watch(90001, {"+a@90001"}), "events(+a@90001)");
  EXPECT_EQ(follower_.NextTimer(), now_ + Follower::kQuietMax) << "what moves by itself is not asked";
  EXPECT_EQ(Closed(), "interrupted change store");
  EXPECT_EQ(Store(90002), "watch@90002") << "no list";
}

TEST_F(FollowerTest, StreamsThatBreakOftenAreAskedToo) {
  Watching(5);
  now_ += Follower::kQuietMax / 2;
  Closed();
  Store(5);
  Watch(5, {"created"});
  now_ += Follower::kQuietMax / 2;
  EXPECT_EQ(Timer(), "ask");
}

TEST_F(FollowerTest, SilenceWhileTheStoreGoesOnChangesTheEndpoint) {
  Watching(5);
  std::string trace;
  for (int i = 0; i <= 20; ++i, now_ += absl::Milliseconds(100)) absl::StrAppend(&trace, Ask(6), ";");
  EXPECT_TRUE(absl::EndsWith(trace, "ask;close interrupted change store;")) << trace;
}

TEST_F(FollowerTest, SilenceOfAStoreThatStandsStillIsNone) {
  Watching(5);
  for (int i = 0; i <= 100; ++i, now_ += absl::Milliseconds(100)) EXPECT_EQ(Ask(5), "ask");
}

TEST_F(FollowerTest, MemberThatAnswersBehindTheStoreIsLeft) {
  Watching(5);
  std::string trace;
  for (int i = 0; i < 20; ++i, now_ += absl::Milliseconds(100)) {
    EXPECT_EQ(Ask(9), "ask");
    EXPECT_EQ(Watch(8), "progress@8");
  }
  EXPECT_EQ(Ask(9), "close interrupted change store");
}

TEST_F(FollowerTest, MemberThatCatchesUpIsKept) {
  Watching(5);
  for (int i = 0; i < 60; ++i, now_ += absl::Milliseconds(100)) {
    EXPECT_EQ(Ask(9 + i), "ask");
    EXPECT_EQ(Watch(8 + i), absl::StrCat("progress@", 8 + i)) << "always one behind";
  }
}

TEST_F(FollowerTest, SilenceIsNotMeasuredByAStoreThatWentBack) {
  Watching(50);
  Ask(60);
  Closed();
  EXPECT_EQ(Store(49), "rewound");
  EXPECT_EQ(Timer(), "read(100)");
  Page("a", false, 40);
  EXPECT_EQ(Watch(40, {"created"}), "");
  for (int i = 0; i < 60; ++i, now_ += absl::Milliseconds(100)) {
    EXPECT_EQ(Ask(40), "ask");
    EXPECT_EQ(Watch(40), "progress@40");
  }
}

TEST_F(FollowerTest, DisorderEndsTheStreamAndResumes) {
  Watching(5);
  EXPECT_EQ(Watch(8, {"+a@8", "+b@7"}), "close interrupted change store");
  EXPECT_EQ(Store(8), "watch@6");
}

}  // namespace
}  // namespace tidemark::storeclient
