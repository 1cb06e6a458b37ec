#include "storeclient/store_identity.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace tidemark::storeclient {
namespace {

bool IsOtherCluster(const StoreHeader& before, const StoreHeader& seen) {
  return before.cluster_id != 0 && seen.cluster_id != 0 && seen.cluster_id != before.cluster_id;
}

}  // namespace

StoreIdentity::Known StoreIdentity::Now() const {
  MutexLock lock(&mu_);
  return known_;
}

void StoreIdentity::BeginEpoch(const StoreHeader& seen) {
  ++known_.epoch;
  known_.at_least = seen;
  stale_ = static_cast<int>(confirmed_.size());
}

bool StoreIdentity::OnlyTermIsLower(const Known& known, const StoreHeader& seen) {
  const StoreHeader& before = known.at_least;
  return !IsOtherCluster(before, seen) && seen.revision >= before.revision && seen.raft_term < before.raft_term;
}

absl::Status StoreIdentity::Check(const Known& known, const StoreHeader& seen) {
  const StoreHeader& before = known.at_least;
  const bool other_cluster = IsOtherCluster(before, seen);
  const bool went_back = seen.revision < before.revision || seen.raft_term < before.raft_term;
  MutexLock lock(&mu_);
  if (other_cluster || went_back) {
    if (known.epoch == known_.epoch) BeginEpoch(seen);
    return MakeError(
        ErrorKind::kRewound,
        absl::StrCat("the store went back: cluster ", absl::Hex(before.cluster_id), " revision ",
                     before.revision.value(), " term ", before.raft_term, ", now ", absl::Hex(seen.cluster_id),
                     " revision ", seen.revision.value(), " term ", seen.raft_term),
        seen.revision);
  }
  if (known.epoch != known_.epoch) return MakeError(ErrorKind::kRewound, "the store went back during the read");
  StoreHeader& least = known_.at_least;
  if (least.cluster_id == 0) least.cluster_id = seen.cluster_id;
  least.revision = std::max(least.revision, seen.revision);
  least.raft_term = std::max(least.raft_term, seen.raft_term);
  return absl::OkStatus();
}

void StoreIdentity::Contradict(uint64_t epoch) {
  MutexLock lock(&mu_);
  if (epoch == known_.epoch) BeginEpoch(StoreHeader());
}

void StoreIdentity::NotePosition(uint64_t epoch, Revision position) {
  MutexLock lock(&mu_);
  if (epoch == known_.epoch) known_.at_least.revision = std::max(known_.at_least.revision, position);
}

void StoreIdentity::Confirm(uint64_t id, uint64_t epoch) {
  MutexLock lock(&mu_);
  const auto [found, is_new] = confirmed_.try_emplace(id, epoch);
  if (!is_new && found->second != known_.epoch && epoch == known_.epoch) --stale_;
  if (is_new && epoch != known_.epoch) ++stale_;
  found->second = epoch;
}

void StoreIdentity::Forget(uint64_t id) {
  MutexLock lock(&mu_);
  const auto found = confirmed_.find(id);
  if (found == confirmed_.end()) return;
  if (found->second != known_.epoch) --stale_;
  confirmed_.erase(found);
}

bool StoreIdentity::HasStale() const {
  MutexLock lock(&mu_);
  return stale_ > 0;
}

}  // namespace tidemark::storeclient
