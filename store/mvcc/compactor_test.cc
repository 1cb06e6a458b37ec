#include "store/mvcc/compactor.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/mvcc/store_meta.h"
#include "store/mvcc/test_store.h"

namespace tidemark::mvcc {
namespace {

// The compaction that the engine knows to be finished.
Revision FinishedOnDisk(TestStore* store) {
  const auto snapshot = store->memory().NewSnapshot();
  const auto row = snapshot->Get(kv::Table::kMeta, kFinishedCompactKey);
  return row.has_value() ? DecodeRevision(kv::MakeBytes(std::string(*row))) : Revision();
}

// Writes one key so often, and commits a compaction of all of it but the newest.
void CompactOneKey(TestStore* store, int changes) {
  for (int i = 0; i < changes; ++i) store->Put("/a", absl::StrCat(i));
  ASSERT_TRUE(store->Compact(store->store().current_revision().value()).ok());
  ASSERT_TRUE(store->state().Commit().ok());
}

TEST(CompactorTest, DeletesReachTheDiskThoughNobodyWaitsAndNothingIsWritten) {
  TestStore store;
  CompactOneKey(&store, 500);
  Compactor compactor(&store.store(), &store.executor());
  compactor.Wake();
  store.executor().RunFor(absl::Seconds(1));
  EXPECT_EQ(FinishedOnDisk(&store), store.store().current_revision());
  EXPECT_TRUE(store.store().buffer().empty());
}

TEST(CompactorTest, LongCompactionCommitsOnItsWay) {
  TestStore store;
  CompactOneKey(&store, static_cast<int>(kv::kCommitOpsMax) + 3000);
  const int64_t commits = store.memory().commits();
  Compactor compactor(&store.store(), &store.executor());
  compactor.Wake();
  store.executor().RunFor(absl::Minutes(1));
  EXPECT_EQ(FinishedOnDisk(&store), store.store().current_revision());
  EXPECT_EQ(store.memory().commits() - commits, 2);
}

TEST(CompactorTest, FailedCommitIsNoDone) {
  TestStore store;
  CompactOneKey(&store, 10);
  Compactor compactor(&store.store(), &store.executor());
  store.memory().FailNextCommit(/*takes_effect=*/false);
  auto alive = std::make_shared<int>();
  const std::weak_ptr<int> waits = alive;
  bool called = false;
  compactor.WhenDone(store.store().current_revision(), [&called, alive = std::move(alive)] { called = true; });
  store.executor().RunFor(absl::Seconds(1));
  EXPECT_FALSE(called);
  EXPECT_TRUE(waits.expired());
}

}  // namespace
}  // namespace tidemark::mvcc
