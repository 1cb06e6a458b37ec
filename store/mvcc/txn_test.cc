#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/request_check.h"
#include "store/mvcc/test_store.h"

namespace tidemark::mvcc {
namespace {

using etcdserverpb::TxnRequest;

TxnRequest Parse(const std::string& text) {
  TxnRequest request;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request)) << text;
  return request;
}

std::string Put(const char* key, const char* value = "v") {
  return absl::StrCat("request_put { key: '", key, "' value: '", value, "' }");
}

std::string Success(const std::string& op) { return absl::StrCat("success { ", op, " } "); }
std::string Failure(const std::string& op) { return absl::StrCat("failure { ", op, " } "); }
std::string Delete(const char* key, const char* end) {
  return absl::StrCat("request_delete_range { key: '", key, "' range_end: '", end, "' }");
}
std::string Nested(const std::string& txn) { return absl::StrCat("request_txn { ", txn, " }"); }

TEST(TxnTest, ComparesHoldAsInEtcd) {
  struct Row {
    const char* compare;
    bool holds;
  };
  const Row rows[] = {
      {"key: '/a' target: VERSION version: 2", true},
      {"key: '/a' target: VERSION result: GREATER version: 1", true},
      {"key: '/a' target: CREATE create_revision: 2", true},
      {"key: '/a' target: MOD result: LESS mod_revision: 4", true},
      {"key: '/a' target: VALUE value: 'new'", true},
      {"key: '/a' target: VALUE result: NOT_EQUAL value: 'new'", false},
      {"key: '/a' target: LEASE result: EQUAL lease: 0", true},
      // A missing key counts as zero, but has no value at all.
      {"key: '/x' target: VERSION version: 0", true},
      {"key: '/x' target: MOD result: LESS mod_revision: 1", true},
      {"key: '/x' target: VALUE value: ''", false},
      {"key: '/x' target: VALUE result: NOT_EQUAL value: 'a'", false},
      // A range holds when each of its keys does; an empty one is a missing key.
      {"key: '/a' range_end: '/c' target: VERSION result: GREATER version: 0", true},
      {"key: '/a' range_end: '/c' target: VERSION version: 2", false},
      {"key: '/x' range_end: '/z' target: CREATE create_revision: 0", true},
      {"key: '/x' range_end: '/z' target: VALUE value: ''", false},
      {"key: '/a' range_end: '\\x00' target: MOD result: GREATER mod_revision: 2", true},
      // An operand of another target counts as zero.
      {"key: '/x' target: VERSION value: 'a'", true},
      {"key: '/a' target: VERSION value: 'a'", false},
  };
  for (const Row& row : rows) {
    TestStore store;
    store.Put("/a", "old");
    store.Put("/a", "new");  // 3
    store.Put("/b", "1");    // 4
    const CommandResult result = store.Apply(Parse(absl::StrCat("compare { ", row.compare, " }")));
    ASSERT_TRUE(result.status.ok()) << result.status;
    EXPECT_EQ(std::get<etcdserverpb::TxnResponse>(result.response).succeeded(), row.holds) << row.compare;
    EXPECT_EQ(result.revision, Revision(4));
  }
}

TEST(TxnTest, NestedComparesSeeTheStateBefore) {
  TestStore store;
  const std::string inner =
      "compare { key: '/a' target: VERSION version: 0 } " + Success(Put("/b")) + Failure(Put("/c"));
  const CommandResult result = store.Apply(Parse(Success(Put("/a")) + Success(Nested(inner))));
  ASSERT_TRUE(result.status.ok());
  EXPECT_EQ(store.Text("/", "0"), "/a=v /b=v");
  EXPECT_EQ(result.revision, Revision(2));
}

TEST(TxnTest, ReadsSeeEarlierWritesOfTheSameTransaction) {
  TestStore store;
  store.Put("/a", "old");
  const std::string range = "request_range { key: '/' range_end: '0' }";
  const CommandResult result =
      store.Apply(Parse(Success(range) + Success(Put("/a", "new")) + Success(Put("/b")) + Success(range)));
  const auto& response = std::get<etcdserverpb::TxnResponse>(result.response);
  ASSERT_EQ(response.responses_size(), 4);
  const auto& before = response.responses(0).response_range();
  const auto& after = response.responses(3).response_range();
  EXPECT_EQ(before.header().revision(), 2);
  EXPECT_EQ(before.kvs(0).value(), "old");
  EXPECT_EQ(after.header().revision(), 3);
  ASSERT_EQ(after.kvs_size(), 2);
  EXPECT_EQ(after.kvs(0).value(), "new");
  EXPECT_EQ(after.kvs(1).create_revision(), 3);
  EXPECT_EQ(response.header().revision(), 3);
}

TEST(TxnTest, RefusalsLeaveNothingBehind) {
  struct Row {
    std::string op;
    StoreError error;
  };
  const Row rows[] = {
      {"request_range { key: '/a' revision: 1 }", StoreError::kCompacted},
      {"request_range { key: '/a' revision: 9 }", StoreError::kFutureRevision},
      // The revision that this transaction is about to make does not exist yet.
      {"request_range { key: '/a' revision: 4 }", StoreError::kFutureRevision},
      {"request_put { key: '/b' lease: 7 }", StoreError::kLeaseNotFound},
      {"request_put { key: '/b' ignore_value: true }", StoreError::kKeyNotFound},
      {"request_put { key: '/b' ignore_lease: true }", StoreError::kKeyNotFound},
  };
  for (const Row& row : rows) {
    TestStore store;
    store.Put("/a", "1");
    store.Put("/a", "2");
    ASSERT_TRUE(store.Compact(3).ok());
    for (const std::string& op : {row.op, Nested(Success(row.op))}) {
      const CommandResult result = store.Apply(Parse(Success(Put("/c")) + Success(op)));
      EXPECT_EQ(result.status.message(), StoreStatus(row.error).message()) << op;
      EXPECT_EQ(result.revision, Revision(3));
      EXPECT_EQ(store.Text("/", "0"), "/a=2");
    }
  }
}

TEST(TxnTest, PutAndUnboundedDeleteOfOneKeyGoInOrder) {
  TestStore store;
  store.Put("/a", "old");
  EXPECT_TRUE(store.Apply(Parse(Success(Put("/a")) + Success(Delete("/a", "\\x00")))).status.ok());
  EXPECT_EQ(store.Text("/a"), "");
  EXPECT_TRUE(store.Apply(Parse(Success(Delete("/", "\\x00")) + Success(Put("/a", "new")))).status.ok());
  EXPECT_EQ(store.Text("/a"), "/a=new");
  EXPECT_EQ(store.Text("/a", "", 3), "");
  store.CrashAndReplay();
  EXPECT_EQ(store.Text("/a"), "/a=new");
  store.store().CheckInvariants();
}

TEST(TxnTest, IgnoreFlagsKeepWhatIsStored) {
  TestStore store;
  ASSERT_TRUE(store.Grant(5, 60).ok());
  store.Put("/a", "1", 5);
  ASSERT_TRUE(
      store.Apply(Parse(Success("request_put { key: '/a' ignore_value: true ignore_lease: true }"))).status.ok());
  EXPECT_EQ(store.Text("/a"), "/a=1");
  EXPECT_EQ(store.state().lessor().TimeToLive(5, true)->keys, std::vector<std::string>{"/a"});
  ASSERT_TRUE(store.Apply(Parse(Success("request_put { key: '/a' value: '2' }"))).status.ok());
  EXPECT_TRUE(store.state().lessor().TimeToLive(5, true)->keys.empty());
}

TEST(RequestCheckTest, TransactionsAreRefusedAsInEtcd) {
  constexpr StoreError kDuplicate = StoreError::kDuplicateKey;
  const std::string many = [] {
    std::string text;
    for (int i = 0; i < 129; ++i) text += Success(Put(absl::StrCat("/", i).c_str()));
    return text;
  }();
  struct Row {
    std::string txn;
    std::optional<StoreError> error;
  };
  const Row rows[] = {
      {Success(Put("/a")) + Failure(Put("/a")), std::nullopt},
      {Success(Put("/a")) + Success(Put("/a")), kDuplicate},
      {Failure(Put("/a")) + Failure(Put("/a")), kDuplicate},
      {Success(Put("/b")) + Success(Delete("/a", "/c")), kDuplicate},
      {Success(Put("/c")) + Success(Delete("/a", "/c")), std::nullopt},
      {Success(Put("/c")) + Success(Delete("/a", "\\x00")), std::nullopt},  // etcd's own reading of this end
      {Success(Delete("/a", "/c")) + Success(Delete("/b", "/d")), std::nullopt},
      // The branches of a nested transaction exclude each other, but not what is beside it.
      {Success(Nested(Success(Put("/a")) + Failure(Put("/a")))), std::nullopt},
      {Success(Nested(Failure(Put("/a")))) + Success(Put("/a")), kDuplicate},
      {Success(Delete("/a", "/c")) + Success(Nested(Failure(Put("/b")))), kDuplicate},
      {Success(Put("/b")) + Success(Nested(Success(Delete("/a", "/c")))), kDuplicate},
      {Success(Nested(Success(Delete("/a", "/c")))) + Success(Nested(Success(Put("/b")))), kDuplicate},
      // As in etcd, a delete in a later sibling goes.
      {Success(Nested(Success(Put("/b")))) + Success(Nested(Success(Delete("/a", "/c")))), std::nullopt},
      {Success(Nested(Success(Nested(Success(Put("/a")) + Success(Put("/a")))))), kDuplicate},
      {Success(""), StoreError::kKeyNotFound},
      {Success(Put("")), StoreError::kEmptyKey},
      {Success("request_range { }"), StoreError::kEmptyKey},
      {Success("request_delete_range { }"), StoreError::kEmptyKey},
      {"compare { target: VERSION }", StoreError::kEmptyKey},
      {Success("request_put { key: '/a' value: 'v' ignore_value: true }"), StoreError::kValueProvided},
      {Success("request_put { key: '/a' lease: 1 ignore_lease: true }"), StoreError::kLeaseProvided},
      {many, StoreError::kTooManyOps},
      {Success(Nested(many)), StoreError::kTooManyOps},
  };
  for (const Row& row : rows) {
    const absl::Status expected = row.error.has_value() ? StoreStatus(*row.error) : absl::OkStatus();
    EXPECT_EQ(CheckTxn(Parse(row.txn), 128), expected) << row.txn.substr(0, 200);
  }
}

TEST(RequestCheckTest, ManyPutsBesideManyDeletesAreNotComparedOneByOne) {
  constexpr int kOps = 60'000;
  etcdserverpb::TxnRequest txn;
  for (int i = 0; i < kOps; ++i) {
    txn.add_success()->mutable_request_put()->set_key(absl::StrCat("/put", i));
    txn.add_success()->mutable_request_delete_range()->set_key(absl::StrCat("/del", i));
  }
  // Each put beside each delete would be four billion comparisons: a test that does not end.
  EXPECT_TRUE(CheckTxn(txn, 2 * kOps).ok());
  txn.add_success()->mutable_request_put()->set_key("/del7");
  EXPECT_EQ(CheckTxn(txn, 2 * kOps + 1), StoreStatus(StoreError::kDuplicateKey));
}

TEST(RequestCheckTest, NestingUsesUpTheLimit) {
  std::string txn = Success(Put("/a"));
  for (int depth = 0; depth < 4; ++depth) txn = Success(Nested(txn));
  EXPECT_TRUE(CheckTxn(Parse(txn), 5).ok());
  EXPECT_EQ(CheckTxn(Parse(txn), 4), StoreStatus(StoreError::kTooManyOps));
}

TEST(RequestCheckTest, UnknownSortOptionsAreRefused) {
  etcdserverpb::RangeRequest request;
  request.set_key("/a");
  EXPECT_TRUE(CheckRange(request).ok());
  request.set_sort_order(static_cast<etcdserverpb::RangeRequest::SortOrder>(3));
  EXPECT_EQ(CheckRange(request), StoreStatus(StoreError::kInvalidSortOption));
  request.set_sort_order(etcdserverpb::RangeRequest::NONE);
  request.set_sort_target(static_cast<etcdserverpb::RangeRequest::SortTarget>(5));
  EXPECT_EQ(CheckRange(request), StoreStatus(StoreError::kInvalidSortOption));
}

TEST(RequestCheckTest, OnlyRangesAreReadOnly) {
  const std::string range = "request_range { key: '/a' }",
                    serializable = "request_range { key: '/a' serializable: true }";
  EXPECT_TRUE(IsReadOnly(Parse("")));
  EXPECT_TRUE(IsReadOnly(Parse(Success(range) + Failure(range))));
  EXPECT_FALSE(IsReadOnly(Parse(Success(range) + Failure(Put("/a")))));
  EXPECT_FALSE(IsReadOnly(Parse(Success(Nested(Success(range))))));
  EXPECT_FALSE(IsSerializable(Parse("compare { key: '/a' target: VERSION }")));
  EXPECT_FALSE(IsSerializable(Parse(Success(serializable) + Failure(range))));
  EXPECT_TRUE(IsSerializable(Parse(Success(serializable) + Failure(serializable))));
}

TEST(ErrorsTest, RowsAreInOrderAndHaveEtcdsPrefix) {
  int next = 0;
  for (const StoreErrorRow& row : StoreErrorRows()) {
    EXPECT_EQ(static_cast<int>(row.error), next++);
    EXPECT_EQ(row.text.substr(0, 12), "etcdserver: ");
    EXPECT_EQ(StoreStatus(row.error).code(), row.code) << row.text;
    EXPECT_EQ(KindOf(StoreStatus(row.error)), row.kind) << row.text;
  }
  EXPECT_EQ(next, static_cast<int>(StoreError::kCorrupt) + 1);
}

TEST(CommandTest, EveryRequestSurvivesTheLog) {
  Command put;
  put.request = Parse(Success(Put("/a")));
  const absl::StatusOr<Command> decoded = DecodeCommand(EncodeCommand(put));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(std::get<TxnRequest>(decoded->request).DebugString(), std::get<TxnRequest>(put.request).DebugString());
  EXPECT_EQ(EncodeCommand(Command()), std::string(1, '\0'));
  EXPECT_TRUE(DecodeCommand(std::string(1, '\0')).ok());
  for (const std::string& bytes :
       {std::string(), std::string("\xff"), std::string("\x01\xff"), std::string("\0x", 2)}) {
    EXPECT_EQ(KindOf(DecodeCommand(bytes).status()), ErrorKind::kCorrupt);
  }
}

TEST(AlarmsTest, AlarmsRefuseAndSurviveARestart) {
  TestStore store;
  store.Put("/a", "1");
  etcdserverpb::AlarmRequest raise;
  raise.set_action(etcdserverpb::AlarmRequest::ACTIVATE);
  raise.set_memberid(9);
  raise.set_alarm(etcdserverpb::NOSPACE);
  EXPECT_EQ(std::get<etcdserverpb::AlarmResponse>(store.Apply(raise).response).alarms_size(), 1);
  ASSERT_TRUE(store.state().Commit().ok());
  store.Reopen();
  EXPECT_EQ(store.state().alarms().List(), (std::vector<Alarm>{{9, AlarmKind::kNoSpace}}));
  const absl::Status no_space = StoreStatus(StoreError::kNoSpace);
  EXPECT_EQ(store.Grant(1, 10), no_space);
  EXPECT_EQ(store.Apply(Parse(Success(Put("/b")))).status, no_space);
  EXPECT_EQ(store.Apply(Parse(Success(Nested(Success(Put("/b")))))).status, no_space);
  EXPECT_TRUE(store.Apply(Parse(Success(Delete("/b", "")))).status.ok());
  EXPECT_EQ(store.Delete("/a"), Revision(3));
  EXPECT_TRUE(store.Compact(3).ok());
  raise.set_action(etcdserverpb::AlarmRequest::DEACTIVATE);
  store.Apply(raise);
  EXPECT_TRUE(store.state().alarms().List().empty());
  EXPECT_EQ(store.Put("/b", "1"), Revision(4));
}

}  // namespace
}  // namespace tidemark::mvcc
