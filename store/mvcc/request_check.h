// What can be said about a request without looking at the state. A server checks before it proposes; the state machine
// checks again, so that a log from elsewhere cannot do harm.
//
// Thread-safety: pure.
// Errors:        rows of errors.h.
#ifndef TIDEMARK_STORE_MVCC_REQUEST_CHECK_H_
#define TIDEMARK_STORE_MVCC_REQUEST_CHECK_H_

#include "absl/status/status.h"

namespace etcdserverpb {
class DeleteRangeRequest;
class PutRequest;
class RangeRequest;
class TxnRequest;
}  // namespace etcdserverpb

namespace tidemark::mvcc {

absl::Status CheckRange(const etcdserverpb::RangeRequest& request);
absl::Status CheckPut(const etcdserverpb::PutRequest& request);
absl::Status CheckDeleteRange(const etcdserverpb::DeleteRangeRequest& request);
// Also every operation inside, at any depth, the limit of operations, and the rule against writing a key twice.
absl::Status CheckTxn(const etcdserverpb::TxnRequest& request, int ops_max);

// Whether a transaction needs no log entry: both branches hold ranges only. A nested transaction
// counts as a write (etcd).
bool IsReadOnly(const etcdserverpb::TxnRequest& request);
// Whether a read-only transaction may be answered from this member's state as it is.
bool IsSerializable(const etcdserverpb::TxnRequest& request);

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_REQUEST_CHECK_H_
