#include "store/server/quota.h"

#include <algorithm>
#include <utility>

#include "proto/rpc.pb.h"
#include "store/mvcc/errors.h"

namespace tidemark::store {
namespace {

constexpr int64_t kPutOverhead = 256;  // index and record of one change (etcd)

int64_t CostOfBranch(const google::protobuf::RepeatedPtrField<etcdserverpb::RequestOp>& operations) {
  int64_t cost = 0;
  for (const etcdserverpb::RequestOp& operation : operations) {
    if (operation.has_request_put()) cost += CostOf(operation.request_put());
    if (operation.has_request_txn()) cost += CostOf(operation.request_txn());
  }
  return cost;
}

}  // namespace

int64_t CostOf(const etcdserverpb::PutRequest& request) {
  return kPutOverhead + static_cast<int64_t>(request.key().size() + request.value().size());
}

int64_t CostOf(const etcdserverpb::TxnRequest& request) {
  return std::max(CostOfBranch(request.success()), CostOfBranch(request.failure()));
}

absl::Status Quota::Admit(int64_t cost) {
  if (cost == 0 || used_bytes_.load(std::memory_order_relaxed) + cost <= limit_bytes_) return absl::OkStatus();
  if (!state_->alarms().IsActive(mvcc::AlarmKind::kNoSpace) && !raising_.exchange(true)) {
    mvcc::Command command;
    auto& alarm = command.request.emplace<etcdserverpb::AlarmRequest>();
    alarm.set_action(etcdserverpb::AlarmRequest::ACTIVATE);
    alarm.set_memberid(member_id_);
    alarm.set_alarm(etcdserverpb::NOSPACE);
    proposer_->Propose(std::move(command), [this](const mvcc::CommandResult&) { raising_ = false; });
  }
  return mvcc::StoreStatus(mvcc::StoreError::kNoSpace);
}

void Quota::Refresh() { used_bytes_.store(state_->store().sizes().in_use_bytes, std::memory_order_relaxed); }

}  // namespace tidemark::store
