// Committer writes the state to the engine every kCommitInterval, and lets the log go up to there.
//
// Thread-safety: thread-safe; commits are confined to the executor.
// Ownership:     borrows everything; the executor has stopped before this object goes.
// Errors:        a failed commit is logged once; from then on the state machine refuses every
//                command until the next start.
#ifndef TIDEMARK_STORE_SERVER_COMMITTER_H_
#define TIDEMARK_STORE_SERVER_COMMITTER_H_

#include "absl/status/status.h"
#include "base/executor.h"
#include "metrics/store_metrics.h"
#include "store/mvcc/state_machine.h"
#include "store/raft/replicated_log.h"

namespace tidemark::store {

class Committer {
 public:
  Committer(mvcc::StateMachine* state, raft::ReplicatedLog* log, Executor* executor, metrics::StoreMetrics* metrics)
      : state_(state), log_(log), executor_(executor), metrics_(metrics) {}

  void Start();
  // One commit, here and now.
  absl::Status Commit();

 private:
  void Tick();

  mvcc::StateMachine* const state_;
  raft::ReplicatedLog* const log_;
  Executor* const executor_;
  metrics::StoreMetrics* const metrics_;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_COMMITTER_H_
