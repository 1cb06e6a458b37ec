#include "store/mvcc/mvcc_store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "gtest/gtest.h"
#include "store/mvcc/compactor.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/record.h"
#include "store/mvcc/test_store.h"
#include "store/mvcc/write_txn.h"

namespace tidemark::mvcc {
namespace {

// The changes in the engine's table: "2.0 3.0t".
std::string Table(TestStore* store) {
  std::string text;
  store->store().buffer().Scan(kv::Table::kKey, "", "", [&](absl::string_view key, absl::string_view) {
    const DecodedRevisionKey decoded = DecodeRevisionKey(key);
    absl::StrAppend(&text, text.empty() ? "" : " ", decoded.change.main, ".", decoded.change.sub,
                    decoded.tombstone ? "t" : "");
    return true;
  });
  return text;
}

int64_t Records(TestStore* store) {
  const std::string table = Table(store);
  return 1 + std::count(table.begin(), table.end(), ' ');
}

TEST(MvccStoreTest, RevisionRisesWithEffectiveWritesOnly) {
  TestStore store;
  EXPECT_EQ(store.store().current_revision(), Revision(1));
  EXPECT_EQ(store.Put("/a", "1"), Revision(2));
  EXPECT_EQ(store.Delete("/missing"), Revision(2));
  EXPECT_EQ(store.Put("/b", "2"), Revision(3));
  EXPECT_EQ(store.Delete("/a", "/c"), Revision(4));
  EXPECT_EQ(Table(&store), "2.0 3.0 4.0t 4.1t");
  EXPECT_EQ(store.Text("/a", "/c", 3), "/a=1 /b=2");
  EXPECT_EQ(store.Text("/a", "/c"), "");
}

TEST(MvccStoreTest, CompactRefusesWhatEtcdRefuses) {
  TestStore store;
  store.Put("/a", "1");
  store.Put("/a", "2");
  EXPECT_EQ(store.Compact(4), StoreStatus(StoreError::kFutureRevision, Revision(3)));
  EXPECT_EQ(store.Compact(-1), StoreStatus(StoreError::kCompacted, Revision(0)));
  EXPECT_TRUE(store.Compact(0).ok());  // once, and without effect
  EXPECT_TRUE(store.Compact(3).ok());
  EXPECT_EQ(store.Compact(3), StoreStatus(StoreError::kCompacted, Revision(3)));
  EXPECT_EQ(store.Compact(0), StoreStatus(StoreError::kCompacted, Revision(3)));
  EXPECT_EQ(store.Text("/a", "", 3), "/a=2");
  EXPECT_EQ(store.Text("/a", "", 2), "etcdserver: mvcc: required revision has been compacted");
  EXPECT_EQ(store.Text("/a", "", 4), "etcdserver: mvcc: required revision is a future revision");
}

TEST(MvccStoreTest, CompactionKeepsTheTombstoneAtItsRevision) {
  TestStore store;
  store.Put("/a", "1");
  store.Put("/b", "1");
  store.Delete("/a");  // 4
  store.Put("/b", "2");
  ASSERT_TRUE(store.Compact(4).ok());
  store.CompactPhysically();
  EXPECT_EQ(Table(&store), "3.0 4.0t 5.0");
  ASSERT_TRUE(store.Compact(5).ok());
  store.CompactPhysically();
  EXPECT_EQ(Table(&store), "5.0");
}

TEST(MvccStoreTest, RevisionSurvivesTheCompactionOfTheNewestChange) {
  TestStore store;
  store.Put("/a", "1");
  store.Delete("/a");
  store.Put("/b", "1");
  store.Delete("/b");  // 5
  ASSERT_TRUE(store.Compact(5).ok());
  store.CompactPhysically();
  ASSERT_TRUE(store.state().Commit().ok());
  store.Reopen();
  EXPECT_EQ(store.store().current_revision(), Revision(5));
  EXPECT_EQ(store.store().compact_revision(), Revision(5));
  EXPECT_EQ(store.Put("/c", "1"), Revision(6));
}

TEST(MvccStoreTest, InterruptedCompactionGoesOnAfterARestart) {
  TestStore store(EngineUnderTest::kMemory, {.store = {.compaction_batch = 1}});
  // More keys than one step looks at.
  constexpr int kKeys = 3 * kIndexKeysPerLock;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kKeys; ++i) store.Put(absl::StrCat("/", i), absl::StrCat(round));
  }
  const Revision last = store.store().current_revision();
  ASSERT_TRUE(store.Compact(last.value()).ok());
  ASSERT_TRUE(store.store().CompactionStep());
  ASSERT_TRUE(store.state().Commit().ok());
  store.Reopen();
  EXPECT_EQ(store.store().compact_revision(), last);
  EXPECT_TRUE(store.store().compacted_physically().is_none());
  store.CompactPhysically();
  EXPECT_EQ(store.store().compacted_physically(), last);
  int records = 0;
  store.store().buffer().Scan(kv::Table::kKey, "", "", [&](absl::string_view key, absl::string_view) {
    EXPECT_GT(DecodeRevisionKey(key).change.main, kKeys + 1);
    return ++records > 0;
  });
  EXPECT_EQ(records, kKeys);
}

TEST(MvccStoreTest, HotKeyIsCompactedInStepsThatACrashMayPart) {
  TestStore store;  // 1000 changes a step
  for (int i = 0; i < 5000; ++i) store.Put("/hot", absl::StrCat(i));
  store.Delete("/hot");
  store.Put("/hot", "reborn");
  store.Put("/hot", "alive");
  const int64_t last = store.store().current_revision().value();
  ASSERT_TRUE(store.Compact(last).ok());
  for (int crash = 0; crash < 4; ++crash) {
    const int64_t before = Records(&store);
    ASSERT_TRUE(store.store().CompactionStep());
    EXPECT_LT(Records(&store), before);
    EXPECT_GT(Records(&store), before - 1500);
    ASSERT_TRUE(store.state().Commit().ok());
    store.Reopen();
    store.store().CheckInvariants();
    EXPECT_EQ(store.Text("/hot"), "/hot=alive");
    EXPECT_TRUE(store.store().compacted_physically().is_none());
  }
  store.CompactPhysically();
  EXPECT_EQ(Table(&store), absl::StrCat(last, ".0"));
  EXPECT_EQ(store.store().compacted_physically(), Revision(last));
}

TEST(MvccStoreTest, HotKeyChangesBetweenTheStepsOfItsCompaction) {
  TestStore store(EngineUnderTest::kMemory, {.store = {.compaction_batch = 1}});
  for (int i = 0; i < 1000; ++i) store.Put("/hot", absl::StrCat(i));
  store.Delete("/hot");
  const int64_t last = store.store().current_revision().value();
  ASSERT_TRUE(store.Compact(last).ok());
  int steps = 0;
  for (int64_t before = Records(&store); store.store().CompactionStep(); ++steps) {
    EXPECT_GE(Records(&store), before - static_cast<int64_t>(kDeletesPerLock));
    EXPECT_EQ(store.Text("/hot", "", last), "");
    store.Put("/hot", absl::StrCat("reborn ", steps));
    EXPECT_EQ(store.Text("/hot"), absl::StrCat("/hot=reborn ", steps));
    before = Records(&store);
  }
  EXPECT_GE(steps, 3);
  EXPECT_EQ(store.store().compacted_physically(), Revision(last));
  EXPECT_EQ(Records(&store), 1 + steps) << "the tombstone at the revision, and what came since";
  store.store().CheckInvariants();
}

TEST(MvccStoreTest, SecondCompactionWhileOneRunsIsWorkedOffToo) {
  TestStore store(EngineUnderTest::kMemory, {.store = {.compaction_batch = 1}});
  for (int i = 0; i < 2 * static_cast<int>(kIndexKeysPerLock); ++i) store.Put(absl::StrCat("/", i), "1");
  store.Put("/0", "2");
  store.Put("/0", "3");
  const int64_t last = store.store().current_revision().value();
  ASSERT_TRUE(store.Compact(last - 1).ok());
  ASSERT_TRUE(store.store().CompactionStep());
  ASSERT_TRUE(store.Compact(last).ok());
  store.CompactPhysically();
  EXPECT_EQ(store.store().compacted_physically(), Revision(last));
  EXPECT_EQ(Table(&store).substr(0, 3), "3.0");
}

TEST(MvccStoreTest, HashAgreesHoweverFarCompactionHasCome) {
  TestStore fast, slow;
  for (TestStore* store : {&fast, &slow}) {
    for (int i = 0; i < 40; ++i) store->Put(absl::StrCat("/", i % 7), absl::StrCat(i));
    store->Delete("/3");
    store->Put("/1", "x");
    store->Delete("/2");
    ASSERT_TRUE(store->Compact(42).ok());
  }
  fast.CompactPhysically();
  for (int64_t revision = 42; revision <= 44; ++revision) {
    const auto left = fast.store().HashKv(Revision(revision)), right = slow.store().HashKv(Revision(revision));
    ASSERT_TRUE(left.ok() && right.ok());
    EXPECT_EQ(left->hash, right->hash) << revision;
    EXPECT_EQ(left->compact_revision, 42);
  }
  for (TestStore* store : {&fast, &slow}) store->Delete("/", "0");  // nothing is alive
  EXPECT_EQ(fast.store().HashKv(Revision())->hash, slow.store().HashKv(Revision())->hash);
  EXPECT_TRUE(IsCompacted(fast.store().HashKv(Revision(41)).status()));
  EXPECT_EQ(KindOf(fast.store().HashKv(Revision(46)).status()), ErrorKind::kFutureRevision);
  slow.Put("/1", "y");
  EXPECT_NE(slow.store().HashKv(Revision())->hash, fast.store().HashKv(Revision())->hash);
}

TEST(MvccStoreTest, PagesOfOneRevisionCountWhatIsLeft) {
  TestStore store;
  for (int i = 0; i < 1000; ++i) store.Put(absl::StrCat("/", 1000 + i), "v");
  etcdserverpb::RangeRequest request;
  request.set_key("/");
  request.set_range_end("0");
  request.set_revision(store.store().current_revision().value());
  request.set_limit(70);
  for (int left = 1000; left > 0; left -= 70) {
    for (int again = 0; again < 2; ++again) {
      etcdserverpb::RangeResponse page;
      ASSERT_TRUE(store.store().Range(request, &page).ok());
      ASSERT_EQ(page.count(), left);
      ASSERT_EQ(page.kvs_size(), std::min(left, 70));
      ASSERT_EQ(page.more(), left > 70);
      if (again == 1) request.set_key(page.kvs(page.kvs_size() - 1).key() + '\0');
    }
    // Other revisions, and what is written meanwhile, do not disturb it.
    store.Put(absl::StrCat("/", 3000 + left), "v");
    store.Delete(absl::StrCat("/", 1000 + left));
  }
}

TEST(MvccStoreTest, PagesInsideATransactionCountItsWrites) {
  TestStore store;
  for (int i = 0; i < 5; ++i) store.Put(absl::StrCat("/", i), "v");
  const auto write = store.store().BeginWrite();
  etcdserverpb::RangeRequest request;
  request.set_key("/");
  request.set_range_end("0");
  request.set_limit(2);
  for (int count = 6; count < 9; ++count) {
    write->Put(absl::StrCat("/", count), "v", 0);
    etcdserverpb::RangeResponse first, second;
    request.set_key("/");
    ASSERT_TRUE(write->Range(request, &first).ok());
    EXPECT_EQ(first.count(), count);
    request.set_key(first.kvs(1).key() + '\0');
    ASSERT_TRUE(write->Range(request, &second).ok());
    EXPECT_EQ(second.count(), count - 2);
  }
  write->End();
}

TEST(MvccStoreTest, ScanThatACompactionOvertakesSaysSo) {
  TestStore store;
  for (int i = 0; i < 5; ++i) store.Put("/a", absl::StrCat(i));
  bool compacted = false;
  const absl::Status status =
      store.store().ScanChanges(Revision(2), Revision(6), [&](ChangeId, bool, absl::string_view) {
        if (!std::exchange(compacted, true)) {
          EXPECT_TRUE(store.Compact(5).ok());
        }
        store.CompactPhysically();
        return true;
      });
  EXPECT_TRUE(IsCompacted(status)) << status;
}

TEST(MvccStoreTest, DurableIndexFollowsCommits) {
  TestStore store;
  store.Put("/a", "1");
  store.Put("/a", "2");
  EXPECT_EQ(store.state().applied_index(), 2u);
  EXPECT_EQ(store.state().durable_index(), 0u);
  ASSERT_TRUE(store.state().Commit().ok());
  EXPECT_EQ(store.state().durable_index(), 2u);
  store.Put("/a", "3");
  store.Reopen();
  EXPECT_EQ(store.state().applied_index(), 2u);
  EXPECT_EQ(store.store().current_revision(), Revision(3));
}

TEST(MvccStoreTest, KeysGoWithTheCompactionNotWithTheDelete) {
  TestStore store;
  store.Put("/a", "1");
  store.Put("/b", "1");
  store.Put("/b", "2");
  EXPECT_EQ(store.store().keys(), 2u);
  store.Delete("/a");
  store.Put("/b", "3");
  EXPECT_EQ(store.store().keys(), 2u);
  ASSERT_TRUE(store.Compact(store.store().current_revision().value()).ok());
  store.CompactPhysically();
  EXPECT_EQ(store.store().keys(), 1u);
}

TEST(MvccStoreTest, AppliedEntriesAreSkipped) {
  TestStore store;
  store.Put("/a", "1");
  Command command;
  command.request = etcdserverpb::PutRequest();
  std::get<etcdserverpb::PutRequest>(command.request).set_key("/b");
  EXPECT_TRUE(store.state().Apply(1, 3, command).skipped);
  EXPECT_EQ(store.Text("/", "0"), "/a=1");
  const Command* const both[] = {&command, &command};
  const std::vector<CommandResult> results = store.state().Apply(7, 4, both);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].revision, Revision(3));
  EXPECT_EQ(results[1].revision, Revision(4));
  EXPECT_EQ(store.state().applied_index(), 7u);
}

TEST(CompactorTest, CallsBackWhenTheTableIsCompactedAndCommitted) {
  TestStore store;
  for (int i = 0; i < 1000; ++i) store.Put(absl::StrCat("/", i % 500), "v");
  Compactor compactor(&store.store(), &store.executor());
  ASSERT_TRUE(store.Compact(900).ok());
  bool done = false;
  compactor.WhenDone(Revision(900), [&] { done = true; });
  store.executor().RunUntilIdle();
  // The first batch is worked off at once, the rest after a pause.
  store.executor().RunFor(10 * kCompactionPause);
  EXPECT_TRUE(done);
  EXPECT_EQ(store.store().compacted_physically(), Revision(900));
  EXPECT_EQ(store.state().durable_index(), store.log_size());
}

}  // namespace
}  // namespace tidemark::mvcc
