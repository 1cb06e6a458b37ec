// SingleLog is the replicated log of a store with one member: what is synced in its write-ahead log is committed.
//
//   "wal" thread    takes everything that is queued, one write and one sync for all of it
//   "apply" thread  delivers what is committed; when it is idle and the batch is small, the wal thread does so itself
//   "wal-fill"      zeroes the next segment ahead
//
// Thread-safety: thread-safe.
// Ownership:     owns its files and threads; the environment outlives it.
// Errors:        replicated_log.h; a proposal that meets a full disk fails with kNoSpace, and a later one may succeed.
// Invariants:    applied <= committed == last; the term rises by one at each start.
#ifndef TIDEMARK_STORE_RAFT_SINGLE_LOG_H_
#define TIDEMARK_STORE_RAFT_SINGLE_LOG_H_

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "metrics/registry.h"
#include "store/raft/file_env.h"
#include "store/raft/replicated_log.h"
#include "store/raft/wal.h"

namespace tidemark::raft {

struct SingleLogOptions {
  FileEnv* env = nullptr;
  std::string directory;  // of the write-ahead log
  LogIdentity if_new;     // of a log that does not exist yet
  uint64_t segment_bytes = kWalSegmentBytes;
  uint64_t first_segment_bytes = kWalFirstSegmentBytes;
  size_t proposal_bytes_max = kProposalBytesMax;
  metrics::Histogram sync_duration;
  metrics::Counter written_bytes;
};

class SingleLog : public ReplicatedLog {
 public:
  // Reads and checks all of the log, and takes up a new term.
  static absl::StatusOr<std::unique_ptr<SingleLog>> Open(const SingleLogOptions& options);
  ~SingleLog() override;

  absl::Status Start(LogIndex applied, ApplyCallback apply) override;
  void Propose(std::unique_ptr<Proposal> proposal) override;
  void ReadBarrier(ReadCallback done) override;
  void SetDurable(LogIndex index) override;
  LogStatus Status() const override;
  void Stop() override;

 private:
  using Proposals = std::vector<std::unique_ptr<Proposal>>;
  using Operations = std::vector<CommittedOperation>;

  // A small batch is delivered by the wal thread itself: waking another thread costs more than applying it.
  static constexpr size_t kInlineOperationsMax = 4;

  explicit SingleLog(const SingleLogOptions& options);

  absl::Status Replay(LogIndex applied);

  // wal thread.
  void RunWal();
  // Everything queued, once there is something; empty when stopped. `*durable` is set to what SetDurable said last.
  Proposals TakeQueued(LogIndex* durable);
  void WriteBatch(Proposals proposals);
  void Commit(Operations operations, size_t bytes);
  void FailAll(const Proposals& proposals, const absl::Status& reason);
  void RemoveSegments(LogIndex durable);

  // apply thread; ApplyLocked also on the wal thread.
  void RunApply();
  // Delivers what is committed, with mu_ released meanwhile. REQUIRES: !applying_.
  void ApplyLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const SingleLogOptions options_;
  LoopThread fill_thread_;
  std::unique_ptr<Wal> wal_;  // confined to the wal thread, once started
  WalBatch batch_;            // likewise
  ApplyCallback apply_;       // set by Start; called by whoever set applying_

  mutable Mutex mu_;
  CondVar queue_changed_;
  CondVar committed_changed_;
  bool started_ ABSL_GUARDED_BY(mu_) = false;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  Proposals queue_ ABSL_GUARDED_BY(mu_);
  size_t queued_bytes_ ABSL_GUARDED_BY(mu_) = 0;  // from Propose until applied
  Operations committed_ ABSL_GUARDED_BY(mu_);     // not taken by the apply callback yet
  size_t committed_bytes_ ABSL_GUARDED_BY(mu_) = 0;
  bool wal_done_ ABSL_GUARDED_BY(mu_) = false;  // nothing is committed any more
  bool applying_ ABSL_GUARDED_BY(mu_) = false;  // somebody is inside the apply callback
  LogIndex durable_ ABSL_GUARDED_BY(mu_);
  LogIndex removed_ ABSL_GUARDED_BY(mu_);  // what durable_ was when segments were removed last
  LogStatus status_ ABSL_GUARDED_BY(mu_);

  std::thread wal_thread_;
  std::thread apply_thread_;
};

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_SINGLE_LOG_H_
