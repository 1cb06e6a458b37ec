#include "store/server/wire_error.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "store/mvcc/errors.h"

namespace tidemark::store {
namespace {

struct Row {
  ErrorKind kind;
  int code;  // gRPC
  const char* text;
};

// Every kind, with gRPC's number and etcd's text as clients know them.
const Row kRows[] = {
    {ErrorKind::kCompacted, 11, "etcdserver: mvcc: required revision has been compacted"},
    {ErrorKind::kFutureRevision, 11, "etcdserver: mvcc: required revision is a future revision"},
    {ErrorKind::kNotLeader, 9, "etcdserver: not leader"},
    {ErrorKind::kNotReady, 14, "etcdserver: no leader"},
    {ErrorKind::kStale, 14, "etcdserver: request timed out"},
    {ErrorKind::kNoSpace, 8, "etcdserver: mvcc: database space exceeded"},
    {ErrorKind::kLeaseNotFound, 5, "etcdserver: requested lease not found"},
    {ErrorKind::kLeaseExists, 9, "etcdserver: lease already exists"},
    {ErrorKind::kKeyNotFound, 3, "etcdserver: key not found"},
    {ErrorKind::kDuplicateKey, 3, "etcdserver: duplicate key given in txn request"},
    {ErrorKind::kTooManyOps, 3, "etcdserver: too many operations in txn request"},
    {ErrorKind::kRequestTooLarge, 3, "etcdserver: request is too large"},
    {ErrorKind::kStoreUnavailable, 14, "raw words"},
    {ErrorKind::kCorrupt, 15, "etcdserver: corrupt cluster"},
    {ErrorKind::kRewound, 14, "raw words"},
    {ErrorKind::kOverloaded, 8, "etcdserver: too many requests"},
    {ErrorKind::kStopped, 14, "etcdserver: server stopped"},
    {ErrorKind::kStoreTooOld, 9, "raw words"},
};

TEST(WireErrorTest, EveryKindHasItsCodeAndText) {
  ASSERT_EQ(WireErrorRows().size(), std::size(kRows));
  for (size_t i = 0; i < std::size(kRows); ++i) {
    EXPECT_EQ(WireErrorRows()[i].kind, kRows[i].kind);
    const WireError error = ToWire(MakeError(kRows[i].kind, "raw words"));
    EXPECT_EQ(error.code, kRows[i].code) << ErrorKindName(kRows[i].kind);
    EXPECT_EQ(error.text, kRows[i].text);
  }
}

// What the state machine refuses with goes out as it is, and agrees with the row of its kind.
TEST(WireErrorTest, StoreErrorsGoOutUnchanged) {
  for (const mvcc::StoreErrorRow& row : mvcc::StoreErrorRows()) {
    const WireError error = ToWire(mvcc::StoreStatus(row.error));
    EXPECT_EQ(error.text, row.text);
    EXPECT_EQ(error.code, static_cast<int>(row.code)) << row.text;
    if (row.kind == ErrorKind::kNone) continue;
    const WireError by_kind = ToWire(MakeError(row.kind, "raw words"));
    EXPECT_EQ(by_kind.code, error.code) << row.text;
    EXPECT_EQ(by_kind.text, error.text);
  }
}

TEST(WireErrorTest, UnknownErrorsKeepTheirWords) {
  const WireError error = ToWire(absl::InvalidArgumentError("the request cannot be parsed"));
  EXPECT_EQ(error.code, 3);
  EXPECT_EQ(error.text, "the request cannot be parsed");
}

}  // namespace
}  // namespace tidemark::store
