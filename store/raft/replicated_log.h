// ReplicatedLog stands between proposing an operation and applying it: what it delivers is in the write-ahead log of
// enough members, synced, and comes to every member in the same order.
//
//   log->Start(engine_applied_index, [&](absl::Span<CommittedOperation> operations) { ... });
//   log->Propose(std::make_unique<PutProposal>(...));         // comes back inside Apply, or its Fail is called
//   log->ReadBarrier([](absl::Status status) { ... });        // afterwards a read sees every acknowledged write
//
// SingleLog (single_log.h) is one member on our write-ahead log; MemoryLog (memory_log.h) is the twin in memory with
// knobs for delay, failure and a lost tail. Both pass replicated_log_conformance.h.
//
// Thread-safety: thread-safe. Calls of the apply callback come one after the other, never two at once.
// Ownership:     a proposal belongs to the log from Propose until it is handed to the apply callback or has failed.
// Errors:        kOverloaded when the queue is full (nothing was proposed), kStopped after Stop, kStoreUnavailable
//                after a failed write: from then on every proposal fails until the process is started again.
// Cost:          Propose takes a lock and moves a pointer; the bytes are copied once, into the log's write buffer.
#ifndef TIDEMARK_STORE_RAFT_REPLICATED_LOG_H_
#define TIDEMARK_STORE_RAFT_REPLICATED_LOG_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "store/raft/log_index.h"

namespace tidemark::raft {

// An operation on its way through the log. Whoever proposes derives from it and keeps there what the answer needs: on
// the proposing member the apply callback gets this very object back.
class Proposal {
 public:
  explicit Proposal(std::string payload) : payload_(std::move(payload)) {}
  virtual ~Proposal() = default;

  // What the log carries; opaque to it.
  absl::string_view payload() const { return payload_; }
  // Called at most once, instead of applying, on any thread, without a lock of the log held. kOverloaded: certainly not
  // applied. Anything else: may still be applied, here after a restart or on another member.
  virtual void Fail(const absl::Status& reason) = 0;

 private:
  const std::string payload_;
};

struct CommittedOperation {
  LogIndex index;
  Term term = 0;
  absl::string_view payload;           // lives as long as the apply callback's call, or the proposal
  std::unique_ptr<Proposal> proposal;  // null when it was not proposed by this process
};

// Who this member is; part of the log, so that nobody can mix the files of two members.
struct LogIdentity {
  uint64_t cluster_id = 0;
  uint64_t member_id = 0;
};

struct LogStatus {
  LogIdentity identity;
  Term term = 0;
  uint64_t leader_id = 0;  // 0: none known
  LogIndex first;          // oldest operation that is still kept; last.Next() when none is
  LogIndex last;           // newest operation that is synced here
  LogIndex committed;
  LogIndex applied;  // the apply callback has returned
  size_t queued_bytes = 0;
  absl::Status failure;  // not OK: a write failed, and no other is accepted
};

// What one member may have under way, from Propose until applied. Above it Propose answers kOverloaded: at some 100,000
// small operations, or a few dozen of the largest, a client does better to wait.
inline constexpr size_t kProposalBytesMax = size_t{64} << 20;
// Counted for each proposal besides its payload, so that many empty ones are bounded too.
inline constexpr size_t kProposalOverheadBytes = 256;
// One entry takes so many operations or bytes, whichever comes first; a larger single operation
// has an entry of its own.
inline constexpr size_t kEntryOperationsMax = 1000;
inline constexpr size_t kEntryBytesMax = size_t{1} << 20;

class ReplicatedLog {
 public:
  using ApplyCallback = absl::AnyInvocable<void(absl::Span<CommittedOperation>)>;
  using ReadCallback = absl::AnyInvocable<void(absl::Status)>;

  // Stops.
  virtual ~ReplicatedLog() = default;

  // Delivers what is committed above `applied`, all of it before Start returns, then whatever is committed later.
  // Errors: kCorrupt when the log does not reach back to `applied`, or ends before it.
  // REQUIRES: called once.
  virtual absl::Status Start(LogIndex applied, ApplyCallback apply) = 0;
  // Proposals of one thread are applied in its order. A refusal calls Fail before Propose returns.
  // REQUIRES: started.
  virtual void Propose(std::unique_ptr<Proposal> proposal) = 0;
  // `done` runs once everything that was acknowledged before this call has been applied here, perhaps before
  // ReadBarrier returns. A round in flight serves only those who came before it began; all who come meanwhile share the
  // next. REQUIRES: started.
  virtual void ReadBarrier(ReadCallback done) = 0;
  // The state behind the log is on disk up to `index`: what lies up to there is not needed any more. Never goes back.
  virtual void SetDurable(LogIndex index) = 0;
  virtual LogStatus Status() const = 0;
  // Fails what is queued (kStopped), waits for the running apply callback; none comes afterwards. Idempotent.
  // REQUIRES: not called from the apply callback.
  virtual void Stop() = 0;
};

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_REPLICATED_LOG_H_
