// MemoryLog is the replicated log in memory: the twin of SingleLog, with knobs. What it has accepted lies in a
// MemoryLogDisk, which outlives it as a disk does a process.
//
// Fault model: a write takes `write_delay` on the executor's clock; it fails when told to, and then all later ones do.
// Stop, or destroying the object, loses what was not written. LoseTail takes back what was written: a disk that lied.
//
// Thread-safety: thread-safe; the apply callback runs on the executor.
// Ownership:     the disk and the executor outlive it.
// Errors:        replicated_log.h.
#ifndef TIDEMARK_STORE_RAFT_MEMORY_LOG_H_
#define TIDEMARK_STORE_RAFT_MEMORY_LOG_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "store/raft/replicated_log.h"

namespace tidemark::raft {

// What survives a restart. Thread-compatible: one MemoryLog at a time uses it.
struct MemoryLogDisk {
  struct Operation {
    LogIndex index;
    Term term = 0;
    std::string payload;
  };
  LogIdentity identity = {1, 1};
  Term term = 0;
  LogIndex before;                    // the last operation that was removed
  std::vector<Operation> operations;  // without a gap, from before.Next() on

  LogIndex last() const { return before.Plus(operations.size()); }
  // Takes back the newest `count` operations.
  void LoseTail(size_t count);
};

struct MemoryLogOptions {
  absl::Duration write_delay;  // of one write, whatever its size
  absl::Duration read_delay;   // of one round of reads
  size_t proposal_bytes_max = kProposalBytesMax;
};

class MemoryLog : public ReplicatedLog {
 public:
  MemoryLog(MemoryLogDisk* disk, Executor* executor, MemoryLogOptions options);
  ~MemoryLog() override;

  absl::Status Start(LogIndex applied, ApplyCallback apply) override;
  void Propose(std::unique_ptr<Proposal> proposal) override;
  void ReadBarrier(ReadCallback done) override;
  void SetDurable(LogIndex index) override;
  LogStatus Status() const override;
  void Stop() override;

  // Knobs.
  void FailWrites();
  // Read rounds that were begun.
  int read_rounds() const;

 private:
  // Shared with the tasks on the executor, which may outlive the log.
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_MEMORY_LOG_H_
