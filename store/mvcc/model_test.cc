// The store against the model, operation by operation, over random runs with compactions, crashes and failing commits.
#include <string>

#include "absl/strings/str_cat.h"
#include "base/test_seed.h"
#include "gtest/gtest.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/model_store.h"
#include "store/mvcc/random_requests.h"
#include "store/mvcc/request_check.h"
#include "store/mvcc/test_store.h"

namespace tidemark::mvcc {
namespace {

class ModelTest : public ::testing::TestWithParam<EngineUnderTest> {
 protected:
  ModelTest() : seed_(TestSeed()), store_(GetParam(), {.store = {.compaction_batch = 3}}), requests_(seed_) {}

  void CheckRange(const etcdserverpb::RangeRequest& request) {
    etcdserverpb::RangeResponse response;
    const absl::Status status = store_.store().Range(request, &response);
    if (request.revision() > model_.revision()) {
      ASSERT_EQ(status, StoreStatus(StoreError::kFutureRevision, Revision(model_.revision())));
      return;
    }
    if (request.revision() > 0 && request.revision() < model_.compacted()) {
      ASSERT_EQ(status, StoreStatus(StoreError::kCompacted, Revision(model_.compacted())));
      return;
    }
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(response.DebugString(), model_.Range(request).DebugString()) << request.DebugString();

    std::string wire;
    const absl::StatusOr<Revision> revision = store_.store().RangeEncoded(request, &wire);
    ASSERT_TRUE(revision.ok());
    etcdserverpb::RangeResponse decoded;
    ASSERT_TRUE(decoded.ParseFromString(wire));
    decoded.mutable_header()->set_revision(revision->value());
    ASSERT_EQ(decoded.DebugString(), response.DebugString());
  }

  template <typename Response>
  void CheckAnswer(const CommandResult& result, const Response& expected) {
    ASSERT_TRUE(result.status.ok()) << result.status;
    ASSERT_EQ(result.revision.value(), model_.revision());
    ASSERT_EQ(std::get<Response>(result.response).DebugString(), expected.DebugString());
  }

  void WriteSomething() {
    switch (requests_.Below(4)) {
      case 0: {
        const auto request = requests_.Delete();
        CheckAnswer(store_.Apply(request), model_.DeleteRange(request));
        return;
      }
      case 1: {
        const auto request = requests_.Txn(model_.revision());
        const absl::Status check = CheckTxn(request, 128);
        const CommandResult result = store_.Apply(request);
        if (check.ok()) {
          CheckAnswer(result, model_.Txn(request));
        } else {
          ASSERT_EQ(result.status, check);
          ASSERT_EQ(result.revision.value(), model_.revision());
        }
        return;
      }
      default: {
        const auto request = requests_.Put();
        CheckAnswer(store_.Apply(request), model_.Put(request));
      }
    }
  }

  void CompactSomewhere() {
    const int64_t revision = requests_.Below(static_cast<int>(model_.revision()) + 2);
    const absl::Status status = store_.Compact(revision);
    ASSERT_EQ(model_.Compact(revision), status.ok()) << status;
  }

  // Every revision that may still be read.
  void CheckHistory() {
    for (int64_t revision = std::max<int64_t>(1, model_.compacted()); revision <= model_.revision(); ++revision) {
      etcdserverpb::RangeRequest request;
      request.set_key(std::string(1, '\0'));
      request.set_range_end(std::string(1, '\0'));
      request.set_revision(revision);
      CheckRange(request);
      if (HasFatalFailure()) return;
    }
    store_.store().CheckInvariants();
  }

  const uint32_t seed_;
  TestStore store_;
  RandomRequests requests_;
  ModelStore model_;
};

TEST_P(ModelTest, RandomRunMatches) {
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed_));
  for (int step = 0; step < 3000 && !HasFatalFailure(); ++step) {
    WriteSomething();
    if (HasFatalFailure()) return;
    for (int i = 0; i < 3; ++i) {
      auto request = requests_.Range(model_.revision());
      request.set_revision(requests_.Revision(model_.revision()));
      CheckRange(request);
      if (HasFatalFailure()) return;
    }
    if (requests_.OneIn(4)) store_.store().CompactionStep();
    if (requests_.OneIn(20)) {
      ASSERT_TRUE(store_.state().Commit().ok());
    }
    if (requests_.OneIn(60)) CompactSomewhere();
    if (requests_.OneIn(150)) store_.CrashAndReplay();
    if (requests_.OneIn(150)) CheckHistory();
  }
  store_.CompactPhysically();
  CheckHistory();
}

TEST_P(ModelTest, ReadOnlyTransactionsMatch) {
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed_));
  for (int step = 0; step < 300 && !HasFatalFailure(); ++step) {
    WriteSomething();
    etcdserverpb::TxnRequest request;
    for (int i = requests_.Below(3); i > 0; --i) *request.add_compare() = requests_.Compare(model_.revision());
    for (int i = requests_.Below(3); i > 0; --i) {
      *request.add_success()->mutable_request_range() = requests_.Range(model_.revision());
      *request.add_failure()->mutable_request_range() = requests_.Range(model_.revision());
    }
    etcdserverpb::TxnResponse response;
    ASSERT_TRUE(store_.state().ReadTxn(request, &response).ok());
    ASSERT_EQ(response.DebugString(), model_.Txn(request).DebugString());
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, ModelTest, ::testing::Values(EngineUnderTest::kMemory, EngineUnderTest::kLmdb),
                         EngineName);

TEST(ModelCrashTest, FailingCommitsLoseNothingThatTheLogHas) {
  const uint32_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  TestStore store(EngineUnderTest::kMemory, {.store = {.compaction_batch = 3}});
  RandomRequests requests(seed);
  ModelStore model;
  for (int step = 0; step < 2000; ++step) {
    const auto request = requests.Put();
    model.Put(request);
    ASSERT_TRUE(store.Apply(request).status.ok());
    if (requests.OneIn(40)) {
      const int64_t revision = requests.Below(static_cast<int>(model.revision()));
      ASSERT_EQ(model.Compact(revision), store.Compact(revision).ok());
    }
    if (requests.OneIn(3)) store.store().CompactionStep();
    if (!requests.OneIn(10)) continue;
    const bool fails = requests.OneIn(2);
    if (fails) store.memory().FailNextCommit(/*takes_effect=*/requests.OneIn(2));
    ASSERT_EQ(store.state().Commit().ok(), !fails);
    if (fails) {
      // Readers still see all of it; the writer is refused until the restart.
      ASSERT_EQ(store.store().current_revision().value(), model.revision());
      Command command;
      command.request = request;
      ASSERT_FALSE(store.state().Apply(store.log_size() + 1, 3, command).status.ok());
    }
    if (fails || requests.OneIn(2)) store.CrashAndReplay();
    ASSERT_EQ(store.store().current_revision().value(), model.revision());
    etcdserverpb::RangeRequest all;
    all.set_key("/");
    all.set_range_end("0");
    etcdserverpb::RangeResponse response;
    ASSERT_TRUE(store.store().Range(all, &response).ok());
    ASSERT_EQ(response.DebugString(), model.Range(all).DebugString());
    store.store().CheckInvariants();
  }
}

}  // namespace
}  // namespace tidemark::mvcc
