#include "store/raft/memory_log.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"

namespace tidemark::raft {
namespace {

size_t CostOf(const Proposal& proposal) { return proposal.payload().size() + kProposalOverheadBytes; }

absl::Status Stopped() { return MakeError(ErrorKind::kStopped, "the log has stopped"); }

}  // namespace

void MemoryLogDisk::LoseTail(size_t count) {
  TM_CHECK(count <= operations.size());
  operations.resize(operations.size() - count);
}

struct MemoryLog::State : std::enable_shared_from_this<MemoryLog::State> {
  using Proposals = std::vector<std::unique_ptr<Proposal>>;
  using Reads = std::vector<ReadCallback>;

  State(MemoryLogDisk* disk, Executor* executor, MemoryLogOptions options)
      : disk(disk), executor(executor), options(options) {}

  void ScheduleWriteLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu);
  void ScheduleRoundLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu);
  // Tasks of the executor.
  void Write();
  void EndRound();

  MemoryLogDisk* const disk;  // written by Write, under mu
  Executor* const executor;
  const MemoryLogOptions options;
  ApplyCallback apply;

  mutable Mutex mu;
  CondVar idle;  // no task of ours is running
  bool running ABSL_GUARDED_BY(mu) = false;
  bool stopped ABSL_GUARDED_BY(mu) = false;
  bool write_scheduled ABSL_GUARDED_BY(mu) = false;
  bool round_scheduled ABSL_GUARDED_BY(mu) = false;
  bool fail_writes ABSL_GUARDED_BY(mu) = false;
  int rounds ABSL_GUARDED_BY(mu) = 0;
  Proposals queue ABSL_GUARDED_BY(mu);
  size_t queued_bytes ABSL_GUARDED_BY(mu) = 0;
  Reads round ABSL_GUARDED_BY(mu);    // served by the round in flight
  Reads waiting ABSL_GUARDED_BY(mu);  // came after it began
  LogStatus status ABSL_GUARDED_BY(mu);
};

void MemoryLog::State::ScheduleWriteLocked() {
  if (write_scheduled || queue.empty()) return;
  write_scheduled = true;
  executor->PostAt(executor->clock().Now() + options.write_delay, [self = shared_from_this()] { self->Write(); });
}

void MemoryLog::State::ScheduleRoundLocked() {
  if (round_scheduled || waiting.empty()) return;
  round_scheduled = true;
  ++rounds;
  round.swap(waiting);
  executor->PostAt(executor->clock().Now() + options.read_delay, [self = shared_from_this()] { self->EndRound(); });
}

void MemoryLog::State::Write() {
  Proposals proposals;
  std::vector<CommittedOperation> operations;
  absl::Status failure;
  size_t bytes = 0;
  {
    MutexLock lock(&mu);
    if (stopped) return;
    running = true;
    write_scheduled = false;
    proposals.swap(queue);
    for (const auto& proposal : proposals) bytes += CostOf(*proposal);
    if (fail_writes) status.failure = MakeError(ErrorKind::kStoreUnavailable, "injected failure");
    failure = status.failure;
    for (size_t i = 0; failure.ok() && i < proposals.size(); ++i) {
      const LogIndex index = disk->last().Next();
      const absl::string_view payload = proposals[i]->payload();
      disk->operations.push_back({index, status.term, std::string(payload)});
      operations.push_back({index, status.term, payload, std::move(proposals[i])});
      status.last = status.committed = index;
    }
  }
  if (failure.ok()) {
    apply(absl::MakeSpan(operations));
  } else {
    for (const auto& proposal : proposals) proposal->Fail(failure);
  }
  operations.clear();
  MutexLock lock(&mu);
  running = false;
  status.applied = status.last;
  queued_bytes -= bytes;
  ScheduleWriteLocked();
  idle.SignalAll();
}

void MemoryLog::State::EndRound() {
  Reads done;
  {
    MutexLock lock(&mu);
    if (stopped) return;
    running = true;
    done.swap(round);
    round_scheduled = false;
    ScheduleRoundLocked();
  }
  for (ReadCallback& read : done) read(absl::OkStatus());
  MutexLock lock(&mu);
  running = false;
  idle.SignalAll();
}

MemoryLog::MemoryLog(MemoryLogDisk* disk, Executor* executor, MemoryLogOptions options)
    : state_(std::make_shared<State>(disk, executor, options)) {
  MutexLock lock(&state_->mu);
  LogStatus& status = state_->status;
  status.identity = disk->identity;
  status.leader_id = disk->identity.member_id;
  status.term = ++disk->term;
  status.first = disk->before.Next();
  status.last = status.committed = disk->last();
}

MemoryLog::~MemoryLog() { Stop(); }

absl::Status MemoryLog::Start(LogIndex applied, ApplyCallback apply) {
  MemoryLogDisk& disk = *state_->disk;
  if (applied > disk.last() || applied < disk.before) {
    return MakeError(ErrorKind::kCorrupt,
                     absl::StrCat("the state is at log index ", applied.value(), ", the log holds ",
                                  disk.before.value() + 1, " to ", disk.last().value()));
  }
  state_->apply = std::move(apply);
  std::vector<CommittedOperation> operations;
  for (const MemoryLogDisk::Operation& operation : disk.operations) {
    if (operation.index > applied) operations.push_back({operation.index, operation.term, operation.payload, nullptr});
  }
  if (!operations.empty()) state_->apply(absl::MakeSpan(operations));
  MutexLock lock(&state_->mu);
  state_->status.applied = state_->status.last;
  return absl::OkStatus();
}

void MemoryLog::Propose(std::unique_ptr<Proposal> proposal) {
  const size_t cost = CostOf(*proposal);
  absl::Status refusal;
  {
    MutexLock lock(&state_->mu);
    if (state_->stopped) {
      refusal = Stopped();
    } else if (!state_->status.failure.ok()) {
      refusal = state_->status.failure;
    } else if (state_->queued_bytes > 0 && state_->queued_bytes + cost > state_->options.proposal_bytes_max) {
      refusal = MakeError(ErrorKind::kOverloaded, "too many proposals are waiting");
    } else {
      state_->queue.push_back(std::move(proposal));
      state_->queued_bytes += cost;
      if (!state_->running) state_->ScheduleWriteLocked();
      return;
    }
  }
  proposal->Fail(refusal);
}

void MemoryLog::ReadBarrier(ReadCallback done) {
  {
    MutexLock lock(&state_->mu);
    if (!state_->stopped) {
      state_->waiting.push_back(std::move(done));
      state_->ScheduleRoundLocked();
      return;
    }
  }
  done(Stopped());
}

void MemoryLog::SetDurable(LogIndex index) {
  MutexLock lock(&state_->mu);
  MemoryLogDisk& disk = *state_->disk;
  if (index <= disk.before) return;
  TM_CHECK(index <= disk.last()) << index << " above " << disk.last();
  disk.operations.erase(disk.operations.begin(),
                        disk.operations.begin() + static_cast<ptrdiff_t>(index.value() - disk.before.value()));
  disk.before = index;
  state_->status.first = index.Next();
}

LogStatus MemoryLog::Status() const {
  MutexLock lock(&state_->mu);
  LogStatus status = state_->status;
  status.queued_bytes = state_->queued_bytes;
  return status;
}

void MemoryLog::Stop() {
  State::Proposals proposals;
  State::Reads reads;
  {
    MutexLock lock(&state_->mu);
    state_->stopped = true;
    while (state_->running) state_->idle.Wait(&state_->mu);
    proposals.swap(state_->queue);
    reads.swap(state_->round);
    for (ReadCallback& read : state_->waiting) reads.push_back(std::move(read));
    state_->waiting.clear();
  }
  for (const auto& proposal : proposals) proposal->Fail(Stopped());
  for (ReadCallback& read : reads) read(Stopped());
}

void MemoryLog::FailWrites() {
  MutexLock lock(&state_->mu);
  state_->fail_writes = true;
}

int MemoryLog::read_rounds() const {
  MutexLock lock(&state_->mu);
  return state_->rounds;
}

}  // namespace tidemark::raft
