// TxnRunner executes the requests of one command on a WriteTxn, or a read-only transaction at one revision.
//
// A transaction runs in three steps: every compare on the way, also of nested transactions, is evaluated on the state
// before it; every operation on the way is checked against that state; only then is anything written. So a refusal
// leaves nothing behind.
//
// Thread-safety: confined to the caller's thread; with a WriteTxn, one caller at a time: inside the log's
//                apply callback (replicated_log.h).
// Ownership:     borrows everything.
// Errors:        rows of errors.h.
// Source:        etcd v3 server/etcdserver/txn.
#ifndef TIDEMARK_STORE_MVCC_TXN_RUNNER_H_
#define TIDEMARK_STORE_MVCC_TXN_RUNNER_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "base/revision.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/lessor.h"
#include "store/mvcc/mvcc_store.h"
#include "store/mvcc/write_txn.h"

namespace tidemark::mvcc {

class TxnRunner {
 public:
  // Reads only, at the store's revision `base`.
  TxnRunner(const MvccStore& store, Revision base) : store_(store), base_(base) {}
  // REQUIRES: `write` has not changed anything yet.
  TxnRunner(const MvccStore& store, const Lessor& lessor, WriteTxn* write)
      : store_(store), lessor_(&lessor), write_(write), base_(write->read_revision()) {}

  // REQUIRES: the request has passed its check (request_check.h). Headers of responses carry the revision.
  absl::Status Put(const etcdserverpb::PutRequest& request, etcdserverpb::PutResponse* response);
  absl::Status DeleteRange(const etcdserverpb::DeleteRangeRequest& request,
                           etcdserverpb::DeleteRangeResponse* response);
  absl::Status Txn(const etcdserverpb::TxnRequest& request, etcdserverpb::TxnResponse* response);

 private:
  // Which branch each transaction takes, in the order in which they are met.
  using Path = std::vector<bool>;

  absl::Status Decide(const etcdserverpb::TxnRequest& request, Path* path) const;
  absl::StatusOr<bool> Holds(const etcdserverpb::Compare& compare) const;
  absl::Status CheckBranch(const etcdserverpb::TxnRequest& request, const Path& path, size_t* at) const;
  absl::Status CheckLease(const etcdserverpb::PutRequest& request) const;
  absl::Status CheckIgnoredFields(const etcdserverpb::PutRequest& request) const;
  absl::Status CheckRangeOnBase(const etcdserverpb::RangeRequest& request) const;
  absl::Status RunBranch(const etcdserverpb::TxnRequest& request, const Path& path, size_t* at,
                         etcdserverpb::TxnResponse* response);
  absl::Status RunOp(const etcdserverpb::RequestOp& op, const Path& path, size_t* at,
                     etcdserverpb::ResponseOp* response);
  absl::Status RunPut(const etcdserverpb::PutRequest& request, etcdserverpb::PutResponse* response);
  absl::Status RunRange(const etcdserverpb::RangeRequest& request, etcdserverpb::RangeResponse* response) const;

  const MvccStore& store_;
  const Lessor* const lessor_ = nullptr;  // null with write_
  WriteTxn* const write_ = nullptr;       // null: reads only
  const Revision base_;                   // the state before
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_TXN_RUNNER_H_
