// Watches of a MirrorCache: what they see, and how they end.
#include "absl/strings/match.h"
#include "base/status.h"
#include "cache/history_cursor.h"
#include "cache/test_mirror_cache.h"

namespace tidemark::cache {
namespace {

using Fixture = MirrorCacheFixture;

TEST(MirrorCacheWatchTest, TransactionIsOneRevisionForReadersAndWatchers) {
  Fixture f;
  f.Put("default/a");
  f.Start();
  auto cursor = f.Watch({.after = f.pods->revision()});
  const Revision revision = f.client.Txn({{absl::StrCat(kPodsPrefix, "default/a"), std::nullopt},
                                          {absl::StrCat(kPodsPrefix, "default/b"), ModelObject().Json("default/b")},
                                          {absl::StrCat(kPodsPrefix, "default/c"), ModelObject().Json("default/c")}});
  while (f.executor.RunOne()) {
    const auto view = f.Read({.freshness = Freshness::kAny})->view;
    EXPECT_EQ(view->snapshot->size(), view->revision < revision ? 1u : 2u);
  }
  EXPECT_EQ(Fixture::Events(cursor.get()),
            (std::vector<std::string>{absl::StrCat("DELETED default/a@", revision.value(), " of 2"),
                                      absl::StrCat("ADDED default/b@", revision.value(), " of ", revision.value()),
                                      absl::StrCat("ADDED default/c@", revision.value(), " of ", revision.value())}));
}

TEST(MirrorCacheWatchTest, SelectorTransitions) {
  Fixture f;
  f.Start();
  const WatchQuery query{.selector = {{{.key = "app", .op = Requirement::Op::kIn, .values = {"web"}}}},
                         .after = f.pods->revision()};
  int wakes = 0;
  auto cursor = f.Watch(query, &wakes);
  EXPECT_TRUE(Fixture::Events(cursor.get()).empty());
  const ModelObject web{.labels = {{"app", "web"}}};
  const ModelObject api{.labels = {{"app", "api"}}};
  f.Put("default/a", api);  // 2
  f.executor.RunUntilIdle();
  EXPECT_EQ(wakes, 0) << "no concern of this watch";
  EXPECT_EQ(cursor->revision(), Revision(2)) << "a bookmark moves on all the same";
  f.Put("default/a", web);                                  // 3
  f.Put("default/a", web);                                  // 4
  f.Put("default/a", api);                                  // 5
  f.Put("default/a", web);                                  // 6
  f.client.Delete(absl::StrCat(kPodsPrefix, "default/a"));  // 7
  f.executor.RunUntilIdle();
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(Fixture::Events(cursor.get()),
            (std::vector<std::string>{"ADDED default/a@3 of 3", "MODIFIED default/a@4 of 4", "DELETED default/a@5 of 4",
                                      "ADDED default/a@6 of 6", "DELETED default/a@7 of 6"}));
}

TEST(MirrorCacheWatchTest, RelistAfterACompactionEndsWatches) {
  Fixture f;
  f.Put("default/a");
  f.Start();
  int wakes = 0;
  auto cursor = f.Watch({.after = f.pods->revision()}, &wakes);
  EXPECT_TRUE(Fixture::Events(cursor.get()).empty());
  f.client.CutOff();
  f.executor.RunUntilIdle();
  f.Put("default/b");
  f.client.Delete(absl::StrCat(kPodsPrefix, "default/a"));
  ASSERT_TRUE(f.client.Compact(f.client.revision()).ok());
  EXPECT_EQ(f.Read({.freshness = Freshness::kAny})->view->snapshot->size(), 1u) << "the old state serves meanwhile";
  f.client.Reconnect();
  f.executor.RunFor(absl::Seconds(10));
  std::vector<WatchEvent> events;
  EXPECT_TRUE(IsCompacted(cursor->Next(1, &events)));
  EXPECT_EQ(wakes, 1);
  const auto view = f.Read({.freshness = Freshness::kAny})->view;
  EXPECT_EQ(view->snapshot->size(), 1u);
  EXPECT_NE(view->snapshot->Get("default/b"), nullptr);
  EXPECT_TRUE(IsCompacted(f.pods->Watch({.after = Revision(2)}, [] {}).status()));
  EXPECT_TRUE(f.pods->Watch({.after = view->revision}, [] {}).ok());
}

TEST(MirrorCacheWatchTest, RestoredStoreEndsWatchesAndWaits) {
  Fixture f;
  for (int i = 0; i < 20; ++i) f.Put("default/a");
  f.Start();
  auto cursor = f.Watch({.after = f.pods->revision()});
  f.client.RefuseProgress(true);
  f.PutElsewhere();
  auto waiting = f.Read();
  f.executor.RunFor(absl::Milliseconds(50));
  EXPECT_FALSE(waiting->done);
  f.client.HoldLists();
  f.client.Rewind(Revision(5));
  f.executor.RunUntilIdle();
  EXPECT_TRUE(IsNotReady(waiting->view.status())) << waiting->view.status();
  EXPECT_TRUE(IsNotReady(f.Read({.freshness = Freshness::kAny})->view.status())) << "nothing seen so far holds";
  std::vector<WatchEvent> events;
  EXPECT_EQ(KindOf(cursor->Next(1, &events)), ErrorKind::kRewound);
  f.client.ReleaseLists();
  f.executor.RunFor(absl::Seconds(1));
  EXPECT_EQ(f.Read({.freshness = Freshness::kAny})->view->revision, Revision(5));
}

TEST(MirrorCacheWatchTest, SelectorThatLetsNothingPassComesBackBetween) {
  Fixture f;
  f.Start();
  int wakes = 0;
  auto cursor =
      f.Watch({.selector = {{{.key = "rare", .op = Requirement::Op::kExists}}}, .after = f.pods->revision()}, &wakes);
  const Revision first = f.Put("default/a");
  for (size_t i = 1; i < 2 * kEventsPerNextMax; ++i) f.Put("default/a");
  f.Put("default/b", {.labels = {{"rare", "yes"}}});
  f.executor.RunUntilIdle();
  std::vector<WatchEvent> events;
  for (int turn = 1; turn <= 2; ++turn) {
    ASSERT_TRUE(cursor->Next(100, &events).ok());
    EXPECT_TRUE(events.empty());
    EXPECT_EQ(wakes, turn) << "there is more";
    EXPECT_EQ(cursor->revision().value(), first.value() - 1 + turn * static_cast<int64_t>(kEventsPerNextMax));
  }
  ASSERT_TRUE(cursor->Next(100, &events).ok());
  EXPECT_EQ(events.size(), 1u);
  ASSERT_TRUE(cursor->Next(100, &events).ok());
  EXPECT_EQ(events.size(), 1u);
  EXPECT_EQ(wakes, 2) << "it has caught up";
}

// A watch that holds on to an ended timeline, long after its end, does not hold the history.
TEST(MirrorCacheWatchTest, EndedHistoryIsFreedByTheHousekeeping) {
  Fixture f;
  f.Start();
  const auto timeline = static_cast<ResourceMirror*>(f.pods)->timeline();
  ASSERT_TRUE(timeline.ok());
  auto cursor = f.Watch({.after = f.pods->revision()});
  for (size_t i = 0; i < 2 * kPiecesFreedAtATime; ++i) f.Put("default/a");
  f.executor.RunUntilIdle();
  std::vector<WatchEvent> events;
  while (cursor->Next(100, &events).ok() && !events.empty()) {
    for (const WatchEvent& event : events) event.event->Frame(0, [] { return std::string(100, 'x'); });
    events.clear();
  }
  EXPECT_GT((*timeline)->frame_bytes()->load(), 0);
  f.client.HoldLists();
  f.client.Rewind(Revision(5));
  f.executor.RunUntilIdle();
  EXPECT_GT((*timeline)->frame_bytes()->load(), 0) << "not in the thread that brings the news";
  const Revision reached = cursor->revision();
  f.executor.RunFor(kHousekeepingGap);
  EXPECT_EQ((*timeline)->frame_bytes()->load(), 0);
  EXPECT_GE(cursor->revision(), reached);
  EXPECT_EQ(KindOf(cursor->Next(1, &events)), ErrorKind::kRewound);
  f.client.ReleaseLists();
}

TEST(MirrorCacheWatchTest, UnreadableValueFailsWhoWouldSeeIt) {
  Fixture f;
  f.Put("default/a");
  f.Start();
  auto all = f.Watch({.after = f.pods->revision()});
  auto other = f.Watch({.scope = {.namespace_name = "other"}, .after = f.pods->revision()});
  f.client.Put(absl::StrCat(kPodsPrefix, "default/bad"), "k8s and not JSON");
  f.Put("other/b");
  f.executor.RunUntilIdle();
  std::vector<WatchEvent> events;
  const absl::Status broken = all->Next(10, &events);
  EXPECT_EQ(KindOf(broken), ErrorKind::kCorrupt);
  EXPECT_TRUE(
      absl::StrContains(broken.message(), "the stored value of \"/registry/pods/default/bad\" cannot be read: "))
      << broken;
  EXPECT_EQ(KindOf(all->Next(10, &events)), ErrorKind::kCorrupt) << "the watch has ended";
  EXPECT_EQ(Fixture::Events(other.get()).size(), 1u);
  EXPECT_TRUE(absl::StrContains(f.Metrics(), "apiserver_storage_decode_errors_total{group=\"\",resource=\"pods\"} 1"));
  auto later = f.Watch({.after = f.pods->revision()});
  const Revision mended = f.Put("default/bad");
  f.executor.RunUntilIdle();
  EXPECT_EQ(Fixture::Events(later.get()),
            (std::vector<std::string>{absl::StrCat("ADDED default/bad@", mended.value(), " of ", mended.value())}));
}

TEST(MirrorCacheWatchTest, IdleWatchOutlivesTheHistory) {
  Fixture f({.history = {.bytes_max = 20'000}});
  f.Start();
  auto idle = f.Watch({.scope = {.namespace_name = "quiet"}, .after = f.pods->revision()});
  auto slow = f.Watch({.scope = {.namespace_name = "default"}, .after = f.pods->revision()});
  EXPECT_TRUE(Fixture::Events(idle.get()).empty());
  for (int i = 0; i < 500; ++i) f.Put("default/a");
  f.executor.RunUntilIdle();
  EXPECT_EQ(idle->revision(), f.pods->revision());
  const Revision last = f.Put("quiet/a");
  f.executor.RunUntilIdle();
  EXPECT_EQ(Fixture::Events(idle.get()),
            (std::vector<std::string>{absl::StrCat("ADDED quiet/a@", last.value(), " of ", last.value())}));
  std::vector<WatchEvent> events;
  EXPECT_TRUE(IsCompacted(slow->Next(1, &events))) << "this one had events to read";
  EXPECT_TRUE(absl::StrContains(f.Metrics(), "apiserver_terminated_watchers_total{group=\"\",resource=\"pods\"} 1"));
}

}  // namespace
}  // namespace tidemark::cache
