#include "cache/mirror_cache.h"

#include "absl/strings/match.h"
#include "base/log.h"
#include "base/status.h"
#include "cache/mirror_model.h"
#include "gtest/gtest.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::cache {
namespace {

constexpr char kPrefix[] = "/registry/pods/";

std::vector<config::Resource> PodsAndNodes() {
  std::vector<config::Resource> resources;
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.group.empty() && (resource.plural == "pods" || resource.plural == "nodes"))
      resources.push_back(resource);
  }
  return resources;
}

struct Fixture {
  SimClock clock;
  SimExecutor executor{clock};
  storeclient::MemoryStoreClient client{executor};
  metrics::Registry registry;
  std::unique_ptr<MirrorCache> cache;
  Mirror* pods = nullptr;

  explicit Fixture(MirrorCache::Options options = {}) {
    SetLogLevel(LogLevel::kError);
    options.resources = PodsAndNodes();
    cache = std::make_unique<MirrorCache>(options, &client, &executor, &registry);
    pods = cache->Find("", "pods");
  }
  void Start() {
    cache->Start();
    executor.RunUntilIdle();
  }
  Revision Put(const std::string& key, const ModelObject& object = {}) {
    return client.Put(kPrefix + key, object.Json(key));
  }
  Revision PutElsewhere() { return client.Put("/registry/leases/default/a", "{}"); }

  struct Outcome {
    bool done = false;
    absl::StatusOr<View> view = absl::UnknownError("not yet");
  };
  std::shared_ptr<Outcome> Read(ReadOptions options = {}) {
    auto outcome = std::make_shared<Outcome>();
    cache->Read(pods, options, [outcome](absl::StatusOr<View> view) {
      EXPECT_FALSE(outcome->done);
      outcome->done = true;
      outcome->view = std::move(view);
    });
    return outcome;
  }
  std::unique_ptr<WatchCursor> Watch(WatchQuery query, int* wakes = nullptr) {
    auto cursor = pods->Watch(std::move(query), [wakes] {
      if (wakes != nullptr) ++*wakes;
    });
    EXPECT_TRUE(cursor.ok()) << cursor.status();
    return cursor.ok() ? *std::move(cursor) : nullptr;
  }
  static std::vector<std::string> Events(WatchCursor* cursor) {
    std::vector<WatchEvent> events;
    std::vector<std::string> texts;
    while (cursor->Next(100, &events).ok() && !events.empty()) {
      for (const WatchEvent& event : events) {
        const char* const types[] = {"ADDED", "MODIFIED", "DELETED"};
        texts.push_back(absl::StrCat(types[static_cast<int>(event.type)], " ", event.object->key(), "@",
                                     event.revision.value(), " of ", event.object->mod_revision().value()));
      }
      events.clear();
    }
    return texts;
  }
  std::string Metrics() { return registry.Text(); }
};

TEST(MirrorCacheTest, NotReadyBeforeTheFirstList) {
  Fixture f;
  f.client.HoldLists();
  f.Start();
  EXPECT_FALSE(f.cache->ready());
  EXPECT_FALSE(f.pods->ready());
  EXPECT_TRUE(IsNotReady(f.Read()->view.status()));
  EXPECT_TRUE(IsNotReady(f.pods->Watch({}, [] {}).status()));
  f.client.ReleaseLists();
  f.executor.RunUntilIdle();
  EXPECT_TRUE(f.cache->ready());
  EXPECT_TRUE(
      absl::StrContains(f.Metrics(), "apiserver_watch_cache_initializations_total{group=\"\",resource=\"pods\"} 1"));
}

TEST(MirrorCacheTest, FindKnowsGroupAndPlural) {
  Fixture f;
  EXPECT_NE(f.cache->Find("", "nodes"), nullptr);
  EXPECT_EQ(f.cache->Find("apps", "pods"), nullptr);
  EXPECT_EQ(f.cache->mirrors().size(), 2u);
}

TEST(MirrorCacheTest, ConsistentReadWaitsForTheStoresRevision) {
  Fixture f;
  f.Start();
  f.Put("default/a");
  const Revision revision = f.PutElsewhere();
  auto outcome = f.Read();
  EXPECT_FALSE(outcome->done);
  f.executor.RunUntilIdle();
  ASSERT_TRUE(outcome->view.ok()) << outcome->view.status();
  EXPECT_EQ(outcome->view->revision, revision);
  EXPECT_EQ(outcome->view->snapshot->size(), 1u);
  EXPECT_TRUE(absl::StartsWith(outcome->view->served_from, "mirror after ")) << outcome->view->served_from;
  EXPECT_TRUE(absl::StrContains(f.Metrics(),
                                "apiserver_watch_cache_consistent_read_total{fallback=\"skipped\",group=\"\",resource="
                                "\"pods\",success=\"true\"} 1"))
      << f.Metrics();
}

TEST(MirrorCacheTest, StoreThatStaysSilentEndsAsStaleOrFallsBack) {
  for (bool fall_back : {false, true}) {
    SCOPED_TRACE(fall_back);
    Fixture f({.stale_read_from_store = fall_back});
    f.Start();
    const Revision seen = f.pods->revision();
    f.client.RefuseProgress(true);
    const Revision written = f.PutElsewhere();
    auto outcome = f.Read();
    f.executor.RunFor(kReadWaitMax - absl::Milliseconds(1));
    EXPECT_FALSE(outcome->done);
    f.executor.RunFor(absl::Milliseconds(1));
    ASSERT_TRUE(outcome->done);
    if (fall_back) {
      ASSERT_TRUE(outcome->view.ok()) << outcome->view.status();
      EXPECT_EQ(outcome->view->served_from, "store");
      EXPECT_EQ(outcome->view->revision, written);
    } else {
      EXPECT_TRUE(IsStale(outcome->view.status()));
      EXPECT_EQ(RevisionOf(outcome->view.status()), seen);
    }
  }
}

TEST(MirrorCacheTest, ShorterDeadlineOfTheClientCounts) {
  Fixture f;
  f.Start();
  f.client.RefuseProgress(true);
  f.PutElsewhere();
  auto outcome = f.Read({.deadline = f.clock.Now() + absl::Milliseconds(200)});
  f.executor.RunFor(absl::Milliseconds(200));
  EXPECT_TRUE(IsStale(outcome->view.status()));
}

TEST(MirrorCacheTest, ProgressThatIsNotTrustedMovesNothing) {
  Fixture f;
  f.client.set_progress_trusted(false);
  f.Put("default/a");
  f.Start();
  const Revision seen = f.pods->revision();
  const Revision written = f.PutElsewhere();
  auto consistent = f.Read();
  auto future = f.Read({.freshness = Freshness::kNotOlderThan, .revision = written});
  f.executor.RunFor(kReadWaitMax);
  ASSERT_TRUE(consistent->view.ok()) << consistent->view.status();
  EXPECT_EQ(consistent->view->served_from, "store");
  EXPECT_TRUE(IsStale(future->view.status())) << "waits for events only";
  EXPECT_EQ(f.pods->revision(), seen);
  EXPECT_EQ(f.client.counts().progress_requests, 0);
  f.Put("default/b");
  f.executor.RunUntilIdle();
  EXPECT_GT(f.pods->revision(), written);
}

TEST(MirrorCacheTest, SwitchedOffConsistentReadsComeFromTheStore) {
  Fixture f({.consistent_list = config::ConsistentListFromCache::kOff});
  f.Put("default/a");
  f.Put("other/a");
  f.Start();
  auto outcome = f.Read({.scope = {.namespace_name = "default", .name = "a"}});
  f.executor.RunUntilIdle();
  ASSERT_TRUE(outcome->view.ok());
  EXPECT_EQ(outcome->view->served_from, "store");
  EXPECT_EQ(outcome->view->snapshot->size(), 1u) << "no more than the scope is read";
  EXPECT_EQ(f.client.counts().revision_reads, 0);
}

TEST(MirrorCacheTest, ExactRevisionsFromHistoryThenStoreThenNowhere) {
  Fixture f;
  const Revision before = f.Put("default/a");
  f.Put("default/b");
  f.Start();
  const Revision between = f.Put("default/c");
  f.client.Delete(absl::StrCat(kPrefix, "default/a"));
  f.executor.RunUntilIdle();
  auto from_history = f.Read({.freshness = Freshness::kExact, .revision = between});
  ASSERT_TRUE(from_history->done) << "nothing has to be waited for";
  ASSERT_TRUE(from_history->view.ok());
  EXPECT_EQ(from_history->view->revision, between);
  EXPECT_EQ(from_history->view->snapshot->size(), 3u);
  auto from_store = f.Read({.freshness = Freshness::kExact, .revision = before});
  f.executor.RunUntilIdle();
  ASSERT_TRUE(from_store->view.ok()) << from_store->view.status();
  EXPECT_EQ(from_store->view->served_from, "store");
  EXPECT_EQ(from_store->view->snapshot->size(), 1u);
  ASSERT_TRUE(f.client.Compact(between).ok());
  f.client.Put(kCompactRevKey, absl::StrCat(between.value()));
  f.executor.RunUntilIdle();
  const int64_t ranges = f.client.counts().ranges;
  auto nowhere = f.Read({.freshness = Freshness::kExact, .revision = before});
  f.executor.RunUntilIdle();
  EXPECT_TRUE(IsCompacted(nowhere->view.status()));
  EXPECT_EQ(f.client.counts().ranges, ranges) << "the store need not be asked";
  EXPECT_EQ(f.Read({.freshness = Freshness::kExact, .revision = between})->view->snapshot->size(), 3u);
}

TEST(MirrorCacheTest, FutureRevisionIsWaitedFor) {
  Fixture f;
  f.Start();
  const Revision next = f.client.revision().Next();
  auto exact = f.Read({.freshness = Freshness::kExact, .revision = next});
  auto newer = f.Read({.freshness = Freshness::kNotOlderThan, .revision = next});
  auto never = f.Read({.freshness = Freshness::kExact, .revision = Revision(1'000)});
  f.executor.RunFor(absl::Milliseconds(50));
  EXPECT_FALSE(exact->done);
  f.Put("default/a");
  f.Put("default/b");
  f.executor.RunUntilIdle();
  ASSERT_TRUE(exact->view.ok());
  EXPECT_EQ(exact->view->snapshot->size(), 1u);
  EXPECT_TRUE(newer->view.ok());
  f.executor.RunFor(kReadWaitMax);
  EXPECT_TRUE(IsStale(never->view.status()));
}

TEST(MirrorCacheTest, TransactionIsOneRevisionForReadersAndWatchers) {
  Fixture f;
  f.Put("default/a");
  f.Start();
  auto cursor = f.Watch({.after = f.pods->revision()});
  const Revision revision = f.client.Txn({{absl::StrCat(kPrefix, "default/a"), std::nullopt},
                                          {absl::StrCat(kPrefix, "default/b"), ModelObject().Json("default/b")},
                                          {absl::StrCat(kPrefix, "default/c"), ModelObject().Json("default/c")}});
  while (f.executor.RunOne()) {
    const auto view = f.Read({.freshness = Freshness::kAny})->view;
    EXPECT_EQ(view->snapshot->size(), view->revision < revision ? 1u : 2u);
  }
  EXPECT_EQ(Fixture::Events(cursor.get()),
            (std::vector<std::string>{absl::StrCat("DELETED default/a@", revision.value(), " of 2"),
                                      absl::StrCat("ADDED default/b@", revision.value(), " of ", revision.value()),
                                      absl::StrCat("ADDED default/c@", revision.value(), " of ", revision.value())}));
}

TEST(MirrorCacheTest, SelectorTransitions) {
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
  f.Put("default/a", web);                              // 3
  f.Put("default/a", web);                              // 4
  f.Put("default/a", api);                              // 5
  f.Put("default/a", web);                              // 6
  f.client.Delete(absl::StrCat(kPrefix, "default/a"));  // 7
  f.executor.RunUntilIdle();
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(Fixture::Events(cursor.get()),
            (std::vector<std::string>{"ADDED default/a@3 of 3", "MODIFIED default/a@4 of 4", "DELETED default/a@5 of 4",
                                      "ADDED default/a@6 of 6", "DELETED default/a@7 of 6"}));
}

TEST(MirrorCacheTest, RelistAfterACompactionEndsWatches) {
  Fixture f;
  f.Put("default/a");
  f.Start();
  int wakes = 0;
  auto cursor = f.Watch({.after = f.pods->revision()}, &wakes);
  EXPECT_TRUE(Fixture::Events(cursor.get()).empty());
  f.client.CutOff();
  f.executor.RunUntilIdle();
  f.Put("default/b");
  f.client.Delete(absl::StrCat(kPrefix, "default/a"));
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

TEST(MirrorCacheTest, RestoredStoreEndsWatchesAndWaits) {
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

// A store whose revision reads come from a restored member before the streams have noticed.
TEST(MirrorCacheTest, RevisionThatWentBackIsNoAnswer) {
  class GoneBack : public storeclient::StoreClient {
   public:
    explicit GoneBack(storeclient::MemoryStoreClient* real) : real_(real) {}
    void ReadRevision(absl::Time, RevisionCallback done) override { done(Revision(3)); }
    void Range(const storeclient::RangeRequest& request, absl::Time deadline, RangeCallback done) override {
      real_->Range(request, deadline, std::move(done));
    }
    std::unique_ptr<storeclient::FollowHandle> Follow(storeclient::FollowOptions options,
                                                      storeclient::FollowObserver* observer) override {
      return real_->Follow(std::move(options), observer);
    }
    bool ProgressTrusted() const override { return true; }

   private:
    storeclient::MemoryStoreClient* const real_;
  };
  Fixture f;
  for (int i = 0; i < 20; ++i) f.Put("default/a");
  GoneBack gone_back(&f.client);
  MirrorCache cache({.resources = PodsAndNodes()}, &gone_back, &f.executor, nullptr);
  cache.Start();
  f.executor.RunUntilIdle();
  absl::Status status;
  cache.Read(cache.Find("", "pods"), {}, [&](absl::StatusOr<View> view) { status = view.status(); });
  EXPECT_TRUE(IsNotReady(status)) << status;
}

TEST(MirrorCacheTest, UnreadableValueFailsWhoWouldSeeIt) {
  Fixture f;
  f.Put("default/a");
  f.Start();
  auto all = f.Watch({.after = f.pods->revision()});
  auto other = f.Watch({.scope = {.namespace_name = "other"}, .after = f.pods->revision()});
  f.client.Put(absl::StrCat(kPrefix, "default/bad"), "k8s and not JSON");
  f.Put("other/b");
  f.executor.RunUntilIdle();
  std::vector<WatchEvent> events;
  EXPECT_EQ(KindOf(all->Next(10, &events)), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(all->Next(10, &events)), ErrorKind::kCorrupt) << "the watch has ended";
  EXPECT_EQ(Fixture::Events(other.get()).size(), 1u);
  EXPECT_TRUE(absl::StrContains(f.Metrics(), "apiserver_storage_decode_errors_total{group=\"\",resource=\"pods\"} 1"));
  auto later = f.Watch({.after = f.pods->revision()});
  const Revision mended = f.Put("default/bad");
  f.executor.RunUntilIdle();
  EXPECT_EQ(Fixture::Events(later.get()),
            (std::vector<std::string>{absl::StrCat("ADDED default/bad@", mended.value(), " of ", mended.value())}));
}

TEST(MirrorCacheTest, IdleWatchOutlivesTheHistory) {
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

TEST(MirrorCacheTest, StopEndsReadsAndWatches) {
  Fixture f;
  f.Start();
  int wakes = 0;
  auto cursor = f.Watch({.after = f.pods->revision()}, &wakes);
  EXPECT_TRUE(Fixture::Events(cursor.get()).empty());
  f.client.HoldRevisionReads();
  auto reading = f.Read();
  f.client.RefuseProgress(true);
  auto waiting = f.Read({.freshness = Freshness::kNotOlderThan, .revision = Revision(100)});
  f.cache->Stop();
  EXPECT_EQ(KindOf(reading->view.status()), ErrorKind::kStopped);
  EXPECT_EQ(KindOf(waiting->view.status()), ErrorKind::kStopped);
  EXPECT_EQ(wakes, 1);
  std::vector<WatchEvent> events;
  EXPECT_EQ(KindOf(cursor->Next(1, &events)), ErrorKind::kStopped);
  EXPECT_EQ(KindOf(f.Read()->view.status()), ErrorKind::kStopped);
  f.executor.RunFor(absl::Minutes(1));
}

}  // namespace
}  // namespace tidemark::cache
