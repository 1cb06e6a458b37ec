#include "store/mvcc/lessor.h"

#include <algorithm>

#include "base/check.h"
#include "base/status.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/errors.h"

namespace tidemark::mvcc {
namespace {

std::string TableKey(int64_t id) {
  std::string key(8, '\0');
  for (int i = 7; i >= 0; --i) {
    key[static_cast<size_t>(i)] = static_cast<char>(id & 0xff);
    id >>= 8;
  }
  return key;
}

}  // namespace

Lessor::Lessor(LessorOptions options, Clock* clock) : options_(options), clock_(clock) {}

void Lessor::SetDueLocked(int64_t id, Lease& lease, absl::Time due) {
  by_due_.erase({lease.due, id});
  lease.due = due;
  by_due_.insert({due, id});
}

void Lessor::AddLocked(int64_t id, int64_t ttl_seconds) {
  Lease& lease = leases_[id];
  lease.ttl_seconds = ttl_seconds;
  lease.expiry = clock_->Now() + absl::Seconds(ttl_seconds);
  lease.due = lease.expiry;
  by_due_.insert({lease.due, id});
}

absl::StatusOr<int64_t> Lessor::Grant(int64_t id, int64_t ttl_seconds, kv::WriteBuffer* buffer) {
  if (id == 0) return StoreStatus(StoreError::kLeaseNotFound);  // the word for no lease; any other may be chosen (etcd)
  if (ttl_seconds > kLeaseTtlMaxSeconds) return StoreStatus(StoreError::kLeaseTtlTooLarge);
  ttl_seconds = std::max(ttl_seconds, options_.ttl_min_seconds);
  etcdserverpb::LeaseGrantRequest grant;
  grant.set_id(id);
  grant.set_ttl(ttl_seconds);
  MutexLock lock(&mu_);
  if (leases_.contains(id)) return StoreStatus(StoreError::kLeaseExists);
  AddLocked(id, ttl_seconds);
  buffer->Put(kv::Table::kLease, TableKey(id), kv::MakeBytes(grant.SerializeAsString()));
  return ttl_seconds;
}

absl::Status Lessor::Revoke(int64_t id, kv::WriteBuffer* buffer) {
  MutexLock lock(&mu_);
  const auto found = leases_.find(id);
  if (found == leases_.end()) return StoreStatus(StoreError::kLeaseNotFound);
  for (const std::string& key : found->second.keys) lease_of_key_.erase(key);
  by_due_.erase({found->second.due, id});
  leases_.erase(found);
  buffer->Delete(kv::Table::kLease, TableKey(id));
  return absl::OkStatus();
}

bool Lessor::Exists(int64_t id) const {
  MutexLock lock(&mu_);
  return leases_.contains(id);
}

absl::StatusOr<std::vector<std::string>> Lessor::Keys(int64_t id) const {
  MutexLock lock(&mu_);
  const auto found = leases_.find(id);
  if (found == leases_.end()) return StoreStatus(StoreError::kLeaseNotFound);
  return std::vector<std::string>(found->second.keys.begin(), found->second.keys.end());
}

void Lessor::Attach(absl::string_view key, int64_t id) {
  MutexLock lock(&mu_);
  if (const auto old = lease_of_key_.find(key); old != lease_of_key_.end()) {
    if (old->second == id) return;
    std::set<std::string, std::less<>>& keys = leases_.at(old->second).keys;
    keys.erase(keys.find(key));
    lease_of_key_.erase(old);
  }
  if (id == 0) return;
  const auto lease = leases_.find(id);
  TM_CHECK(lease != leases_.end()) << "lease " << id << " of key " << key;
  lease->second.keys.emplace(key);
  lease_of_key_.emplace(key, id);
}

absl::Status Lessor::Restore(absl::string_view table_key, absl::string_view table_value) {
  etcdserverpb::LeaseGrantRequest grant;
  if (!grant.ParseFromArray(table_value.data(), static_cast<int>(table_value.size())) ||
      table_key != TableKey(grant.id())) {
    return MakeError(ErrorKind::kCorrupt, "table lease: not a lease");
  }
  MutexLock lock(&mu_);
  AddLocked(grant.id(), grant.ttl());
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Lessor::KeepAlive(int64_t id) {
  MutexLock lock(&mu_);
  const auto found = leases_.find(id);
  const absl::Time now = clock_->Now();
  // A lease that is due may have a revoke on its way already: renewing it would promise what the log takes back.
  if (found == leases_.end() || found->second.expiry <= now) return StoreStatus(StoreError::kLeaseNotFound);
  Lease& lease = found->second;
  lease.expiry = now + absl::Seconds(lease.ttl_seconds);
  SetDueLocked(id, lease, lease.expiry);
  return lease.ttl_seconds;
}

std::optional<LeaseInfo> Lessor::TimeToLive(int64_t id, bool with_keys) const {
  MutexLock lock(&mu_);
  const auto found = leases_.find(id);
  if (found == leases_.end()) return std::nullopt;
  const Lease& lease = found->second;
  LeaseInfo info{.id = id,
                 .granted_ttl_seconds = lease.ttl_seconds,
                 .remaining_ttl_seconds = absl::ToInt64Seconds(lease.expiry - clock_->Now()),
                 .keys = {}};
  if (with_keys) info.keys.assign(lease.keys.begin(), lease.keys.end());
  return info;
}

std::vector<int64_t> Lessor::Leases() const {
  MutexLock lock(&mu_);
  // By expiry, as etcd lists them.
  std::vector<int64_t> ids;
  ids.reserve(by_due_.size());
  for (const auto& [due, id] : by_due_) ids.push_back(id);
  return ids;
}

std::vector<int64_t> Lessor::TakeExpired(int limit) {
  MutexLock lock(&mu_);
  const absl::Time now = clock_->Now();
  std::vector<int64_t> expired;
  while (static_cast<int>(expired.size()) < limit && !by_due_.empty() && by_due_.begin()->first <= now) {
    const int64_t id = by_due_.begin()->second;
    expired.push_back(id);
    SetDueLocked(id, leases_.at(id), now + kRevokeRetry);
  }
  return expired;
}

void Lessor::Promote(absl::Duration extend) {
  MutexLock lock(&mu_);
  const absl::Time now = clock_->Now();
  std::vector<std::pair<absl::Time, int64_t>> order;
  for (auto& [id, lease] : leases_) order.emplace_back(now + absl::Seconds(lease.ttl_seconds) + extend, id);
  std::sort(order.begin(), order.end());
  by_due_.clear();
  for (size_t i = 0; i < order.size(); ++i) {
    auto& [due, id] = order[i];
    // Not within one second of the one that is kExpiriesPerSecondMax before it.
    if (i >= kExpiriesPerSecondMax) due = std::max(due, order[i - kExpiriesPerSecondMax].first + absl::Seconds(1));
    Lease& lease = leases_.at(id);
    lease.expiry = due;
    lease.due = due;
    by_due_.insert({due, id});
  }
}

size_t Lessor::size() const {
  MutexLock lock(&mu_);
  return leases_.size();
}

}  // namespace tidemark::mvcc
