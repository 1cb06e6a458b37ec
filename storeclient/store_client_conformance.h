// The suite that defines StoreClient: every implementation passes it, on a store of its own behind a StoreHarness.
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreClientConformanceTest, testing::Values(HarnessFactory{"memory", &MakeMemory}), ...);
#ifndef TIDEMARK_STORECLIENT_STORE_CLIENT_CONFORMANCE_H_
#define TIDEMARK_STORECLIENT_STORE_CLIENT_CONFORMANCE_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "storeclient/answer.h"
#include "storeclient/memory_store.h"
#include "storeclient/recording_observer.h"
#include "storeclient/store_client.h"

namespace tidemark::storeclient {

// A client, and the other side of it. Writes return the store's revision afterwards.
class StoreHarness {
 public:
  virtual ~StoreHarness() = default;
  virtual StoreClient& client() = 0;
  virtual Revision Txn(const std::vector<MemoryStore::Write>& writes) = 0;
  virtual void Compact(Revision revision) = 0;
  virtual void BreakStreams() = 0;
  // What this store cannot do is not asked of it.
  virtual bool CanRewind() const { return false; }
  virtual void Rewind(Revision to) { (void)to; }
  virtual bool CanCutOff() const { return false; }
  virtual void CutOff() {}
  virtual void Reconnect() {}
  virtual absl::Time Now() = 0;
  // Lets things happen until `condition` holds; false when it does not come to hold.
  virtual bool Until(const std::function<bool()>& condition) = 0;

  Revision Put(absl::string_view key, absl::string_view value) { return Txn({{std::string(key), std::string(value)}}); }
  Revision Delete(absl::string_view key) { return Txn({{std::string(key), std::nullopt}}); }
};

struct HarnessFactory {
  std::string name;
  // nullptr: cannot run here, and says why.
  std::function<std::unique_ptr<StoreHarness>(std::string* why_not)> make;
};

class StoreClientConformanceTest : public testing::TestWithParam<HarnessFactory> {
 protected:
  static constexpr char kPrefix[] = "/registry/pods/";
  static constexpr char kOther[] = "/registry/nodes/n";

  void SetUp() override {
    std::string why_not;
    harness_ = GetParam().make(&why_not);
    if (harness_ == nullptr) GTEST_SKIP() << GetParam().name << " NOT RUN: " << why_not;
  }

  void Follow() { follow_ = client().Follow({.prefix = kPrefix, .name = "pods"}, &observer_); }
  void FollowAndList() {
    Follow();
    ASSERT_TRUE(harness_->Until([&] { return observer_.listed(); }));
  }

  static std::string Key(absl::string_view name) { return absl::StrCat(kPrefix, name); }
  StoreClient& client() { return harness_->client(); }

  absl::StatusOr<Revision> ReadRevision(absl::Duration timeout = absl::Seconds(20)) {
    Answer<Revision> answer;
    client().ReadRevision(harness_->Now() + timeout, answer.Callback());
    if (!harness_->Until([&] { return answer.has(); })) return absl::InternalError("no answer");
    return answer.get();
  }
  absl::StatusOr<RangeResult> Range(const RangeRequest& request, absl::Duration timeout = absl::Seconds(20)) {
    Answer<RangeResult> answer;
    client().Range(request, harness_->Now() + timeout, answer.Callback());
    if (!harness_->Until([&] { return answer.has(); })) return absl::InternalError("no answer");
    return answer.get();
  }
  // The observer has what the store has.
  void ExpectCaughtUp(Revision revision) {
    const auto range = Range({.key = kPrefix, .range_end = PrefixEnd(kPrefix), .revision = revision});
    ASSERT_TRUE(range.ok()) << range.status();
    RecordingObserver::State expected;
    for (const KeyValue& kv : range->kvs) expected[kv.key] = {kv.value, kv.create_revision, kv.mod_revision};
    EXPECT_TRUE(harness_->Until([&] { return observer_.state() == expected; }))
        << observer_.state().size() << " objects of " << expected.size() << ", at " << observer_.revision();
  }

  std::unique_ptr<StoreHarness> harness_;
  RecordingObserver observer_{kPrefix};
  std::unique_ptr<FollowHandle> follow_;
};

TEST_P(StoreClientConformanceTest, RevisionReadSeesEveryWriteBeforeIt) {
  for (int i = 0; i < 20; ++i) {
    const Revision written = harness_->Put(Key("a"), absl::StrCat(i));
    const auto read = ReadRevision();
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_GE(*read, written);
  }
}

TEST_P(StoreClientConformanceTest, RangeWithLimitCountAndRevision) {
  const Revision before = harness_->Put(Key("a"), "1");
  harness_->Put(Key("b"), "1");
  harness_->Put(Key("c"), "1");
  const Revision last = harness_->Put(Key("a"), "2");
  const auto all = Range({.key = kPrefix, .range_end = PrefixEnd(kPrefix), .limit = 2});
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->kvs.size(), 2u);
  EXPECT_EQ(all->kvs[0].key, Key("a"));
  EXPECT_EQ(all->kvs[0].value, "2");
  EXPECT_EQ(all->kvs[0].create_revision, before);
  EXPECT_EQ(all->kvs[0].mod_revision, last);
  EXPECT_TRUE(all->more);
  EXPECT_EQ(all->count, 3);
  EXPECT_GE(all->store_revision, last);
  const auto old = Range({.key = Key("a"), .revision = before});
  ASSERT_TRUE(old.ok() && old->kvs.size() == 1);
  EXPECT_EQ(old->kvs[0].value, "1");
  EXPECT_GE(old->store_revision, last) << "the store's revision, not the one asked for";
  const auto counted = Range({.key = kPrefix, .range_end = PrefixEnd(kPrefix), .count_only = true});
  ASSERT_TRUE(counted.ok());
  EXPECT_TRUE(counted->kvs.empty());
  EXPECT_EQ(counted->count, 3);
}

TEST_P(StoreClientConformanceTest, RangeOutsideTheHistory) {
  harness_->Put(Key("a"), "1");
  const Revision last = harness_->Put(Key("a"), "2");
  harness_->Compact(last);
  const auto compacted = Range({.key = Key("a"), .revision = last.Previous()});
  EXPECT_TRUE(IsCompacted(compacted.status())) << compacted.status();
  const auto future = Range({.key = Key("a"), .revision = Revision(last.value() + 1000)});
  EXPECT_TRUE(IsFutureRevision(future.status())) << future.status();
}

TEST_P(StoreClientConformanceTest, FollowListsThenDelivers) {
  harness_->Put(Key("a"), "1");
  harness_->Put(kOther, "1");
  FollowAndList();
  EXPECT_TRUE(observer_.Has(Key("a"), "1"));
  harness_->Put(Key("b"), "1");
  harness_->Delete(Key("a"));
  ExpectCaughtUp(harness_->Put(Key("b"), "2"));
  EXPECT_EQ(observer_.counts().lists, 1);
}

TEST_P(StoreClientConformanceTest, EmptyPrefixIsAListToo) {
  FollowAndList();
  EXPECT_TRUE(observer_.state().empty());
  ExpectCaughtUp(harness_->Put(Key("a"), "1"));
}

TEST_P(StoreClientConformanceTest, TransactionOfManyKeysIsOneBatch) {
  FollowAndList();
  std::vector<MemoryStore::Write> writes;
  for (int i = 0; i < 100; ++i) writes.push_back({Key(absl::StrCat("k", i)), std::string(2000, 'x')});
  const Revision written = harness_->Txn(writes);
  // The observer fails the test when a revision comes in two calls.
  ExpectCaughtUp(written);
  writes.clear();
  for (int i = 0; i < 100; i += 2) writes.push_back({Key(absl::StrCat("k", i)), std::nullopt});
  ExpectCaughtUp(harness_->Txn(writes));
}

TEST_P(StoreClientConformanceTest, ManyPagesAtOneRevision) {
  constexpr int kObjects = 1500;
  for (int i = 0; i < kObjects; i += 50) {
    std::vector<MemoryStore::Write> writes;
    for (int k = i; k < i + 50; ++k) writes.push_back({Key(absl::StrCat("k", k)), absl::StrCat("value ", k)});
    harness_->Txn(writes);
  }
  Follow();
  // Changes while it lists come as events.
  Revision last;
  for (int i = 0; i < 20; ++i) last = harness_->Put(Key(absl::StrCat("k", i * 70)), "changed");
  ASSERT_TRUE(harness_->Until([&] { return observer_.listed(); }));
  ExpectCaughtUp(last);
  EXPECT_EQ(observer_.state().size(), static_cast<size_t>(kObjects));
}

TEST_P(StoreClientConformanceTest, ProgressReachesTheStoresRevision) {
  if (!client().ProgressTrusted()) GTEST_SKIP() << GetParam().name << " NOT RUN: its progress is not to be trusted";
  FollowAndList();
  // Other prefixes move the store on, and this stream sees nothing of it but progress.
  const Revision moved = harness_->Put(kOther, "2");
  ASSERT_TRUE(harness_->Until([&] {
    follow_->RequestProgress();
    return observer_.revision() >= moved;
  }));
  EXPECT_EQ(observer_.counts().events, 0);
}

TEST_P(StoreClientConformanceTest, ProgressNeverOvertakesEvents) {
  FollowAndList();
  for (int round = 0; round < 50; ++round) {
    const Revision written = harness_->Put(Key("a"), absl::StrCat(round));
    ASSERT_TRUE(harness_->Until([&] {
      follow_->RequestProgress();
      return observer_.revision() >= written;
    }));
    EXPECT_TRUE(observer_.Has(Key("a"), absl::StrCat(round)))
        << "at " << observer_.revision() << " without the event of " << written;
  }
}

TEST_P(StoreClientConformanceTest, BrokenStreamResumesWithoutLossOrRepetition) {
  FollowAndList();
  harness_->Put(Key("a"), "1");
  ASSERT_TRUE(harness_->Until([&] { return observer_.Has(Key("a"), "1"); }));
  for (int round = 0; round < 3; ++round) {
    harness_->BreakStreams();
    ASSERT_TRUE(harness_->Until([&] { return observer_.counts().interruptions == round + 1; }));
    Revision last;
    for (int i = 0; i < 10; ++i) last = harness_->Put(Key("b"), absl::StrCat(round, ".", i));
    ExpectCaughtUp(last);
  }
  EXPECT_EQ(observer_.counts().events, 31);
  EXPECT_EQ(observer_.counts().lists, 1);
}

TEST_P(StoreClientConformanceTest, CompactedWhileCutOffListsAgain) {
  if (!harness_->CanCutOff()) GTEST_SKIP() << GetParam().name << " cannot be cut off";
  FollowAndList();
  harness_->CutOff();
  ASSERT_TRUE(harness_->Until([&] { return observer_.counts().interruptions == 1; }));
  harness_->Put(Key("a"), "1");
  harness_->Put(Key("a"), "2");
  const Revision last = harness_->Put(Key("b"), "1");
  harness_->Compact(last);
  harness_->Reconnect();
  ExpectCaughtUp(last);
  EXPECT_EQ(observer_.counts().lists, 2);
}

TEST_P(StoreClientConformanceTest, ReadsEndAtTheirDeadlineWhenCutOff) {
  if (!harness_->CanCutOff()) GTEST_SKIP() << GetParam().name << " cannot be cut off";
  harness_->CutOff();
  const auto revision = ReadRevision(absl::Milliseconds(300));
  EXPECT_EQ(KindOf(revision.status()), ErrorKind::kStoreUnavailable) << revision.status();
  const auto range = Range({.key = Key("a")}, absl::Milliseconds(300));
  EXPECT_EQ(KindOf(range.status()), ErrorKind::kStoreUnavailable) << range.status();
  harness_->Reconnect();
  EXPECT_TRUE(ReadRevision().ok());
}

TEST_P(StoreClientConformanceTest, RewindDropsEverythingAndLists) {
  if (!harness_->CanRewind()) GTEST_SKIP() << GetParam().name << " cannot be rewound";
  harness_->Put(Key("a"), "1");
  const Revision kept = harness_->Put(Key("b"), "1");
  harness_->Put(Key("lost"), "1");
  FollowAndList();
  harness_->Rewind(kept);
  // A revision read is not answered before the observer knows.
  ASSERT_TRUE(harness_->Until([&] {
    const auto revision = ReadRevision();
    if (!revision.ok()) return false;
    EXPECT_EQ(observer_.counts().rewinds, 1);
    return true;
  }));
  ASSERT_TRUE(harness_->Until([&] { return observer_.counts().rewinds == 1 && observer_.listed(); }));
  EXPECT_FALSE(observer_.Has(Key("lost"), "1"));
  ExpectCaughtUp(harness_->Put(Key("c"), "1"));
}

TEST_P(StoreClientConformanceTest, SeveralFollowsAreIndependent) {
  RecordingObserver nodes("/registry/nodes/");
  auto follow_nodes = client().Follow({.prefix = "/registry/nodes/", .name = "nodes"}, &nodes);
  FollowAndList();
  ASSERT_TRUE(harness_->Until([&] { return nodes.listed(); }));
  harness_->Txn({{Key("a"), "1"}, {kOther, "1"}});
  ASSERT_TRUE(harness_->Until([&] { return observer_.Has(Key("a"), "1") && nodes.Has(kOther, "1"); }));
  follow_nodes.reset();
  harness_->Put(kOther, "2");
  ExpectCaughtUp(harness_->Put(Key("a"), "2"));
  EXPECT_TRUE(nodes.Has(kOther, "1")) << "nothing comes after the handle";
}

TEST_P(StoreClientConformanceTest, HandleMayGoAtAnyMoment) {
  for (int i = 0; i < 300; i += 50) {
    std::vector<MemoryStore::Write> writes;
    for (int k = i; k < i + 50; ++k) writes.push_back({Key(absl::StrCat("k", k)), std::string(1000, 'x')});
    harness_->Txn(writes);
  }
  for (int calls = 0; calls < 6; ++calls) {
    RecordingObserver observer(kPrefix);
    auto follow = client().Follow({.prefix = kPrefix, .name = "pods"}, &observer);
    follow->RequestProgress();
    int polls = 0;
    harness_->Until([&] { return ++polls > calls; });
    follow.reset();
  }
}

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_STORE_CLIENT_CONFORMANCE_H_
