#include "cache/mirror_cache.h"

#include "absl/strings/match.h"
#include "base/status.h"
#include "cache/test_etcd_client.h"
#include "cache/test_mirror_cache.h"

namespace tidemark::cache {
namespace {

using Fixture = MirrorCacheFixture;

// The line of the metrics that counts consistent reads of pods which ended so.
std::string ConsistentReads(absl::string_view success, absl::string_view fallback, int count) {
  return absl::StrCat("apiserver_watch_cache_consistent_read_total{fallback=\"", fallback,
                      "\",group=\"\",resource=\"pods\",success=\"", success, "\"} ", count, "\n");
}

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

TEST(MirrorCacheTest, ReadersCountUnderTheMirrorsName) {
  Fixture f;
  f.pods->read_metrics().lists_by_index.Increment();
  f.pods->read_metrics().init_events.Increment(3);
  EXPECT_TRUE(absl::StrContains(f.Metrics(), "tidemark_lists_total{group=\"\",plan=\"index\",resource=\"pods\"} 1"));
  EXPECT_TRUE(absl::StrContains(f.Metrics(), "apiserver_init_events_total{group=\"\",resource=\"pods\"} 3"));
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
  EXPECT_TRUE(absl::StrContains(f.Metrics(), ConsistentReads("true", "false", 1))) << f.Metrics();
}

TEST(MirrorCacheTest, AFallbackThatFailsTooIsCountedWhenItHas) {
  Fixture f({.stale_read_from_store = true});
  f.Start();
  f.client.RefuseProgress(true);
  f.client.HoldRanges();
  f.PutElsewhere();
  auto outcome = f.Read();
  f.executor.RunFor(config::kReadWaitMax);
  EXPECT_FALSE(outcome->done);
  EXPECT_TRUE(absl::StrContains(f.Metrics(), ConsistentReads("false", "true", 0))) << f.Metrics();
  f.executor.RunFor(absl::Minutes(2));
  ASSERT_TRUE(outcome->done);
  EXPECT_EQ(KindOf(outcome->view.status()), ErrorKind::kStoreUnavailable);
  EXPECT_TRUE(absl::StrContains(f.Metrics(), ConsistentReads("false", "true", 1))) << f.Metrics();
  EXPECT_TRUE(absl::StrContains(f.Metrics(), ConsistentReads("true", "true", 0))) << f.Metrics();
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
    f.executor.RunFor(config::kReadWaitMax - absl::Milliseconds(1));
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
    EXPECT_TRUE(absl::StrContains(f.Metrics(), ConsistentReads("true", "true", fall_back ? 1 : 0))) << f.Metrics();
    EXPECT_TRUE(absl::StrContains(f.Metrics(), ConsistentReads("false", "skipped", fall_back ? 0 : 1))) << f.Metrics();
    EXPECT_TRUE(absl::StrContains(f.Metrics(), ConsistentReads("false", "true", 0))) << f.Metrics();
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
  f.executor.RunFor(config::kReadWaitMax);
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
  f.client.Delete(absl::StrCat(kPodsPrefix, "default/a"));
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
  f.executor.RunFor(config::kReadWaitMax);
  EXPECT_TRUE(IsStale(never->view.status()));
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
  metrics::Registry registry;
  MirrorCache cache({.resources = PodsAndNodes()}, &gone_back, &f.executor, &registry);
  cache.Start();
  f.executor.RunUntilIdle();
  absl::Status status;
  cache.Read(cache.Find("", "pods"), {}, [&](absl::StatusOr<View> view) { status = view.status(); });
  EXPECT_TRUE(IsNotReady(status)) << status;
  EXPECT_TRUE(absl::StrContains(registry.Text(), ConsistentReads("false", "false", 1))) << registry.Text();
}

// The store was restored, and the streams have not told yet.
TEST(MirrorCacheTest, ConsistentReadDuringARestoreComesAgainLater) {
  Fixture f;
  for (int i = 0; i < 20; ++i) f.Put("default/a");
  f.Start();
  f.client.Rewind(Revision(5));
  auto outcome = f.Read();
  f.executor.RunFor(config::kReadWaitMax);
  ASSERT_TRUE(outcome->done);
  EXPECT_TRUE(IsNotReady(outcome->view.status())) << outcome->view.status();
}

// Two reads wait for one revision; between their answers the store is restored and listed again.
TEST(MirrorCacheTest, RestoreBetweenTheWaitAndTheAnswerGivesNothingOlderThanWasAskedFor) {
  Fixture f;
  f.Start();
  const Revision next = f.client.revision().Next();
  const ReadOptions options{.freshness = Freshness::kNotOlderThan, .revision = next};
  absl::Status first = absl::UnknownError("not yet");
  f.cache->Read(f.pods, options, [&](absl::StatusOr<View> view) {
    first = view.status();
    auto* const observer = static_cast<ResourceMirror*>(f.pods);
    observer->OnRewound(MakeError(ErrorKind::kRewound, "restored"));
    observer->OnListBegin(Revision(1));
    observer->OnListDone();
  });
  auto second = f.Read(options);
  f.Put("default/a");
  while (!second->done) ASSERT_TRUE(f.executor.RunOne());
  EXPECT_TRUE(first.ok()) << first;
  EXPECT_TRUE(IsNotReady(second->view.status())) << second->view.status();
}

TEST(MirrorCacheTest, ListBehindWhatWasSeenEndsWaitsAndBeginsAnewThere) {
  Fixture f;
  f.Start();
  const Revision listed = f.pods->revision();
  const Revision seen = f.PutElsewhere();
  f.Read();
  f.executor.RunUntilIdle();
  ASSERT_EQ(f.pods->revision(), seen);
  f.client.RefuseProgress(true);
  auto waiting = f.Read({.freshness = Freshness::kNotOlderThan, .revision = Revision(100)});
  auto* const observer = static_cast<ResourceMirror*>(f.pods);
  observer->OnListBegin(listed);
  observer->OnListDone();
  EXPECT_TRUE(IsNotReady(waiting->view.status())) << waiting->view.status();
  EXPECT_EQ(f.pods->revision(), listed);
  auto again = f.Read({.freshness = Freshness::kNotOlderThan, .revision = seen});
  f.executor.RunFor(config::kReadWaitMax);
  EXPECT_TRUE(IsStale(again->view.status())) << "what was seen before does not count: " << again->view.status();
}

TEST(MirrorCacheTest, CompactionAboveAQuietMirrorIsFoundOnce) {
  Fixture f;
  TestEtcdClient etcd(&f.client);
  f.cache =
      std::make_unique<MirrorCache>(MirrorCache::Options{.resources = PodsAndNodes()}, &etcd, &f.executor, nullptr);
  f.pods = f.cache->Find("", "pods");
  f.Start();
  for (int i = 0; i < 1'000; ++i) f.Put("default/a");
  f.executor.RunUntilIdle();
  ASSERT_LT(f.cache->Find("", "nodes")->revision(), Revision(10));
  ASSERT_TRUE(f.client.Compact(Revision(700)).ok());
  f.executor.RunFor(kCompactionProbeGap);
  EXPECT_TRUE(IsCompacted(f.pods->Watch({.after = Revision(699)}, [] {}).status()));
  const int64_t ranges = f.client.counts().ranges;
  f.executor.RunFor(10 * kCompactionProbeGap);
  EXPECT_LE(f.client.counts().ranges - ranges, 11) << "one small read each time";
  ASSERT_TRUE(f.client.Compact(Revision(800)).ok());
  f.executor.RunFor(kCompactionProbeGap);
  EXPECT_TRUE(IsCompacted(f.pods->Watch({.after = Revision(799)}, [] {}).status()));
  f.cache.reset();
}

TEST(MirrorCacheTest, HousekeepingRunsOnItsOwnExecutor) {
  SimClock clock;
  SimExecutor housekeeper(clock);
  Fixture f({.housekeeper = &housekeeper});
  f.Put("default/a");
  f.Start();
  constexpr char kOneObject[] = "apiserver_resource_objects{group=\"\",resource=\"pods\"} 1\n";
  f.executor.RunFor(10 * kHousekeepingGap);
  EXPECT_FALSE(absl::StrContains(f.Metrics(), kOneObject));
  housekeeper.RunFor(kHousekeepingGap);
  EXPECT_TRUE(absl::StrContains(f.Metrics(), kOneObject)) << f.Metrics();
  f.cache->Stop();
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
