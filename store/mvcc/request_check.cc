#include "store/mvcc/request_check.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/key_range.h"
#include "store/mvcc/key_range_set.h"

namespace tidemark::mvcc {
namespace {

using etcdserverpb::RequestOp;
using etcdserverpb::TxnRequest;
using Ops = google::protobuf::RepeatedPtrField<RequestOp>;

absl::Status CheckTxnShape(const TxnRequest& request, int ops_max);

absl::Status CheckOp(const RequestOp& op, int ops_max) {
  switch (op.request_case()) {
    case RequestOp::kRequestRange:
      return CheckRange(op.request_range());
    case RequestOp::kRequestPut:
      return CheckPut(op.request_put());
    case RequestOp::kRequestDeleteRange:
      return CheckDeleteRange(op.request_delete_range());
    case RequestOp::kRequestTxn:
      return CheckTxnShape(op.request_txn(), ops_max);
    case RequestOp::REQUEST_NOT_SET:
      break;
  }
  return StoreStatus(StoreError::kKeyNotFound);  // etcd's answer to an empty operation
}

absl::Status CheckTxnShape(const TxnRequest& request, int ops_max) {
  const int ops = std::max({request.compare_size(), request.success_size(), request.failure_size()});
  if (ops > ops_max) return StoreStatus(StoreError::kTooManyOps);
  for (const auto& compare : request.compare()) {
    if (compare.key().empty()) return StoreStatus(StoreError::kEmptyKey);
  }
  // Nesting uses the limit up, which also bounds its depth.
  for (const RequestOp& op : request.success()) TM_RETURN_IF_ERROR(CheckOp(op, ops_max - ops));
  for (const RequestOp& op : request.failure()) TM_RETURN_IF_ERROR(CheckOp(op, ops_max - ops));
  return absl::OkStatus();
}

// The keys that one branch may put, and the ranges that it may delete, at any depth.
struct Writes {
  absl::flat_hash_set<std::string> puts;
  KeyRangeSet deletes;

  // False when a put of `key` meets another write of it in this branch.
  bool AddPut(const std::string& key) { return !deletes.Contains(key) && puts.insert(key).second; }
};

absl::Status CollectWrites(const Ops& ops, Writes* writes);

// Only one branch of a nested transaction runs, so the two may put the same keys.
absl::Status CollectNested(const TxnRequest& request, Writes* writes) {
  Writes success, failure;
  TM_RETURN_IF_ERROR(CollectWrites(request.success(), &success));
  TM_RETURN_IF_ERROR(CollectWrites(request.failure(), &failure));
  for (const std::string& key : failure.puts) success.puts.insert(key);
  for (const std::string& key : success.puts) {
    if (!writes->AddPut(key)) return StoreStatus(StoreError::kDuplicateKey);
  }
  writes->deletes.AddAll(success.deletes);
  writes->deletes.AddAll(failure.deletes);
  return absl::OkStatus();
}

absl::Status CollectWrites(const Ops& ops, Writes* writes) {
  // This level's deletes first: they also bar the puts of nested transactions.
  for (const RequestOp& op : ops) {
    if (!op.has_request_delete_range()) continue;
    const KeyRange range(op.request_delete_range().key(), op.request_delete_range().range_end());
    // etcd reads the end "\0" as a key here, below every other, so that such a delete bars no
    // put. Clients may rely on it.
    if (!range.unbounded()) writes->deletes.Add(range);
  }
  for (const RequestOp& op : ops) {
    if (op.has_request_txn()) TM_RETURN_IF_ERROR(CollectNested(op.request_txn(), writes));
  }
  for (const RequestOp& op : ops) {
    if (op.has_request_put() && !writes->AddPut(op.request_put().key())) {
      return StoreStatus(StoreError::kDuplicateKey);
    }
  }
  return absl::OkStatus();
}

bool AllRanges(const Ops& ops) {
  return std::all_of(ops.begin(), ops.end(), [](const RequestOp& op) { return op.has_request_range(); });
}

bool AllSerializable(const Ops& ops) {
  return std::all_of(ops.begin(), ops.end(), [](const RequestOp& op) { return op.request_range().serializable(); });
}

}  // namespace

absl::Status CheckRange(const etcdserverpb::RangeRequest& request) {
  if (request.key().empty()) return StoreStatus(StoreError::kEmptyKey);
  if (!etcdserverpb::RangeRequest::SortOrder_IsValid(request.sort_order()) ||
      !etcdserverpb::RangeRequest::SortTarget_IsValid(request.sort_target())) {
    return StoreStatus(StoreError::kInvalidSortOption);
  }
  return absl::OkStatus();
}

absl::Status CheckPut(const etcdserverpb::PutRequest& request) {
  if (request.key().empty()) return StoreStatus(StoreError::kEmptyKey);
  if (request.ignore_value() && !request.value().empty()) return StoreStatus(StoreError::kValueProvided);
  if (request.ignore_lease() && request.lease() != 0) return StoreStatus(StoreError::kLeaseProvided);
  return absl::OkStatus();
}

absl::Status CheckDeleteRange(const etcdserverpb::DeleteRangeRequest& request) {
  return request.key().empty() ? StoreStatus(StoreError::kEmptyKey) : absl::OkStatus();
}

absl::Status CheckTxn(const TxnRequest& request, int ops_max) {
  TM_RETURN_IF_ERROR(CheckTxnShape(request, ops_max));
  // One operation cannot meet another: the common transaction of kube-apiserver.
  if (request.success_size() > 1 || (request.success_size() == 1 && request.success(0).has_request_txn())) {
    Writes writes;
    TM_RETURN_IF_ERROR(CollectWrites(request.success(), &writes));
  }
  if (request.failure_size() > 1 || (request.failure_size() == 1 && request.failure(0).has_request_txn())) {
    Writes writes;
    TM_RETURN_IF_ERROR(CollectWrites(request.failure(), &writes));
  }
  return absl::OkStatus();
}

bool IsReadOnly(const TxnRequest& request) { return AllRanges(request.success()) && AllRanges(request.failure()); }

bool IsSerializable(const TxnRequest& request) {
  // Without any operation this would hold for nothing but compares, and those would be stale: unlike etcd, ask the
  // leader then.
  if (request.success().empty() && request.failure().empty()) return false;
  return IsReadOnly(request) && AllSerializable(request.success()) && AllSerializable(request.failure());
}

}  // namespace tidemark::mvcc
