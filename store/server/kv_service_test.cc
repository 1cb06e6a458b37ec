#include "store/server/kv_service.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "proto/rpc.pb.h"
#include "store/server/maintenance_service.h"
#include "store/server/service_fixture.h"

namespace tidemark::store {
namespace {

using etcdserverpb::CompactionRequest;
using etcdserverpb::CompactionResponse;
using etcdserverpb::DeleteRangeRequest;
using etcdserverpb::DeleteRangeResponse;
using etcdserverpb::PutRequest;
using etcdserverpb::PutResponse;
using etcdserverpb::RangeRequest;
using etcdserverpb::RangeResponse;
using etcdserverpb::TxnRequest;
using etcdserverpb::TxnResponse;

PutRequest MakePut(const std::string& key, const std::string& value) {
  PutRequest request;
  request.set_key(key);
  request.set_value(value);
  return request;
}

RangeRequest MakeRange(const std::string& key, int64_t revision = 0) {
  RangeRequest request;
  request.set_key(key);
  request.set_revision(revision);
  return request;
}

class KvServiceTest : public ServiceTest {
 protected:
  explicit KvServiceTest(int64_t quota_bytes = int64_t{1} << 30)
      : ServiceTest(quota_bytes), kv_(parts_, compactor_.get()) {}

  FakeCall Put(const PutRequest& request) { return Call(kv_, &KvService::Put, request); }
  FakeCall Range(const RangeRequest& request) { return Call(kv_, &KvService::Range, request); }
  FakeCall Txn(const TxnRequest& request) { return Call(kv_, &KvService::Txn, request); }

  KvService kv_;
};

TEST_F(KvServiceTest, PutIsAnsweredWithItsRevisionAndReadBack) {
  const auto put = Put(MakePut("a", "1")).As<PutResponse>();
  EXPECT_EQ(put.header().cluster_id(), 11u);
  EXPECT_EQ(put.header().member_id(), 22u);
  EXPECT_EQ(put.header().revision(), 2);
  EXPECT_EQ(put.header().raft_term(), 7u);
  Put(MakePut("b", "2"));
  const auto range = Range(MakeRange("a")).As<RangeResponse>();
  EXPECT_EQ(range.header().revision(), 3);  // the store's, not the key's
  EXPECT_EQ(range.header().cluster_id(), 11u);
  ASSERT_EQ(range.kvs_size(), 1);
  EXPECT_EQ(range.kvs(0).value(), "1");
  EXPECT_EQ(range.kvs(0).mod_revision(), 2);
  EXPECT_EQ(range.count(), 1);
}

// Nothing is acknowledged before it is in the log, nor while it is not applied.
TEST_F(KvServiceTest, PutIsNotAnsweredBeforeItsEntryIsWritten) {
  FakeCall call;
  kv_.Put(MakePut("a", "1").SerializeAsString(), Reply(&call));
  EXPECT_EQ(call.answers, 0);
  EXPECT_EQ(disk_.last(), raft::LogIndex(0));
  executor_.RunUntilIdle();
  EXPECT_EQ(call.answers, 1);
  EXPECT_EQ(disk_.last(), raft::LogIndex(1));
}

TEST_F(KvServiceTest, LinearizableReadWaitsForItsBarrierAndASerializableOneDoesNot) {
  FakeCall linearizable;
  kv_.Range(MakeRange("a").SerializeAsString(), Reply(&linearizable));
  EXPECT_EQ(linearizable.answers, 0);
  RangeRequest request = MakeRange("a");
  request.set_serializable(true);
  FakeCall serializable;
  kv_.Range(request.SerializeAsString(), Reply(&serializable));
  EXPECT_EQ(serializable.answers, 1);
  executor_.RunUntilIdle();
  EXPECT_EQ(linearizable.answers, 1);
}

TEST_F(KvServiceTest, DeleteAnswersHowMany) {
  Put(MakePut("a", "1"));
  DeleteRangeRequest request;
  request.set_key("a");
  request.set_prev_kv(true);
  const auto first = Call(kv_, &KvService::DeleteRange, request).As<DeleteRangeResponse>();
  EXPECT_EQ(first.deleted(), 1);
  EXPECT_EQ(first.header().revision(), 3);
  ASSERT_EQ(first.prev_kvs_size(), 1);
  const auto second = Call(kv_, &KvService::DeleteRange, request).As<DeleteRangeResponse>();
  EXPECT_EQ(second.deleted(), 0);
  EXPECT_EQ(second.header().revision(), 3);
}

TEST_F(KvServiceTest, TxnComparesAndWrites) {
  TxnRequest request;
  auto* compare = request.add_compare();
  compare->set_target(etcdserverpb::Compare::MOD);
  compare->set_key("a");
  *request.add_success()->mutable_request_put() = MakePut("a", "1");
  *request.add_failure()->mutable_request_range() = MakeRange("a");
  const auto first = Txn(request).As<TxnResponse>();
  EXPECT_TRUE(first.succeeded());
  EXPECT_EQ(first.header().revision(), 2);
  EXPECT_EQ(first.header().raft_term(), 7u);
  const auto second = Txn(request).As<TxnResponse>();
  EXPECT_FALSE(second.succeeded());
  EXPECT_EQ(second.header().revision(), 2);
  EXPECT_EQ(second.responses(0).response_range().kvs(0).value(), "1");
}

TEST_F(KvServiceTest, ReadOnlyTxnMakesNoEntry) {
  Put(MakePut("a", "1"));
  TxnRequest request;
  *request.add_success()->mutable_request_range() = MakeRange("a");
  const auto response = Txn(request).As<TxnResponse>();
  EXPECT_TRUE(response.succeeded());
  EXPECT_EQ(response.header().revision(), 2);
  EXPECT_EQ(response.responses(0).response_range().kvs(0).value(), "1");
  EXPECT_EQ(disk_.last(), raft::LogIndex(1));
}

TEST_F(KvServiceTest, RefusalsHaveEtcdsCodesAndTexts) {
  for (int i = 0; i < 5; ++i) Put(MakePut("a", absl::StrCat(i)));  // revisions 2 to 6
  CompactionRequest compaction;
  compaction.set_revision(4);
  EXPECT_EQ(Call(kv_, &KvService::Compact, compaction).Error(), "");

  EXPECT_EQ(Put(MakePut("", "1")).Error(), "3 etcdserver: key is not provided");
  EXPECT_EQ(Put(MakePut("a", std::string(1 << 20, 'x'))).Error(), "3 etcdserver: request is too large");
  PutRequest leased = MakePut("a", "1");
  leased.set_lease(99);
  EXPECT_EQ(Put(leased).Error(), "5 etcdserver: requested lease not found");
  PutRequest ignoring = MakePut("none", "");
  ignoring.set_ignore_value(true);
  EXPECT_EQ(Put(ignoring).Error(), "3 etcdserver: key not found");
  ignoring.set_value("x");
  EXPECT_EQ(Put(ignoring).Error(), "3 etcdserver: value is provided");
  EXPECT_EQ(Range(MakeRange("")).Error(), "3 etcdserver: key is not provided");
  EXPECT_EQ(Range(MakeRange("a", 3)).Error(), "11 etcdserver: mvcc: required revision has been compacted");
  EXPECT_EQ(Range(MakeRange("a", 4)).Error(), "");
  EXPECT_EQ(Range(MakeRange("a", 7)).Error(), "11 etcdserver: mvcc: required revision is a future revision");
  EXPECT_EQ(Call(kv_, &KvService::Compact, compaction).Error(),
            "11 etcdserver: mvcc: required revision has been compacted");
  compaction.set_revision(7);
  EXPECT_EQ(Call(kv_, &KvService::Compact, compaction).Error(),
            "11 etcdserver: mvcc: required revision is a future revision");
  RangeRequest sorted = MakeRange("a");
  sorted.set_sort_order(static_cast<RangeRequest::SortOrder>(9));
  EXPECT_EQ(Range(sorted).Error(), "3 etcdserver: invalid sort option");

  TxnRequest twice;
  *twice.add_success()->mutable_request_put() = MakePut("a", "1");
  *twice.add_success()->mutable_request_put() = MakePut("a", "2");
  EXPECT_EQ(Txn(twice).Error(), "3 etcdserver: duplicate key given in txn request");
  TxnRequest many;
  for (int i = 0; i < 129; ++i) *many.add_success()->mutable_request_put() = MakePut(absl::StrCat(i), "");
  EXPECT_EQ(Txn(many).Error(), "3 etcdserver: too many operations in txn request");
  EXPECT_EQ(disk_.last(), raft::LogIndex(10));  // only what passed the checks was proposed
}

TEST_F(KvServiceTest, BytesThatAreNoRequestAreRefused) {
  FakeCall call;
  kv_.Put("\xff\xff", Reply(&call));
  EXPECT_EQ(call.Error(), "3 the request cannot be parsed");
}

TEST_F(KvServiceTest, PhysicalCompactionIsAnsweredWhenItIsDone) {
  for (int i = 0; i < 5; ++i) Put(MakePut("a", absl::StrCat(i)));
  CompactionRequest request;
  request.set_revision(5);
  request.set_physical(true);
  FakeCall call;
  kv_.Compact(request.SerializeAsString(), Reply(&call));
  executor_.RunFor(absl::Seconds(1));
  EXPECT_EQ(call.answers, 1);
  EXPECT_EQ(call.Error(), "");
  EXPECT_EQ(state_->store().compacted_physically(), Revision(5));
}

TEST_F(KvServiceTest, FailedLogIsReportedAndReadsGoOn) {
  Put(MakePut("a", "1"));
  log_.FailWrites();
  EXPECT_EQ(Put(MakePut("a", "2")).Error(), "14 injected failure");
  EXPECT_EQ(Range(MakeRange("a")).As<RangeResponse>().kvs(0).value(), "1");
}

TEST_F(KvServiceTest, WritesThatTheStateCannotTakeStayOutOfTheLog) {
  Put(MakePut("a", "1"));
  // In the log before the commit fails: it comes true at the next start, so its refusal leaves that open.
  FakeCall under_way;
  kv_.Put(MakePut("a", "2").SerializeAsString(), Reply(&under_way));
  engine_.FailNextCommit(/*takes_effect=*/false);
  EXPECT_FALSE(state_->Commit().ok());
  executor_.RunUntilIdle();
  EXPECT_EQ(under_way.Error(), "14 injected: the commit failed");
  const size_t logged = disk_.operations.size();
  EXPECT_EQ(Put(MakePut("a", "3")).Error(), "14 injected: the commit failed");
  EXPECT_EQ(disk_.operations.size(), logged);
  EXPECT_EQ(metrics_.proposals_pending.Value(), 0);
  EXPECT_EQ(KindOf(state_->health()), ErrorKind::kStoreUnavailable);
  EXPECT_EQ(Range(MakeRange("a")).As<RangeResponse>().kvs(0).value(), "1");
}

TEST_F(KvServiceTest, ProposalsAreCountedWhilePendingAndWhenFailed) {
  FakeCall call;
  kv_.Put(MakePut("a", "1").SerializeAsString(), Reply(&call));
  EXPECT_EQ(metrics_.proposals_pending.Value(), 1);
  executor_.RunUntilIdle();
  EXPECT_EQ(call.answers, 1);
  EXPECT_EQ(metrics_.proposals_pending.Value(), 0);
  EXPECT_EQ(metrics_.proposals_failed.Value(), 0);
  log_.FailWrites();
  Put(MakePut("a", "2"));
  EXPECT_EQ(metrics_.proposals_pending.Value(), 0);
  EXPECT_EQ(metrics_.proposals_failed.Value(), 1);
}

TEST_F(KvServiceTest, StoppedLogIsReported) {
  log_.Stop();
  EXPECT_EQ(Put(MakePut("a", "2")).Error(), "14 etcdserver: server stopped");
  EXPECT_EQ(Range(MakeRange("a")).Error(), "14 etcdserver: server stopped");
}

TEST_F(KvServiceTest, DroppedReplyIsAnswered) {
  FakeCall call;
  { const Reply reply(&call); }
  EXPECT_EQ(call.Error(), "14 etcdserver: server stopped");
}

// The engine in memory counts what was committed.
class SmallQuotaTest : public KvServiceTest {
 protected:
  SmallQuotaTest() : KvServiceTest(/*quota_bytes=*/4000) {}

  void Refresh() {
    EXPECT_TRUE(state_->Commit().ok());
    quota_->Refresh();
  }
};

TEST_F(SmallQuotaTest, WritesThatOutgrowItAreRefusedAndRaiseTheAlarm) {
  EXPECT_EQ(Put(MakePut("a", std::string(3000, 'x'))).Error(), "");
  Refresh();
  EXPECT_EQ(Put(MakePut("b", std::string(3000, 'x'))).Error(), "8 etcdserver: mvcc: database space exceeded");
  EXPECT_TRUE(state_->alarms().IsActive(mvcc::AlarmKind::kNoSpace));
  // With the alarm nothing is put, however small; deleting goes on.
  EXPECT_EQ(Put(MakePut("c", "")).Error(), "8 etcdserver: mvcc: database space exceeded");
  TxnRequest txn;
  *txn.add_success()->mutable_request_put() = MakePut("c", "");
  EXPECT_EQ(Txn(txn).Error(), "8 etcdserver: mvcc: database space exceeded");
  DeleteRangeRequest deletion;
  deletion.set_key("a");
  EXPECT_EQ(Call(kv_, &KvService::DeleteRange, deletion).Error(), "");
}

TEST_F(SmallQuotaTest, DisarmingTakesTheSizeAnew) {
  Put(MakePut("a", std::string(3000, 'x')));
  Refresh();
  Put(MakePut("b", std::string(3000, 'x')));
  ASSERT_TRUE(state_->alarms().IsActive(mvcc::AlarmKind::kNoSpace));
  DeleteRangeRequest deletion;
  deletion.set_key("a");
  Call(kv_, &KvService::DeleteRange, deletion);
  CompactionRequest compaction;
  compaction.set_revision(state_->store().current_revision().value());
  compaction.set_physical(true);
  EXPECT_EQ(Call(kv_, &KvService::Compact, compaction).Error(), "");
  MaintenanceService maintenance(parts_, &engine_);
  etcdserverpb::AlarmRequest disarm;
  disarm.set_action(etcdserverpb::AlarmRequest::DEACTIVATE);
  disarm.set_memberid(22);
  disarm.set_alarm(etcdserverpb::NOSPACE);
  EXPECT_EQ(Call(maintenance, &MaintenanceService::Alarm, disarm).Error(), "");
  EXPECT_EQ(Put(MakePut("b", std::string(3000, 'x'))).Error(), "");
}

TEST(QuotaTest, CostIsThatOfTheDearerBranch) {
  EXPECT_EQ(CostOf(MakePut("key", "value")), 256 + 3 + 5);
  TxnRequest txn;
  EXPECT_EQ(CostOf(txn), 0);
  *txn.add_success()->mutable_request_range() = MakeRange("a");
  EXPECT_EQ(CostOf(txn), 0);
  *txn.add_success()->mutable_request_put() = MakePut("a", "1");
  *txn.add_failure()->mutable_request_txn()->add_success()->mutable_request_put() = MakePut("a", "123");
  EXPECT_EQ(CostOf(txn), 256 + 1 + 3);
}

}  // namespace
}  // namespace tidemark::store
