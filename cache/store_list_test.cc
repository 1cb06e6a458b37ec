#include "cache/store_list.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cache/mirror_model.h"
#include "gtest/gtest.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::cache {
namespace {

std::shared_ptr<const config::Resource> Pods() {
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.group.empty() && resource.plural == "pods") return std::make_shared<const config::Resource>(resource);
  }
  return nullptr;
}

struct Fixture {
  SimClock clock;
  SimExecutor executor{clock};
  storeclient::MemoryStoreClient client{executor};
  std::shared_ptr<StoreList> list =
      std::make_shared<StoreList>(&client, &executor, [this](Executor::Task task) { executor.Post(std::move(task)); });
  std::shared_ptr<const config::Resource> pods = Pods();

  Revision Put(const std::string& key) { return client.Put("/registry/pods/" + key, ModelObject().Json(key)); }

  struct Outcome {
    bool done = false;
    absl::StatusOr<StoreList::Listed> listed = absl::UnknownError("not yet");
    size_t size() const { return listed.ok() ? listed->snapshot->size() : 0; }
  };
  std::shared_ptr<Outcome> Read(Scope scope = {}, Revision revision = {},
                                absl::Time deadline = absl::InfiniteFuture()) {
    auto outcome = std::make_shared<Outcome>();
    list->Read({.resource = pods, .prefix = "/registry/pods/", .scope = scope, .revision = revision}, deadline,
               [outcome](absl::StatusOr<StoreList::Listed> listed) {
                 EXPECT_FALSE(outcome->done);
                 outcome->done = true;
                 outcome->listed = std::move(listed);
               });
    return outcome;
  }
};

TEST(StoreListTest, ReadsAllPagesAtOneRevision) {
  Fixture f;
  for (int i = 0; i < 1'200; ++i) f.Put(absl::StrCat("default/pod-", i));
  const Revision revision = f.client.revision();
  auto outcome = f.Read();
  f.executor.RunOne();
  f.Put("default/later");
  f.executor.RunUntilIdle();
  ASSERT_TRUE(outcome->listed.ok()) << outcome->listed.status();
  EXPECT_EQ(outcome->listed->revision, revision);
  EXPECT_EQ(outcome->size(), 1'200u);
  EXPECT_GT(f.client.counts().ranges, 1);
}

TEST(StoreListTest, ScopeNarrowsWhatIsRead) {
  Fixture f;
  f.Put("default/a");
  f.Put("default/b");
  f.Put("default-2/a");
  auto space = f.Read({.namespace_name = "default"});
  auto object = f.Read({.namespace_name = "default", .name = "b"});
  auto absent = f.Read({.namespace_name = "default", .name = "c"});
  f.executor.RunUntilIdle();
  EXPECT_EQ(space->size(), 2u);
  EXPECT_EQ(object->size(), 1u);
  EXPECT_NE(object->listed->snapshot->Get("default/b"), nullptr);
  EXPECT_TRUE(absent->listed.ok());
  EXPECT_EQ(absent->size(), 0u);
}

TEST(StoreListTest, NewestStateServesOnlyWhoCameBeforeItStarted) {
  Fixture f;
  f.Put("default/a");
  f.client.HoldRanges();
  auto first = f.Read();
  f.executor.RunUntilIdle();
  f.Put("default/b");
  auto second = f.Read();
  auto third = f.Read();
  f.executor.RunUntilIdle();
  EXPECT_EQ(f.client.counts().ranges, 1);
  f.client.ReleaseRanges();
  f.executor.RunUntilIdle();
  EXPECT_TRUE(first->done);
  EXPECT_EQ(second->size(), 2u);
  EXPECT_EQ(third->size(), 2u);
  EXPECT_EQ(f.client.counts().ranges, 2) << "those who came meanwhile share one";
}

TEST(StoreListTest, GivenRevisionIsSharedAndKeptForAWhile) {
  Fixture f;
  const Revision revision = f.Put("default/a");
  f.Put("default/b");
  f.client.HoldRanges();
  auto first = f.Read({}, revision);
  f.executor.RunUntilIdle();
  auto second = f.Read({}, revision);
  f.client.ReleaseRanges();
  f.executor.RunUntilIdle();
  EXPECT_EQ(first->size(), 1u);
  EXPECT_EQ(second->size(), 1u);
  EXPECT_EQ(f.Read({}, revision)->size(), 1u) << "at once";
  EXPECT_EQ(f.client.counts().ranges, 1);
  f.executor.RunFor(kStoreListKeep + absl::Seconds(1));
  f.list->Housekeep();
  f.Read({}, revision);
  f.executor.RunUntilIdle();
  EXPECT_EQ(f.client.counts().ranges, 2);
}

TEST(StoreListTest, StoresErrorsArePassedOn) {
  Fixture f;
  const Revision revision = f.Put("default/a");
  f.Put("default/b");
  ASSERT_TRUE(f.client.Compact(f.client.revision()).ok());
  auto compacted = f.Read({}, revision);
  auto future = f.Read({}, Revision(1'000));
  f.executor.RunUntilIdle();
  EXPECT_TRUE(IsCompacted(compacted->listed.status()));
  EXPECT_TRUE(IsFutureRevision(future->listed.status()));
}

// Answers every range with the same keys, whatever was asked for.
class BadStoreClient : public storeclient::StoreClient {
 public:
  BadStoreClient(Executor* executor, std::vector<std::string> keys) : executor_(executor), keys_(std::move(keys)) {}
  void ReadRevision(absl::Time, RevisionCallback done) override { done(absl::UnimplementedError("")); }
  void Range(const storeclient::RangeRequest&, absl::Time, RangeCallback done) override {
    storeclient::RangeResult result{.store_revision = Revision(7)};
    for (const std::string& key : keys_) result.kvs.push_back({key, "{}", Revision(2), Revision(2)});
    executor_->Post([done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); });
  }
  std::unique_ptr<storeclient::FollowHandle> Follow(storeclient::FollowOptions, storeclient::FollowObserver*) override {
    return nullptr;
  }
  bool ProgressTrusted() const override { return true; }

 private:
  Executor* const executor_;
  const std::vector<std::string> keys_;
};

TEST(StoreListTest, StoreThatAnswersOutOfOrderEndsTheListWithAnError) {
  Fixture f;
  BadStoreClient bad(&f.executor, {"/registry/pods/default/b", "/registry/pods/default/a"});
  f.list =
      std::make_shared<StoreList>(&bad, &f.executor, [&f](Executor::Task task) { f.executor.Post(std::move(task)); });
  const auto fixed = f.Read({}, Revision(7)), again = f.Read({}, Revision(7));
  f.executor.RunUntilIdle();
  for (const auto& outcome : {fixed, again}) {
    EXPECT_TRUE(outcome->done);
    EXPECT_EQ(KindOf(outcome->listed.status()), ErrorKind::kCorrupt);
    EXPECT_EQ(outcome->listed.status().message(),
              "the keys of the store's list do not ascend: \"/registry/pods/default/a\" comes after "
              "\"/registry/pods/default/b\"");
  }
  const auto later = f.Read({}, Revision(7));
  EXPECT_FALSE(later->done) << "an error is not kept";
  f.executor.RunUntilIdle();
  EXPECT_TRUE(later->done);
}

TEST(StoreListTest, ForeignKeysArePassedOver) {
  Fixture f;
  BadStoreClient bad(&f.executor, {"/registry/nodes/n", "/registry/pods/default/a", "/registry/a"});
  f.list =
      std::make_shared<StoreList>(&bad, &f.executor, [&f](Executor::Task task) { f.executor.Post(std::move(task)); });
  const auto outcome = f.Read();
  f.executor.RunUntilIdle();
  ASSERT_TRUE(outcome->listed.ok()) << outcome->listed.status();
  EXPECT_EQ(outcome->size(), 1u);
}

TEST(StoreListTest, ReaderEndsAtItsDeadlineWhileTheListGoesOn) {
  Fixture f;
  f.Put("default/a");
  f.client.HoldRanges();
  auto hasty = f.Read({}, {}, f.clock.Now() + absl::Seconds(1));
  auto patient = f.Read();
  f.executor.RunFor(absl::Seconds(1));
  EXPECT_EQ(KindOf(hasty->listed.status()), ErrorKind::kStoreUnavailable);
  EXPECT_FALSE(patient->done);
  f.client.ReleaseRanges();
  f.executor.RunFor(absl::Seconds(1));
  EXPECT_EQ(patient->size(), 1u);
}

TEST(StoreListTest, ListThatNobodyWaitsForAnyMoreIsNotRead) {
  Fixture f;
  for (int64_t i = 0; i < kStoreListFirstPageKeys + 1; ++i) f.Put(absl::StrCat("default/pod-", i));
  f.client.HoldRanges();
  const absl::Time soon = f.clock.Now() + absl::Seconds(1);
  std::vector<std::shared_ptr<Fixture::Outcome>> hasty;
  for (size_t i = 0; i < kStoreListsRunningMax + kStoreListsWaitingMax; ++i) {
    hasty.push_back(f.Read({.name = absl::StrCat("pod-", i)}, {}, soon));
  }
  EXPECT_EQ(KindOf(f.Read()->listed.status()), ErrorKind::kOverloaded);
  f.executor.RunFor(absl::Seconds(1));
  for (const auto& outcome : hasty) EXPECT_EQ(KindOf(outcome->listed.status()), ErrorKind::kStoreUnavailable);
  auto patient = f.Read();
  f.client.ReleaseRanges();
  f.executor.RunUntilIdle();
  EXPECT_EQ(patient->size(), static_cast<size_t>(kStoreListFirstPageKeys + 1));
  EXPECT_EQ(f.client.counts().ranges, static_cast<int64_t>(kStoreListsRunningMax) + 2)
      << "one page of each that ran, and two of the one that is waited for";
}

TEST(StoreListTest, ReadersWhoLeftLeaveRoomForOthers) {
  Fixture f;
  f.Put("default/a");
  f.client.HoldRanges();
  f.Read();
  const absl::Time soon = f.clock.Now() + absl::Seconds(1);
  for (size_t i = 0; i < kStoreListReadersMax; ++i) f.Read({}, {}, soon);
  EXPECT_EQ(KindOf(f.Read()->listed.status()), ErrorKind::kOverloaded);
  f.executor.RunFor(absl::Seconds(1));
  auto late = f.Read();
  f.client.ReleaseRanges();
  f.executor.RunUntilIdle();
  EXPECT_EQ(late->size(), 1u);
}

TEST(StoreListTest, DifferentListsAreBounded) {
  Fixture f;
  f.client.HoldRanges();
  std::vector<std::shared_ptr<Fixture::Outcome>> outcomes;
  for (size_t i = 0; i < kStoreListsRunningMax + kStoreListsWaitingMax + 3; ++i) {
    outcomes.push_back(f.Read({.namespace_name = absl::StrCat("ns-", i)}));
    f.executor.RunUntilIdle();
  }
  EXPECT_EQ(f.client.counts().ranges, static_cast<int64_t>(kStoreListsRunningMax));
  EXPECT_EQ(KindOf(outcomes.back()->listed.status()), ErrorKind::kOverloaded);
  f.client.ReleaseRanges();
  f.executor.RunUntilIdle();
  size_t answered = 0;
  for (const auto& outcome : outcomes) answered += outcome->listed.ok();
  EXPECT_EQ(answered, kStoreListsRunningMax + kStoreListsWaitingMax);
}

TEST(StoreListTest, RestoredStoreEndsWhatRuns) {
  Fixture f;
  const Revision revision = f.Put("default/a");
  f.Read({}, revision);
  f.executor.RunUntilIdle();
  f.client.HoldRanges();
  auto running = f.Read();
  f.executor.RunUntilIdle();
  f.list->Forget();
  f.client.ReleaseRanges();
  f.executor.RunUntilIdle();
  EXPECT_TRUE(IsNotReady(running->listed.status()));
  const int64_t ranges = f.client.counts().ranges;
  f.Read({}, revision);
  f.executor.RunUntilIdle();
  EXPECT_EQ(f.client.counts().ranges, ranges + 1) << "what was kept does not hold";
}

TEST(StoreListTest, StopEndsEverybody) {
  Fixture f;
  f.client.HoldRanges();
  auto running = f.Read();
  f.executor.RunUntilIdle();
  auto waiting = f.Read();
  f.list->Stop();
  EXPECT_EQ(KindOf(running->listed.status()), ErrorKind::kStopped);
  EXPECT_EQ(KindOf(waiting->listed.status()), ErrorKind::kStopped);
  EXPECT_EQ(KindOf(f.Read()->listed.status()), ErrorKind::kStopped);
  f.client.ReleaseRanges();
  f.executor.RunUntilIdle();
}

}  // namespace
}  // namespace tidemark::cache
