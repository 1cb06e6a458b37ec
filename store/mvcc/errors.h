// The texts with which the store refuses a request, in one table. clientv3 recognises errors by their text, so they are
// etcd's to the byte. Each row also names our kind, for callers inside, and the code for the wire.
//
// Thread-safety: pure.
// Source:        etcd v3 api/v3rpc/rpctypes.
#ifndef TIDEMARK_STORE_MVCC_ERRORS_H_
#define TIDEMARK_STORE_MVCC_ERRORS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/revision.h"
#include "base/status.h"

namespace tidemark::mvcc {

enum class StoreError : uint8_t {
  kEmptyKey,
  kKeyNotFound,
  kValueProvided,
  kLeaseProvided,
  kTooManyOps,
  kDuplicateKey,
  kInvalidSortOption,
  kRequestTooLarge,
  kCompacted,
  kFutureRevision,
  kLeaseTtlTooLarge,
  kNoSpace,
  kTooManyRequests,
  kLeaseNotFound,
  kLeaseExists,
  kCorrupt,
};

struct StoreErrorRow {
  StoreError error;
  ErrorKind kind;         // kNone: nobody inside has to tell it apart
  absl::StatusCode code;  // the gRPC code has the same number
  absl::string_view text;
};

// In the order of StoreError.
absl::Span<const StoreErrorRow> StoreErrorRows();

// The status of a row: its text is the message, its code the status code, its kind the payload.
absl::Status StoreStatus(StoreError error);
// With the revision that explains it (RevisionOf). REQUIRES: the row has a kind.
absl::Status StoreStatus(StoreError error, Revision revision);

// Reasons of canceled watches.
inline constexpr absl::string_view kReasonDuplicateWatchId = "mvcc: duplicate watch ID provided on the WatchStream";
inline constexpr absl::string_view kReasonEmptyWatchRange = "mvcc: watcher range is empty";
inline constexpr absl::string_view kReasonCompacted = "etcdserver: mvcc: required revision has been compacted";

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_ERRORS_H_
