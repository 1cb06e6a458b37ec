#include "store/server/committer.h"

#include "base/log.h"
#include "store/mvcc/mvcc_store.h"

namespace tidemark::store {

void Committer::Start() {
  executor_->PostAt(executor_->clock().Now() + mvcc::kCommitInterval, [this] { Tick(); });
}

void Committer::Tick() {
  // After a failure nothing more is committed: what is on the disk is a whole older state, and the log has the rest.
  if (Commit().ok()) Start();
}

absl::Status Committer::Commit() {
  // Not only log entries wait: a compaction deletes without one.
  const bool nothing_waits = state_->store().buffer().empty();
  const absl::Time start = executor_->clock().Now();
  const absl::Status status = state_->Commit();
  if (!status.ok()) {
    Log(LogLevel::kError, "the state cannot be written", {{"error", status.ToString()}});
    return status;
  }
  if (!nothing_waits) metrics_->backend_commit_duration.Observe(executor_->clock().Now() - start);
  // Others commit too, and leave it to this to tell the log.
  log_->SetDurable(raft::LogIndex(state_->durable_index()));
  return absl::OkStatus();
}

}  // namespace tidemark::store
