#include "store/mvcc/errors.h"

#include "base/check.h"

namespace tidemark::mvcc {
namespace {

using absl::StatusCode;

constexpr StoreErrorRow kRows[] = {
    {StoreError::kEmptyKey, ErrorKind::kNone, StatusCode::kInvalidArgument, "etcdserver: key is not provided"},
    {StoreError::kKeyNotFound, ErrorKind::kKeyNotFound, StatusCode::kInvalidArgument, "etcdserver: key not found"},
    {StoreError::kValueProvided, ErrorKind::kNone, StatusCode::kInvalidArgument, "etcdserver: value is provided"},
    {StoreError::kLeaseProvided, ErrorKind::kNone, StatusCode::kInvalidArgument, "etcdserver: lease is provided"},
    {StoreError::kTooManyOps, ErrorKind::kTooManyOps, StatusCode::kInvalidArgument,
     "etcdserver: too many operations in txn request"},
    {StoreError::kDuplicateKey, ErrorKind::kDuplicateKey, StatusCode::kInvalidArgument,
     "etcdserver: duplicate key given in txn request"},
    {StoreError::kInvalidSortOption, ErrorKind::kNone, StatusCode::kInvalidArgument, "etcdserver: invalid sort option"},
    {StoreError::kRequestTooLarge, ErrorKind::kRequestTooLarge, StatusCode::kInvalidArgument,
     "etcdserver: request is too large"},
    {StoreError::kCompacted, ErrorKind::kCompacted, StatusCode::kOutOfRange,
     "etcdserver: mvcc: required revision has been compacted"},
    {StoreError::kFutureRevision, ErrorKind::kFutureRevision, StatusCode::kOutOfRange,
     "etcdserver: mvcc: required revision is a future revision"},
    {StoreError::kLeaseTtlTooLarge, ErrorKind::kNone, StatusCode::kOutOfRange, "etcdserver: too large lease TTL"},
    {StoreError::kNoSpace, ErrorKind::kNoSpace, StatusCode::kResourceExhausted,
     "etcdserver: mvcc: database space exceeded"},
    {StoreError::kTooManyRequests, ErrorKind::kOverloaded, StatusCode::kResourceExhausted,
     "etcdserver: too many requests"},
    {StoreError::kLeaseNotFound, ErrorKind::kLeaseNotFound, StatusCode::kNotFound,
     "etcdserver: requested lease not found"},
    {StoreError::kLeaseExists, ErrorKind::kLeaseExists, StatusCode::kFailedPrecondition,
     "etcdserver: lease already exists"},
    {StoreError::kCorrupt, ErrorKind::kCorrupt, StatusCode::kDataLoss, "etcdserver: corrupt cluster"},
};

const StoreErrorRow& RowOf(StoreError error) { return kRows[static_cast<size_t>(error)]; }

}  // namespace

absl::Span<const StoreErrorRow> StoreErrorRows() { return kRows; }

absl::Status StoreStatus(StoreError error) {
  const StoreErrorRow& row = RowOf(error);
  return row.kind == ErrorKind::kNone ? absl::Status(row.code, row.text) : MakeError(row.kind, row.text);
}

absl::Status StoreStatus(StoreError error, Revision revision) {
  const StoreErrorRow& row = RowOf(error);
  TM_CHECK(row.kind != ErrorKind::kNone) << row.text;
  return MakeError(row.kind, row.text, revision);
}

}  // namespace tidemark::mvcc
