#include "cache/interest_registry.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

using Kind = Interest::Kind;
const PairKey kNode{Requirement::Source::kField, "spec.nodeName"};
const PairKey kApp{Requirement::Source::kLabel, "app"};
const absl::Time kStart = absl::UnixEpoch();

struct Registry {
  InterestRegistry registry;
  std::map<std::string, int> woken;
  std::vector<std::unique_ptr<InterestRegistry::Subscriber>> subscribers;
  uint64_t next = 0;

  InterestRegistry::Subscriber* Join(const std::string& name, Interest interest) {
    subscribers.push_back(std::make_unique<InterestRegistry::Subscriber>());
    subscribers.back()->waker = std::make_shared<const std::function<void()>>([this, name] { ++woken[name]; });
    registry.Join(interest, next, subscribers.back().get());
    registry.Arm(subscribers.back().get());
    return subscribers.back().get();
  }
  void Post(absl::string_view key, std::vector<PairValues> pairs = {}) {
    std::vector<InterestRegistry::Waker> wakers;
    const absl::string_view namespace_name = key.substr(0, key.find('/'));
    registry.Post({key, namespace_name, std::move(pairs)}, next++, &wakers);
    for (const InterestRegistry::Waker& waker : wakers) (*waker)();
  }
};

TEST(InterestRegistryTest, EventWakesOnlyThoseItMayConcern) {
  Registry r;
  r.Join("all", {});
  r.Join("default", {.kind = Kind::kNamespace, .text = "default"});
  r.Join("kube-system", {.kind = Kind::kNamespace, .text = "kube-system"});
  r.Join("web-1", {.kind = Kind::kName, .text = "default/web-1"});
  r.Join("web-2", {.kind = Kind::kName, .text = "default/web-2"});
  r.Join("node-7", {.kind = Kind::kPair, .text = "/node-7", .pair = kNode});
  r.Join("node-8", {.kind = Kind::kPair, .text = "/node-8", .pair = kNode});
  ASSERT_EQ(*r.registry.watched_keys(), WatchedKeys{kNode});
  r.Post("default/web-1", {{.after = "node-7"}});
  EXPECT_EQ(r.woken, (std::map<std::string, int>{{"all", 1}, {"default", 1}, {"web-1", 1}, {"node-7", 1}}));
}

TEST(InterestRegistryTest, ChangeOfAValueConcernsBothSides) {
  Registry r;
  auto* seven = r.Join("node-7", {.kind = Kind::kPair, .text = "/node-7", .pair = kNode});
  auto* eight = r.Join("node-8", {.kind = Kind::kPair, .text = "/node-8", .pair = kNode});
  r.Post("default/a", {{.before = "node-7", .after = "node-8"}});
  EXPECT_EQ(r.woken, (std::map<std::string, int>{{"node-7", 1}, {"node-8", 1}}));
  EXPECT_EQ(seven->bucket->postings().at(0), 0u);
  EXPECT_EQ(eight->bucket->postings().at(0), 0u);
}

TEST(InterestRegistryTest, PairInOneNamespaceIsAnInterestOfItsOwn) {
  Registry r;
  r.Join("web in default", {.kind = Kind::kPair, .text = PairText("default", "web"), .pair = kApp});
  r.Join("web in other", {.kind = Kind::kPair, .text = PairText("other", "web"), .pair = kApp});
  r.Join("web", {.kind = Kind::kPair, .text = PairText("", "web"), .pair = kApp});
  r.Post("default/a", {{.after = "web"}});
  EXPECT_EQ(r.woken, (std::map<std::string, int>{{"web in default", 1}, {"web", 1}}));
}

TEST(InterestRegistryTest, WokenOnceUntilArmedAgain) {
  Registry r;
  auto* all = r.Join("all", {});
  r.Post("default/a");
  r.Post("default/b");
  EXPECT_EQ(r.woken["all"], 1);
  r.registry.Arm(all);
  r.registry.Arm(all);
  r.Post("default/c");
  EXPECT_EQ(r.woken["all"], 2);
}

TEST(InterestRegistryTest, WhoLeavesIsNotWoken) {
  Registry r;
  auto* first = r.Join("first", {});
  r.Join("second", {});
  auto* third = r.Join("third", {});
  r.registry.Leave(first, kStart);
  r.registry.Leave(third, kStart);
  r.Post("default/a");
  EXPECT_EQ(r.woken, (std::map<std::string, int>{{"second", 1}}));
  EXPECT_EQ(r.registry.subscribers(), 1u);
}

TEST(InterestRegistryTest, BucketOutlivesItsLastWatcherForAWhile) {
  Registry r;
  r.Post("default/a");
  auto* first = r.Join("first", {.kind = Kind::kPair, .text = "/web", .pair = kApp});
  EXPECT_EQ(first->bucket->complete_from(), 1u);
  r.registry.Leave(first, kStart);
  r.Post("default/b", {{.after = "web"}});
  r.registry.Sweep(0, kStart + kIdleBucketSpan);
  auto* again = r.Join("again", {.kind = Kind::kPair, .text = "/web", .pair = kApp});
  EXPECT_EQ(again->bucket->complete_from(), 1u);
  EXPECT_EQ(again->bucket->postings().end(), 1u);
  r.registry.Leave(again, kStart);
  r.registry.Sweep(0, kStart + kIdleBucketSpan + absl::Seconds(1));
  EXPECT_EQ(r.registry.buckets(), 0u);
  EXPECT_TRUE(r.registry.watched_keys()->empty()) << "nobody watches by this label any more";
  EXPECT_EQ(r.Join("late", {.kind = Kind::kPair, .text = "/web", .pair = kApp})->bucket->complete_from(), 2u);
}

TEST(InterestRegistryTest, IdleBucketsAreBounded) {
  Registry r;
  for (size_t i = 0; i < kIdleBucketsMax + 10; ++i) {
    r.registry.Leave(r.Join("x", {.kind = Kind::kName, .text = absl::StrCat("default/", i)}), kStart);
  }
  EXPECT_EQ(r.registry.buckets(), kIdleBucketsMax);
}

TEST(InterestRegistryTest, LabelsBeyondTheBoundFallBackAndFieldsNever) {
  Registry r;
  for (size_t i = 0; i < kWatchedLabelsMax; ++i) {
    r.Join("x", {.kind = Kind::kPair, .text = "/v", .pair = {Requirement::Source::kLabel, absl::StrCat("k", i)}});
  }
  EXPECT_TRUE(r.Join("app", {.kind = Kind::kPair, .text = "/v", .pair = kApp})->bucket->reads_history());
  r.Join("app in default", {.kind = Kind::kPair, .text = PairText("default", "v"), .pair = kApp});
  r.Join("app in other", {.kind = Kind::kPair, .text = PairText("other", "v"), .pair = kApp});
  r.Join("node-7", {.kind = Kind::kPair, .text = "/node-7", .pair = kNode});
  r.Join("node-8", {.kind = Kind::kPair, .text = "/node-8", .pair = kNode});
  std::vector<PairValues> pairs(kWatchedLabelsMax + 1);
  pairs.back().after = "node-7";
  r.Post("default/a", std::move(pairs));
  EXPECT_EQ(r.woken, (std::map<std::string, int>{{"app", 1}, {"app in default", 1}, {"node-7", 1}}));
  EXPECT_FALSE(r.Join("z", {.kind = Kind::kPair, .text = "/w", .pair = {Requirement::Source::kLabel, "k3"}})
                   ->bucket->reads_history());
}

TEST(InterestRegistryTest, SweepForgetsOldPostings) {
  Registry r;
  auto* first = r.Join("first", {.kind = Kind::kNamespace, .text = "default"});
  for (int i = 0; i < 100; ++i) r.Post("default/a");
  r.registry.Sweep(60, kStart);
  EXPECT_EQ(first->bucket->postings().begin(), 60u);
  EXPECT_EQ(first->bucket->postings().at(60), 60u);
}

}  // namespace
}  // namespace tidemark::cache
