// StateMachine is the replicated state of one member: keys with their revisions, watches, leases and alarms. It
// executes the log's commands in order and answers reads. Everything below the log is reached through it.
//
//   TM_ASSIGN_OR_RETURN(auto state, StateMachine::Open(engine.get(), &watch_executor, &clock, {}));
//   answers = state->Apply(entry.index, entry.term, commands);  // in the log's apply callback
//   TM_RETURN_IF_ERROR(state->Commit());                        // a thread of its own, every kCommitInterval
//   wal->CutBelow(state->durable_index());
//
// Thread-safety: Apply has one caller at a time: inside the log's apply callback (replicated_log.h).
//                Everything else is thread-safe.
// Ownership:     borrows the engine, the clock and the executor, which outlive it.
// Errors:        refusals carry etcd's exact texts (errors.h). After a failed Commit every later Commit
//                returns that error until restart, and Apply kStoreUnavailable: what was acknowledged is in the log,
//                and so is what Apply refuses then, which the next start executes; the state on disk is a whole older
//                one.
// Invariants:    no clock, random source or order of a hash map has a part in what Apply does and answers: equal logs
//                give equal states. (The clock is read to know when a lease falls due, which is no part of the state.)
// Cost:          a put of 1 KB is a few microseconds and waits for no disk.
#ifndef TIDEMARK_STORE_MVCC_STATE_MACHINE_H_
#define TIDEMARK_STORE_MVCC_STATE_MACHINE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/clock.h"
#include "base/executor.h"
#include "store/kv/kv_engine.h"
#include "store/mvcc/alarms.h"
#include "store/mvcc/lessor.h"
#include "store/mvcc/mvcc_store.h"
#include "store/mvcc/watchable_store.h"

namespace etcdserverpb {
class TxnRequest;
class TxnResponse;
}  // namespace etcdserverpb

namespace tidemark::mvcc {

struct Command;
struct CommandResult;

struct StateMachineOptions {
  MvccStoreOptions store;
  WatchableStoreOptions watch;
  LessorOptions lease;
  // etcd's --max-txn-ops.
  int txn_ops_max = 128;
};

class StateMachine {
 public:
  // Restores the state from the engine. `watch_executor` runs the catch-up of slow watchers; it is stopped before this
  // object dies.
  static absl::StatusOr<std::unique_ptr<StateMachine>> Open(kv::KvEngine* engine, Executor* watch_executor,
                                                            Clock* clock, StateMachineOptions options);
  ~StateMachine();

  // Executes one entry: its commands in order, each with a revision of its own, committed together with the index.
  // One result for each command, in order. An entry at or below applied_index() is skipped
  // (CommandResult::skipped): it has been executed before the restart. REQUIRES: index > applied_index() means that
  // every entry in between had no command.
  std::vector<CommandResult> Apply(uint64_t index, uint64_t term, absl::Span<const Command* const> commands);
  // An entry of a single command.
  CommandResult Apply(uint64_t index, uint64_t term, const Command& command);

  // Executes a transaction that IsReadOnly (request_check.h) on the state as it is. Any thread;
  // one revision for all of it.
  absl::Status ReadTxn(const etcdserverpb::TxnRequest& request, etcdserverpb::TxnResponse* response) const;

  // Writes what has been applied since the last commit to the engine, with a sync. Does not hold up Apply or readers;
  // two calls come one after the other. Cheap when nothing was applied.
  absl::Status Commit() { return store_->Commit(); }
  // True when kCommitOpsMax changes or kCommitBytesMax bytes wait for a commit. Whoever applies should then Commit
  // itself, so that memory stays bounded; else a commit is due every kCommitInterval.
  bool CommitDue() const { return store_->CommitDue(); }
  // kStoreUnavailable, in the words of the Commit that has failed; nothing is executed until restart then.
  absl::Status health() const;

  // The last executed entry, and its term.
  uint64_t applied_index() const { return store_->applied_index(); }
  // The last entry whose effects are synced in the engine: the log may be cut up to it.
  uint64_t durable_index() const { return store_->durable_index(); }

  MvccStore& store() { return *store_; }
  const MvccStore& store() const { return *store_; }
  WatchableStore& watchable() { return *watchable_; }
  Lessor& lessor() { return *lessor_; }
  const Alarms& alarms() const { return *alarms_; }

 private:
  CommandResult Execute(const Command& command);

  StateMachine(StateMachineOptions options, std::unique_ptr<MvccStore> store, std::unique_ptr<Lessor> lessor,
               std::unique_ptr<Alarms> alarms, Executor* watch_executor);

  const StateMachineOptions options_;
  const std::unique_ptr<Lessor> lessor_;
  const std::unique_ptr<Alarms> alarms_;
  const std::unique_ptr<MvccStore> store_;  // borrows the lessor
  const std::unique_ptr<WatchableStore> watchable_;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_STATE_MACHINE_H_
