// The suite that defines Cache: every implementation passes it, behind a CacheHarness. Here is what reads mean; what is in a view
// stands in cache/cache_view_conformance.h, what a watch sees in cache/cache_watch_conformance.h. A test includes all three.
//
//   INSTANTIATE_TEST_SUITE_P(Caches, CacheConformanceTest, testing::Values(CacheHarnessFactory{"mirror", &MakeMirror}), ...);
//
// Thread-safety: confined to the test's thread.
#ifndef TIDEMARK_CACHE_CACHE_CONFORMANCE_H_
#define TIDEMARK_CACHE_CACHE_CONFORMANCE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cache/cache.h"
#include "cache/cache_harness.h"

namespace tidemark::cache {

TEST_P(CacheConformanceTest, NothingIsReadyBeforeTheFirstLists) {
  Put("default/a");
  EXPECT_FALSE(cache().ready());
  EXPECT_FALSE(pods()->ready());
  for (const Freshness freshness :
       {Freshness::kAny, Freshness::kNotOlderThan, Freshness::kExact, Freshness::kConsistent}) {
    EXPECT_EQ(KindAtOnce({.freshness = freshness, .revision = Revision(2)}), ErrorKind::kNotReady);
  }
  EXPECT_TRUE(IsNotReady(WatchStatus(Revision(2))));
  Begin();
  EXPECT_TRUE(cache().ready());
  EXPECT_TRUE(pods()->ready());
  EXPECT_EQ(Objects(ReadNow({.freshness = Freshness::kAny})), (Texts{"default/a@2"}));
}

TEST_P(CacheConformanceTest, MirrorsAreFoundByGroupAndPlural) {
  ASSERT_NE(pods(), nullptr);
  EXPECT_EQ(pods()->resource().plural, "pods");
  EXPECT_EQ(pods()->key_prefix(), "/registry/pods/");
  EXPECT_EQ(cache().Find("apps", "pods"), nullptr);
  EXPECT_EQ(cache().Find("", "pod"), nullptr);
  const std::vector<Mirror*> mirrors = cache().mirrors();
  EXPECT_EQ(mirrors.size(), 2u);
  EXPECT_EQ(std::count(mirrors.begin(), mirrors.end(), pods()), 1);
  EXPECT_EQ(std::count(mirrors.begin(), mirrors.end(), cache().Find("", "nodes")), 1);
}

TEST_P(CacheConformanceTest, AnyIsWhatTheMirrorHasAtOnce) {
  Put("default/a");
  Begin();
  const Revision last = Put("default/b");
  harness_->Settle();
  const auto outcome = Read({.freshness = Freshness::kAny});
  ASSERT_EQ(outcome->calls, 1);
  ASSERT_TRUE(outcome->view.ok()) << outcome->view.status();
  EXPECT_EQ(outcome->view->revision, last);
  EXPECT_EQ(pods()->revision(), last);
  EXPECT_LE(outcome->view->snapshot->revision(), last);
  EXPECT_EQ(Objects(outcome->view), ExpectedObjects(last));
}

TEST_P(CacheConformanceTest, ConsistentReadSeesEveryWriteBeforeIt) {
  Begin();
  for (int round = 0; round < 10; ++round) {
    const Revision written = round % 3 == 2 ? harness_->MoveOn() : Put(absl::StrCat("default/", round));
    const auto view = ReadNow({});
    ASSERT_TRUE(view.ok()) << view.status();
    EXPECT_GE(view->revision, written);
    EXPECT_EQ(Objects(view), ExpectedObjects(written));
  }
}

TEST_P(CacheConformanceTest, NotOlderThanIsAnsweredAtOnceWhenItIsThere) {
  const Revision first = Put("default/a");
  Begin();
  const Revision last = Put("default/b");
  harness_->Settle();
  for (const Revision revision : {Revision(), first, last}) {
    const auto outcome = Read({.freshness = Freshness::kNotOlderThan, .revision = revision});
    ASSERT_EQ(outcome->calls, 1) << revision;
    ASSERT_TRUE(outcome->view.ok()) << outcome->view.status();
    EXPECT_EQ(outcome->view->revision, last) << "the newest there is, asked for " << revision;
    EXPECT_EQ(Objects(outcome->view), ExpectedObjects(last));
  }
}

TEST_P(CacheConformanceTest, FutureRevisionIsWaitedFor) {
  Begin();
  const Revision next = Put("default/a").Next();
  harness_->Settle();
  const auto exact = Read({.freshness = Freshness::kExact, .revision = next});
  const auto newer = Read({.freshness = Freshness::kNotOlderThan, .revision = next});
  harness_->Settle();
  EXPECT_EQ(exact->calls, 0);
  EXPECT_EQ(newer->calls, 0);
  ASSERT_EQ(Put("default/b"), next);
  Put("default/c");
  harness_->Settle();
  ASSERT_TRUE(exact->view.ok()) << exact->view.status();
  EXPECT_EQ(exact->view->revision, next);
  EXPECT_EQ(Objects(exact->view), ExpectedObjects(next)) << "not what came after it";
  ASSERT_TRUE(newer->view.ok()) << newer->view.status();
  EXPECT_GE(newer->view->revision, next);
  EXPECT_EQ(Objects(newer->view), ExpectedObjects(newer->view->revision));
}

TEST_P(CacheConformanceTest, RevisionWithoutAChangeIsReachedToo) {
  const Revision changed = Put("default/a");
  Begin();
  const Revision moved = harness_->MoveOn();
  const auto exact = ReadNow({.freshness = Freshness::kExact, .revision = moved});
  ASSERT_TRUE(exact.ok()) << exact.status();
  EXPECT_EQ(exact->revision, moved);
  EXPECT_EQ(Objects(exact), ExpectedObjects(changed));
  EXPECT_EQ(pods()->revision(), moved);
}

TEST_P(CacheConformanceTest, WaitInVainEndsAsStaleAtItsDeadline) {
  Begin();
  const Revision last = Put("default/a");
  harness_->Settle();
  for (const Freshness freshness : {Freshness::kNotOlderThan, Freshness::kExact}) {
    const auto outcome = Read({.freshness = freshness,
                               .revision = Revision(last.value() + 100),
                               .deadline = harness_->Now() + absl::Seconds(1)});
    EXPECT_EQ(outcome->calls, 0);
    harness_->RunFor(absl::Seconds(1));
    ASSERT_EQ(outcome->calls, 1);
    EXPECT_TRUE(IsStale(outcome->view.status())) << outcome->view.status();
    EXPECT_EQ(RevisionOf(outcome->view.status()), pods()->revision()) << "says how far the mirror is";
  }
}

TEST_P(CacheConformanceTest, MirrorThatIsBehindServesWhatItHasAndNothingFresher) {
  Begin();
  const Revision seen = Put("default/a");
  harness_->Settle();
  harness_->FallBehind();
  Put("default/b");
  const auto consistent = Read({.deadline = harness_->Now() + absl::Seconds(1)});
  harness_->Settle();
  EXPECT_EQ(consistent->calls, 0);
  EXPECT_EQ(Objects(ReadNow({.freshness = Freshness::kAny})), ExpectedObjects(seen));
  harness_->RunFor(absl::Seconds(1));
  EXPECT_TRUE(IsStale(consistent->view.status())) << consistent->view.status();
  EXPECT_EQ(RevisionOf(consistent->view.status()), seen);
  harness_->CatchUp();
  EXPECT_EQ(Objects(ReadNow({})), ExpectedObjects(seen.Next()));
}

TEST_P(CacheConformanceTest, ExactIsTheStateAtEveryRevision) {
  Begin();
  const Revision first = Put("default/a", {{"app", "web"}});
  Put("default/b");
  Put("default/a", {{"app", "db"}});
  harness_->MoveOn();
  Delete("default/b");
  Put("other/c");
  const Revision last = Put("default/b");
  harness_->Settle();
  for (Revision revision = first; revision <= last; revision = revision.Next()) {
    const auto outcome = Read({.freshness = Freshness::kExact, .revision = revision});
    ASSERT_EQ(outcome->calls, 1) << "the history has it: " << revision;
    ASSERT_TRUE(outcome->view.ok()) << outcome->view.status();
    EXPECT_EQ(outcome->view->revision, revision);
    EXPECT_LE(outcome->view->snapshot->revision(), revision);
    EXPECT_EQ(outcome->view->snapshot->size(), ExpectedObjects(revision).size());
    EXPECT_EQ(Objects(outcome->view), ExpectedObjects(revision));
    const ListQuery web{.selector = AppIs("web")};
    EXPECT_EQ(Objects(outcome->view, web), ExpectedObjects(revision, web));
  }
}

TEST_P(CacheConformanceTest, ExactBelowTheCompactionIsGone) {
  Begin();
  Put("default/a");
  const Revision compacted = Put("default/b");
  const Revision last = Put("default/c");
  harness_->Settle();
  harness_->Compact(compacted);
  const auto gone = ReadNow({.freshness = Freshness::kExact, .revision = compacted.Previous()});
  EXPECT_TRUE(IsCompacted(gone.status())) << gone.status();
  EXPECT_EQ(RevisionOf(gone.status()), compacted) << "where the history begins";
  for (const Revision revision : {compacted, last}) {
    EXPECT_EQ(Objects(ReadNow({.freshness = Freshness::kExact, .revision = revision})), ExpectedObjects(revision));
  }
  EXPECT_EQ(Objects(ReadNow({.freshness = Freshness::kNotOlderThan, .revision = compacted.Previous()})),
            ExpectedObjects(last));
}

TEST_P(CacheConformanceTest, TransactionIsOneRevision) {
  const Revision before = Put("default/a");
  Begin();
  const Revision revision =
      Txn({{"default/a", std::nullopt}, {"default/b", Labels{{"app", "web"}}}, {"other/c", Labels{}}});
  harness_->Settle();
  EXPECT_EQ(revision, before.Next());
  EXPECT_EQ(Objects(ReadNow({.freshness = Freshness::kExact, .revision = before})), (Texts{"default/a@2"}));
  EXPECT_EQ(Objects(ReadNow({.freshness = Freshness::kExact, .revision = revision})),
            (Texts{"default/b@3", "other/c@3"}));
}

TEST_P(CacheConformanceTest, StoreThatIsAwayFailsConsistentReadsAlone) {
  Begin();
  Put("default/a");
  const Revision last = Put("default/b");
  harness_->Settle();
  harness_->CutOff();
  const auto consistent = Read({.deadline = harness_->Now() + absl::Seconds(1)});
  EXPECT_EQ(Objects(Read({.freshness = Freshness::kAny})->view), ExpectedObjects(last));
  EXPECT_EQ(Objects(Read({.freshness = Freshness::kNotOlderThan, .revision = last})->view), ExpectedObjects(last));
  EXPECT_EQ(Objects(Read({.freshness = Freshness::kExact, .revision = last.Previous()})->view),
            ExpectedObjects(last.Previous()));
  harness_->RunFor(absl::Seconds(1));
  ASSERT_EQ(consistent->calls, 1);
  EXPECT_EQ(KindOf(consistent->view.status()), ErrorKind::kStoreUnavailable) << consistent->view.status();
  harness_->Reconnect();
  harness_->Settle();
  EXPECT_EQ(Objects(ReadNow({})), ExpectedObjects(last));
}

TEST_P(CacheConformanceTest, RewindDropsAllThatWasSeen) {
  Begin();
  Put("default/a");
  const Revision kept = Put("default/b");
  const Revision lost = Put("default/lost");
  harness_->Settle();
  const auto waiting = Read({.freshness = Freshness::kNotOlderThan, .revision = Revision(lost.value() + 100)});
  Rewind(kept);
  ASSERT_EQ(waiting->calls, 1);
  EXPECT_TRUE(IsNotReady(waiting->view.status())) << waiting->view.status();
  EXPECT_FALSE(cache().ready());
  EXPECT_EQ(KindAtOnce({.freshness = Freshness::kAny}), ErrorKind::kNotReady);
  EXPECT_EQ(KindAtOnce({.freshness = Freshness::kExact, .revision = kept}), ErrorKind::kNotReady);
  Begin();
  EXPECT_EQ(pods()->revision(), kept);
  EXPECT_EQ(Objects(ReadNow({})), ExpectedObjects(kept));
  const auto again = Read({.freshness = Freshness::kNotOlderThan, .revision = lost});
  EXPECT_EQ(again->calls, 0) << "what was seen before does not count";
  ASSERT_EQ(Put("default/other"), lost) << "another change of the same number";
  harness_->Settle();
  EXPECT_EQ(Objects(again->view), ExpectedObjects(lost));
  EXPECT_EQ(Objects(ReadNow({.freshness = Freshness::kExact, .revision = lost})), ExpectedObjects(lost));
}

TEST_P(CacheConformanceTest, StopEndsEveryRead) {
  Begin();
  const Revision last = Put("default/a");
  harness_->Settle();
  const auto waiting = Read({.freshness = Freshness::kExact, .revision = Revision(last.value() + 100)});
  const auto consistent = Read({});
  harness_->Stop();
  for (const auto& outcome : {waiting, consistent}) {
    ASSERT_EQ(outcome->calls, 1);
    EXPECT_EQ(KindOf(outcome->view.status()), ErrorKind::kStopped) << outcome->view.status();
  }
  for (const Freshness freshness : {Freshness::kAny, Freshness::kConsistent}) {
    EXPECT_EQ(KindAtOnce({.freshness = freshness}), ErrorKind::kStopped);
  }
  harness_->RunFor(absl::Minutes(1));
}

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_CACHE_CONFORMANCE_H_
