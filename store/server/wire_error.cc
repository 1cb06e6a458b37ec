#include "store/server/wire_error.h"

#include "absl/strings/match.h"
#include "base/check.h"

namespace tidemark::store {
namespace {

using absl::StatusCode;

constexpr absl::string_view kPrefix = "etcdserver: ";

// An empty text: the status's own is sent.
constexpr WireErrorRow kRows[] = {
    {ErrorKind::kCompacted, StatusCode::kOutOfRange, "etcdserver: mvcc: required revision has been compacted"},
    {ErrorKind::kFutureRevision, StatusCode::kOutOfRange, "etcdserver: mvcc: required revision is a future revision"},
    {ErrorKind::kNotLeader, StatusCode::kFailedPrecondition, "etcdserver: not leader"},
    {ErrorKind::kNotReady, StatusCode::kUnavailable, "etcdserver: no leader"},
    {ErrorKind::kStale, StatusCode::kUnavailable, "etcdserver: request timed out"},
    {ErrorKind::kNoSpace, StatusCode::kResourceExhausted, "etcdserver: mvcc: database space exceeded"},
    {ErrorKind::kLeaseNotFound, StatusCode::kNotFound, "etcdserver: requested lease not found"},
    {ErrorKind::kLeaseExists, StatusCode::kFailedPrecondition, "etcdserver: lease already exists"},
    {ErrorKind::kKeyNotFound, StatusCode::kInvalidArgument, "etcdserver: key not found"},
    {ErrorKind::kDuplicateKey, StatusCode::kInvalidArgument, "etcdserver: duplicate key given in txn request"},
    {ErrorKind::kTooManyOps, StatusCode::kInvalidArgument, "etcdserver: too many operations in txn request"},
    {ErrorKind::kRequestTooLarge, StatusCode::kInvalidArgument, "etcdserver: request is too large"},
    {ErrorKind::kStoreUnavailable, StatusCode::kUnavailable, ""},  // a failed disk, in its own words
    {ErrorKind::kCorrupt, StatusCode::kDataLoss, "etcdserver: corrupt cluster"},
    {ErrorKind::kRewound, StatusCode::kUnavailable, ""},
    {ErrorKind::kOverloaded, StatusCode::kResourceExhausted, "etcdserver: too many requests"},
    {ErrorKind::kStopped, StatusCode::kUnavailable, "etcdserver: server stopped"},
    {ErrorKind::kStoreTooOld, StatusCode::kFailedPrecondition, ""},  // never here: the cache's word on a store
};
static_assert(sizeof(kRows) / sizeof(kRows[0]) == static_cast<size_t>(ErrorKind::kStoreTooOld));

}  // namespace

absl::Span<const WireErrorRow> WireErrorRows() { return kRows; }

WireError ToWire(const absl::Status& status) {
  TM_CHECK(!status.ok());
  const WireError as_it_is = {static_cast<int>(status.code()), std::string(status.message())};
  if (absl::StartsWith(status.message(), kPrefix)) return as_it_is;
  const ErrorKind kind = KindOf(status);
  if (kind == ErrorKind::kNone) return as_it_is;
  const WireErrorRow& row = kRows[static_cast<size_t>(kind) - 1];
  return {static_cast<int>(row.code), std::string(row.text.empty() ? status.message() : row.text)};
}

}  // namespace tidemark::store
