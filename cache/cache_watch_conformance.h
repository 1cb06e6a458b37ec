// The part of the suite that defines Cache (cache/cache_conformance.h) about watches: what they see, how far they say they are,
// when they are woken, and how they end.
//
// Thread-safety: confined to the test's thread.
#ifndef TIDEMARK_CACHE_CACHE_WATCH_CONFORMANCE_H_
#define TIDEMARK_CACHE_CACHE_WATCH_CONFORMANCE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/test_seed.h"
#include "cache/cache.h"
#include "cache/cache_harness.h"

namespace tidemark::cache {

TEST_P(CacheConformanceTest, WatchSeesEveryChangeAboveItsRevisionInOrder) {
  Begin();
  const Revision first = Put("default/a");
  Put("default/b");
  Put("default/a");
  Delete("default/b");
  const Revision last = Put("default/b");
  harness_->Settle();
  for (Revision after = first; after <= last; after = after.Next()) {
    for (const size_t max_events : {1, 2, 100}) {
      Watcher watcher = Watch({.after = after});
      EXPECT_EQ(Take(&watcher, max_events), ExpectedEvents(watcher.query)) << after << ", " << max_events;
      EXPECT_EQ(watcher.reached, last) << "it has caught up";
    }
  }
  Watcher watcher = Watch({.after = first});
  EXPECT_EQ(Take(&watcher), (Texts{"ADDED default/b@3 of 3", "MODIFIED default/a@4 of 4", "DELETED default/b@5 of 3",
                                   "ADDED default/b@6 of 6"}));
}

TEST_P(CacheConformanceTest, WatchesShareTheEvent) {
  Begin();
  Watcher all = Watch({.after = pods()->revision()});
  Watcher selecting = Watch({.selector = AppIs("web"), .after = pods()->revision()});
  Put("default/a", {{"app", "web"}});
  harness_->Settle();
  std::vector<WatchEvent> events;
  ASSERT_TRUE(all.cursor->Next(10, &events).ok());
  ASSERT_TRUE(selecting.cursor->Next(10, &events).ok());
  ASSERT_EQ(events.size(), 2u) << "appended";
  EXPECT_EQ(events[0].event.get(), events[1].event.get());
}

TEST_P(CacheConformanceTest, WatchIsNotPastATransactionThatItHasNotHandedOut) {
  const Revision before = Put("default/a");
  Begin();
  Watcher watcher = Watch({.after = before});
  const Revision revision =
      Txn({{"default/a", std::nullopt}, {"default/b", Labels{}}, {"default/c", Labels{{"app", "web"}}}});
  harness_->Settle();
  std::vector<WatchEvent> events;
  for (size_t handed_out = 0; handed_out < 3; ++handed_out) {
    EXPECT_EQ(watcher.cursor->revision(), before) << handed_out << " of 3";
    ASSERT_TRUE(watcher.cursor->Next(1, &events).ok());
    ASSERT_EQ(events.size(), handed_out + 1);
  }
  EXPECT_EQ(EventText(events[0]), "DELETED default/a@3 of 2");
  EXPECT_EQ(EventText(events[1]), "ADDED default/b@3 of 3");
  EXPECT_EQ(EventText(events[2]), "ADDED default/c@3 of 3");
  ASSERT_TRUE(watcher.cursor->Next(1, &events).ok());
  EXPECT_EQ(events.size(), 3u);
  EXPECT_EQ(watcher.cursor->revision(), revision);
}

TEST_P(CacheConformanceTest, WatchThatHasHandedOutItsLastEventIsWokenByTheNext) {
  Begin();
  Watcher watcher = Watch({.selector = AppIs("web"), .after = pods()->revision()});
  Put("default/a", {{"app", "web"}});
  Put("default/b", {{"app", "web"}});
  harness_->Settle();
  std::vector<WatchEvent> events;
  ASSERT_TRUE(watcher.cursor->Next(1, &events).ok());
  EXPECT_FALSE(watcher.cursor->caught_up()) << "one is left";
  ASSERT_TRUE(watcher.cursor->Next(1, &events).ok());
  ASSERT_EQ(events.size(), 2u);
  ASSERT_TRUE(watcher.cursor->caught_up());
  const int wakes = *watcher.wakes;
  Put("default/c", {{"app", "web"}});
  harness_->Settle();
  EXPECT_GT(*watcher.wakes, wakes) << "without having asked again";
  EXPECT_EQ(Take(&watcher), (Texts{"ADDED default/c@4 of 4"}));
  EXPECT_TRUE(watcher.cursor->caught_up());
}

TEST_P(CacheConformanceTest, WatchHasNotCaughtUpWithItsEnd) {
  Begin();
  Watcher watcher = Watch({.after = Put("default/a")});
  harness_->Settle();
  EXPECT_EQ(Take(&watcher), Texts());
  EXPECT_TRUE(watcher.cursor->caught_up());
  const Revision missed = Put("default/b");
  Put("default/c");
  harness_->Settle();
  harness_->Compact(missed);
  EXPECT_EQ(Take(&watcher), (Texts{ErrorText(ErrorKind::kCompacted)}));
  EXPECT_FALSE(watcher.cursor->caught_up());
}

TEST_P(CacheConformanceTest, SelectorTurnsChangesIntoWhatTheWatchSees) {
  Begin();
  Watcher watcher = Watch({.selector = AppIs("web"), .after = pods()->revision()});
  Put("default/a", {{"app", "db"}});
  Put("default/a", {{"app", "web"}});
  Put("default/a", {{"app", "web"}});
  Put("default/a", {{"app", "db"}});
  Put("default/a", {{"app", "web"}});
  Delete("default/a");
  Put("default/b", {{"app", "db"}});
  const Revision last = Delete("default/b");
  harness_->Settle();
  EXPECT_EQ(Take(&watcher), (Texts{"ADDED default/a@3 of 3", "MODIFIED default/a@4 of 4", "DELETED default/a@5 of 4",
                                   "ADDED default/a@6 of 6", "DELETED default/a@7 of 6"}));
  EXPECT_EQ(watcher.reached, last) << "what it did not see counts too";
}

TEST_P(CacheConformanceTest, WatchFromTheFutureIsSilentUntilThen) {
  Begin();
  const Revision now = pods()->revision();
  const Revision after(now.value() + 2);
  Watcher watcher = Watch({.after = after});
  EXPECT_EQ(watcher.cursor->revision(), after) << "never below";
  Put("default/a");
  harness_->Settle();
  EXPECT_EQ(Take(&watcher), Texts());
  EXPECT_EQ(watcher.reached, after);
  ASSERT_EQ(Put("default/b"), after);
  const Revision seen = Put("default/c");
  harness_->Settle();
  EXPECT_EQ(Take(&watcher), (Texts{"ADDED default/c@4 of 4"}));
  EXPECT_EQ(watcher.reached, seen);
}

TEST_P(CacheConformanceTest, WatchBelowTheHistoryIsRefused) {
  Begin();
  Put("default/a");
  const Revision compacted = Put("default/b");
  Put("default/c");
  harness_->Settle();
  harness_->Compact(compacted);
  const absl::Status status = WatchStatus(compacted.Previous());
  EXPECT_TRUE(IsCompacted(status)) << status;
  EXPECT_EQ(RevisionOf(status), compacted);
  Watcher watcher = Watch({.after = compacted});
  EXPECT_EQ(Take(&watcher), (Texts{"ADDED default/c@4 of 4"}));
}

TEST_P(CacheConformanceTest, WatchThatFallsOutOfTheHistoryEnds) {
  Begin();
  Watcher watcher = Watch({.after = Put("default/a")});
  harness_->Settle();
  EXPECT_EQ(Take(&watcher), Texts());
  const Revision missed = Put("default/b");
  Put("default/c");
  harness_->Settle();
  harness_->Compact(missed);
  const Revision reached = watcher.cursor->revision();
  EXPECT_LT(reached, missed);
  std::vector<WatchEvent> events;
  const absl::Status status = watcher.cursor->Next(10, &events);
  EXPECT_TRUE(IsCompacted(status)) << status;
  EXPECT_EQ(RevisionOf(status), missed);
  EXPECT_EQ(Take(&watcher), (Texts{ErrorText(ErrorKind::kCompacted)})) << "for good";
  EXPECT_LT(watcher.reached, missed) << "what was lost was not handed out";
}

TEST_P(CacheConformanceTest, WatchThatHasCaughtUpOutlivesACompaction) {
  Begin();
  Watcher watcher = Watch({.after = pods()->revision()});
  Put("default/a");
  harness_->Settle();
  EXPECT_EQ(Take(&watcher).size(), 1u);
  const Revision moved = harness_->MoveOn();
  harness_->Settle();
  harness_->Compact(moved);
  EXPECT_EQ(Take(&watcher), Texts()) << "nothing that it has not seen is gone";
  Put("default/b");
  harness_->Settle();
  EXPECT_EQ(Take(&watcher), (Texts{"ADDED default/b@4 of 4"}));
}

TEST_P(CacheConformanceTest, WatchThatHasCaughtUpIsWokenByEveryChange) {
  Begin();
  Watcher all = Watch({.after = pods()->revision()});
  Watcher selecting = Watch({.selector = AppIs("web"), .after = pods()->revision()});
  Watcher named = Watch({.scope = {"default", "a"}, .after = pods()->revision()});
  for (int round = 0; round < 3; ++round) {
    for (Watcher* watcher : {&all, &selecting, &named}) {
      EXPECT_EQ(Take(watcher).size(), round == 0 ? 0u : 1u);
      *watcher->wakes = 0;
    }
    Put("default/a", {{"app", "web"}});
    harness_->Settle();
    for (Watcher* watcher : {&all, &selecting, &named}) EXPECT_GE(*watcher->wakes, 1) << "round " << round;
  }
}

// However much one Next looks at: whoever waits for the waker misses nothing.
TEST_P(CacheConformanceTest, SelectorThatLetsNothingPassEndsNoWatch) {
  Begin();
  Watcher watcher = Watch({.selector = {{Label("rare", Requirement::Op::kExists)}}, .after = pods()->revision()});
  for (int i = 0; i < 2'500; ++i) harness_->Txn({{"default/a", Labels{}}});
  harness_->Txn({{"default/b", Labels{{"rare", "yes"}}}});
  harness_->Settle();
  EXPECT_EQ(Take(&watcher), (Texts{"ADDED default/b@2502 of 2502"}));
}

TEST_P(CacheConformanceTest, WakerIsCalledAtMostOnceMoreWhenTheCursorIsGone) {
  Begin();
  Watcher watcher = Watch({.after = pods()->revision()});
  EXPECT_EQ(Take(&watcher), Texts());
  watcher.cursor.reset();
  for (int i = 0; i < 5; ++i) {
    Put("default/a");
    harness_->Settle();
  }
  EXPECT_LE(*watcher.wakes, 1);
}

TEST_P(CacheConformanceTest, ProgressMovesAWatchThatSeesNothing) {
  Begin();
  Watcher all = Watch({.after = pods()->revision()});
  Watcher elsewhere = Watch({.scope = {"other", ""}, .after = pods()->revision()});
  const Revision moved = harness_->MoveOn();
  harness_->Settle();
  EXPECT_EQ(Take(&all), Texts());
  EXPECT_EQ(all.reached, moved);
  const Revision changed = Put("default/a");
  harness_->Settle();
  EXPECT_EQ(all.cursor->revision(), moved) << "the event has not been handed out";
  EXPECT_EQ(Take(&elsewhere), Texts());
  EXPECT_EQ(elsewhere.reached, changed);
}

TEST_P(CacheConformanceTest, UnreadableObjectEndsTheWatchThatWouldShowIt) {
  Begin();
  const Revision start = pods()->revision();
  Watcher all = Watch({.after = start});
  Watcher other = Watch({.scope = {"other", ""}, .after = start});
  Put("default/a");
  harness_->PutUnreadable("default/bad");
  const Revision broken = harness_->PutUnreadable("default/worse");
  Put("other/b");
  harness_->Settle();
  EXPECT_EQ(Take(&all), (Texts{"ADDED default/a@2 of 2", ErrorText(ErrorKind::kCorrupt)}));
  EXPECT_EQ(Take(&all), (Texts{ErrorText(ErrorKind::kCorrupt)})) << "for good";
  EXPECT_LT(all.reached, broken);
  EXPECT_EQ(Take(&other), (Texts{"ADDED other/b@5 of 5"}));
  Watcher later = Watch({.after = broken});
  harness_->Txn({{"default/bad", Labels{}}});
  harness_->Txn({{"default/worse", std::nullopt}});
  harness_->Settle();
  EXPECT_EQ(Take(&later), (Texts{"ADDED other/b@5 of 5", "ADDED default/bad@6 of 6"}))
      << "what could not be read was never shown";
}

TEST_P(CacheConformanceTest, ListingAnewEndsWatches) {
  Begin();
  const Revision old = Put("default/a");
  harness_->Settle();
  Watcher watcher = Watch({.after = old});
  EXPECT_EQ(Take(&watcher), Texts());
  const Revision listed = Relist({{"default/a", std::nullopt}, {"default/b", Labels{}}});
  EXPECT_GE(*watcher.wakes, 1);
  EXPECT_EQ(Take(&watcher), (Texts{ErrorText(ErrorKind::kCompacted)}));
  EXPECT_TRUE(IsCompacted(WatchStatus(old)));
  const auto view = ReadNow({});
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(Objects(view), ExpectedObjects(listed));
  Watcher next = Watch({.after = view->revision});
  Put("default/a");
  harness_->Settle();
  EXPECT_EQ(Take(&next), ExpectedEvents(next.query));
  EXPECT_EQ(Take(&watcher), (Texts{ErrorText(ErrorKind::kCompacted)})) << "for good";
}

TEST_P(CacheConformanceTest, RewindEndsWatches) {
  Begin();
  const Revision old = Put("default/a");
  const Revision kept = Put("default/b");
  const Revision lost = Put("default/lost");
  harness_->Settle();
  Watcher idle = Watch({.after = lost});
  EXPECT_EQ(Take(&idle), Texts());
  Watcher behind = Watch({.after = old});
  Rewind(kept);
  EXPECT_TRUE(IsNotReady(WatchStatus(kept)));
  EXPECT_GE(*idle.wakes, 1);
  Begin();
  for (Watcher* watcher : {&idle, &behind}) {
    EXPECT_EQ(Take(watcher), (Texts{ErrorText(ErrorKind::kRewound)}));
    EXPECT_GE(watcher->cursor->revision(), watcher->query.after);
  }
  EXPECT_TRUE(IsCompacted(WatchStatus(old))) << "the history begins with the list";
  Watcher next = Watch({.after = kept});
  ASSERT_EQ(Put("default/other"), lost);
  harness_->Settle();
  EXPECT_EQ(Take(&next), (Texts{"ADDED default/other@4 of 4"}));
  EXPECT_EQ(Take(&idle), (Texts{ErrorText(ErrorKind::kRewound)})) << "for good";
}

TEST_P(CacheConformanceTest, StopEndsWatches) {
  Begin();
  Watcher idle = Watch({.after = pods()->revision()});
  EXPECT_EQ(Take(&idle), Texts());
  harness_->Stop();
  EXPECT_GE(*idle.wakes, 1);
  EXPECT_EQ(Take(&idle), (Texts{ErrorText(ErrorKind::kStopped)}));
  EXPECT_EQ(KindOf(WatchStatus(Revision(1))), ErrorKind::kStopped);
}

// Watches that begin at some view and are read now and then, of every scope and selector, beside the model.
TEST_P(CacheConformanceTest, ViewAndTheChangesAfterItAreTheState) {
  using Op = Requirement::Op;
  const std::vector<Scope> scopes = {{}, {"ns-0", ""}, {"ns-1", "pod-3"}, {"", "pod-3"}};
  const std::vector<Selector> selectors = {{},
                                           AppIs("web"),
                                           {{Label("app", Op::kIn, {"db", "web"})}},
                                           {{Label("app", Op::kNotIn, {"web"})}},
                                           {{Label("app", Op::kNotExists)}},
                                           {{Field("metadata.name", Op::kNotIn, "pod-3")}},
                                           {{Field("metadata.namespace", Op::kIn, "ns-1"), Label("app", Op::kExists)}}};
  const uint64_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  ModelMaker random(seed);
  std::vector<std::pair<Watcher, Texts>> watches;
  Begin();
  for (int step = 0; step < 400; ++step) {
    const std::string key = absl::StrCat("ns-", random(2), "/pod-", random(6));
    const bool exists = model_.newest().count(key) > 0;
    if (exists && random(3) == 0) {
      Delete(key);
    } else {
      const uint64_t app = random(3);
      Put(key, app == 0 ? Labels{} : Labels{{"app", app == 1 ? "web" : "db"}});
    }
    if (random(3) == 0) harness_->Settle();
    if (step % 10 == 0) {
      const auto view = ReadNow({.freshness = Freshness::kAny});
      ASSERT_TRUE(view.ok()) << view.status();
      const ListQuery query{.scope = scopes[random(scopes.size())], .selector = selectors[random(selectors.size())]};
      EXPECT_EQ(Objects(view, query), ExpectedObjects(view->revision, query));
      watches.emplace_back(Watch({.scope = query.scope, .selector = query.selector, .after = view->revision}), Texts());
    }
    auto& [watcher, seen] = watches[random(watches.size())];
    const Texts texts = Take(&watcher, 1 + random(5));
    seen.insert(seen.end(), texts.begin(), texts.end());
  }
  harness_->Settle();
  for (auto& [watcher, seen] : watches) {
    const Texts texts = Take(&watcher);
    seen.insert(seen.end(), texts.begin(), texts.end());
    EXPECT_EQ(seen, ExpectedEvents(watcher.query));
  }
}

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_CACHE_WATCH_CONFORMANCE_H_
