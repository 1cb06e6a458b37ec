#include "store/mvcc/txn_runner.h"

#include <string>

#include "base/check.h"
#include "base/status.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/record.h"

namespace tidemark::mvcc {
namespace {

using etcdserverpb::Compare;
using etcdserverpb::PutRequest;
using etcdserverpb::PutResponse;
using etcdserverpb::RangeRequest;
using etcdserverpb::RangeResponse;
using etcdserverpb::RequestOp;
using etcdserverpb::ResponseOp;
using etcdserverpb::TxnRequest;
using etcdserverpb::TxnResponse;

int Order(int64_t a, int64_t b) { return a < b ? -1 : (a > b ? 1 : 0); }

// How the key stands to the compare's operand. An operand of another target counts as zero or
// empty (protobuf's default).
int Order(const Compare& compare, const KeyValueRecord& kv) {
  switch (compare.target()) {
    case Compare::VERSION:
      return Order(kv.version, compare.version());
    case Compare::CREATE:
      return Order(kv.create_revision, compare.create_revision());
    case Compare::MOD:
      return Order(kv.mod_revision, compare.mod_revision());
    case Compare::LEASE:
      return Order(kv.lease, compare.lease());
    case Compare::VALUE:
      return kv.value.compare(compare.value());
    default:
      return 0;
  }
}

bool Matches(const Compare& compare, const KeyValueRecord& kv) {
  const int order = Order(compare, kv);
  switch (compare.result()) {
    case Compare::EQUAL:
      return order == 0;
    case Compare::NOT_EQUAL:
      return order != 0;
    case Compare::GREATER:
      return order > 0;
    case Compare::LESS:
      return order < 0;
    default:
      return true;
  }
}

void ParseRecord(const kv::Bytes& record, mvccpb::KeyValue* kv) {
  TM_CHECK(kv->ParseFromString(*record)) << "record of " << record->size() << " bytes";
}

const google::protobuf::RepeatedPtrField<RequestOp>& Branch(const TxnRequest& request, bool succeeded) {
  return succeeded ? request.success() : request.failure();
}

}  // namespace

absl::Status TxnRunner::Put(const PutRequest& request, PutResponse* response) {
  // Of two reasons to refuse etcd names the lease here, and the key inside a transaction.
  TM_RETURN_IF_ERROR(CheckLease(request));
  TM_RETURN_IF_ERROR(CheckIgnoredFields(request));
  return RunPut(request, response);
}

absl::Status TxnRunner::CheckLease(const PutRequest& request) const {
  const bool exists = request.lease() == 0 || lessor_->Exists(request.lease());
  return exists ? absl::OkStatus() : StoreStatus(StoreError::kLeaseNotFound);
}

absl::Status TxnRunner::CheckIgnoredFields(const PutRequest& request) const {
  if (!request.ignore_value() && !request.ignore_lease()) return absl::OkStatus();
  const bool exists = store_.GetAt(request.key(), base_) != nullptr;
  return exists ? absl::OkStatus() : StoreStatus(StoreError::kKeyNotFound);
}

absl::Status TxnRunner::RunPut(const PutRequest& request, PutResponse* response) {
  absl::string_view value = request.value();
  int64_t lease = request.lease();
  kv::Bytes previous;
  if (request.prev_kv() || request.ignore_value() || request.ignore_lease()) {
    previous = write_->Current(request.key());
  }
  if (previous != nullptr) {
    const KeyValueRecord record = DecodeRecord(*previous);
    if (request.ignore_value()) value = record.value;
    if (request.ignore_lease()) lease = record.lease;
    if (request.prev_kv()) ParseRecord(previous, response->mutable_prev_kv());
  }
  write_->Put(request.key(), value, lease);
  response->mutable_header()->set_revision(write_->read_revision().value());
  return absl::OkStatus();
}

absl::Status TxnRunner::DeleteRange(const etcdserverpb::DeleteRangeRequest& request,
                                    etcdserverpb::DeleteRangeResponse* response) {
  std::vector<kv::Bytes> previous;
  const KeyRange range(request.key(), request.range_end());
  response->set_deleted(write_->DeleteRange(range, request.prev_kv() ? &previous : nullptr));
  for (const kv::Bytes& record : previous) ParseRecord(record, response->add_prev_kvs());
  response->mutable_header()->set_revision(write_->read_revision().value());
  return absl::OkStatus();
}

absl::Status TxnRunner::Txn(const TxnRequest& request, TxnResponse* response) {
  Path path;
  TM_RETURN_IF_ERROR(Decide(request, &path));
  size_t at = 0;
  TM_RETURN_IF_ERROR(CheckBranch(request, path, &at));
  at = 0;
  TM_RETURN_IF_ERROR(RunBranch(request, path, &at, response));
  response->mutable_header()->set_revision((write_ != nullptr ? write_->read_revision() : base_).value());
  return absl::OkStatus();
}

absl::Status TxnRunner::Decide(const TxnRequest& request, Path* path) const {
  bool succeeded = true;
  for (const Compare& compare : request.compare()) {
    TM_ASSIGN_OR_RETURN(const bool holds, Holds(compare));
    if (!holds) {
      succeeded = false;
      break;
    }
  }
  path->push_back(succeeded);
  for (const RequestOp& op : Branch(request, succeeded)) {
    if (op.has_request_txn()) TM_RETURN_IF_ERROR(Decide(op.request_txn(), path));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> TxnRunner::Holds(const Compare& compare) const {
  bool any = false, all = true;
  const bool with_values = compare.target() == Compare::VALUE || compare.target() == Compare::LEASE;
  const KeyRange range(compare.key(), compare.range_end());
  TM_RETURN_IF_ERROR(store_.Visit(range, base_, with_values, [&](const KeyValueRecord& kv) {
    any = true;
    all = Matches(compare, kv);
    return all;
  }));
  if (any) return all;
  // A missing key has no value that could be compared, and zero for the rest.
  return compare.target() != Compare::VALUE && Matches(compare, KeyValueRecord{});
}

absl::Status TxnRunner::CheckBranch(const TxnRequest& request, const Path& path, size_t* at) const {
  for (const RequestOp& op : Branch(request, path[(*at)++])) {
    switch (op.request_case()) {
      case RequestOp::kRequestRange:
        TM_RETURN_IF_ERROR(CheckRangeOnBase(op.request_range()));
        break;
      case RequestOp::kRequestPut:
        TM_RETURN_IF_ERROR(CheckIgnoredFields(op.request_put()));
        TM_RETURN_IF_ERROR(CheckLease(op.request_put()));
        break;
      case RequestOp::kRequestTxn:
        TM_RETURN_IF_ERROR(CheckBranch(op.request_txn(), path, at));
        break;
      default:
        break;
    }
  }
  return absl::OkStatus();
}

absl::Status TxnRunner::CheckRangeOnBase(const RangeRequest& request) const {
  if (request.revision() <= 0) return absl::OkStatus();
  const Revision revision(request.revision());
  if (revision > base_) return StoreStatus(StoreError::kFutureRevision, base_);
  const Revision compact = store_.compact_revision();
  return revision < compact ? StoreStatus(StoreError::kCompacted, compact) : absl::OkStatus();
}

absl::Status TxnRunner::RunBranch(const TxnRequest& request, const Path& path, size_t* at, TxnResponse* response) {
  const bool succeeded = path[(*at)++];
  response->set_succeeded(succeeded);
  response->mutable_header();
  for (const RequestOp& op : Branch(request, succeeded)) {
    const absl::Status status = RunOp(op, path, at, response->add_responses());
    // Everything was checked before the first write; only a reader beside the writer may still be
    // overtaken by a compaction.
    TM_CHECK(status.ok() || write_ == nullptr || !write_->changed()) << status.ToString();
    TM_RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

absl::Status TxnRunner::RunOp(const RequestOp& op, const Path& path, size_t* at, ResponseOp* response) {
  switch (op.request_case()) {
    case RequestOp::kRequestRange:
      return RunRange(op.request_range(), response->mutable_response_range());
    case RequestOp::kRequestPut:
      return RunPut(op.request_put(), response->mutable_response_put());
    case RequestOp::kRequestDeleteRange:
      return DeleteRange(op.request_delete_range(), response->mutable_response_delete_range());
    case RequestOp::kRequestTxn:
      return RunBranch(op.request_txn(), path, at, response->mutable_response_txn());
    default:
      return StoreStatus(StoreError::kKeyNotFound);
  }
}

absl::Status TxnRunner::RunRange(const RangeRequest& request, RangeResponse* response) const {
  return write_ != nullptr ? write_->Range(request, response) : store_.RangeAt(base_, request, response);
}

}  // namespace tidemark::mvcc
