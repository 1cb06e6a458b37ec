#include "store/raft/single_log.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/log.h"
#include "base/status.h"
#include "store/raft/entry_codec.h"

namespace tidemark::raft {
namespace {

// Replayed operations are handed over in portions, so that starting needs no memory for a whole log.
constexpr size_t kReplayOperationsMax = 1000;

size_t CostOf(const Proposal& proposal) { return proposal.payload().size() + kProposalOverheadBytes; }

absl::Status Stopped() { return MakeError(ErrorKind::kStopped, "the log has stopped"); }

}  // namespace

SingleLog::SingleLog(const SingleLogOptions& options) : options_(options), fill_thread_("wal-fill") {}

absl::StatusOr<std::unique_ptr<SingleLog>> SingleLog::Open(const SingleLogOptions& options) {
  std::unique_ptr<SingleLog> log(new SingleLog(options));
  WalOptions wal_options;
  wal_options.env = options.env;
  wal_options.fill_executor = &log->fill_thread_;
  wal_options.directory = options.directory;
  wal_options.segment_bytes = options.segment_bytes;
  wal_options.first_segment_bytes = options.first_segment_bytes;
  wal_options.sync_duration = options.sync_duration;
  wal_options.written_bytes = options.written_bytes;
  TM_ASSIGN_OR_RETURN(log->wal_, Wal::Open(wal_options, options.if_new));
  MutexLock lock(&log->mu_);
  LogStatus& status = log->status_;
  status.identity = log->wal_->identity();
  status.leader_id = status.identity.member_id;
  status.term = log->wal_->term() + 1;
  status.first = log->wal_->first();
  status.last = status.committed = log->wal_->last();
  return log;
}

SingleLog::~SingleLog() { Stop(); }

absl::Status SingleLog::Start(LogIndex applied, ApplyCallback apply) {
  apply_ = std::move(apply);
  TM_RETURN_IF_ERROR(Replay(applied));
  TM_RETURN_IF_ERROR(wal_->RaiseTerm(wal_->term() + 1));
  MutexLock lock(&mu_);
  TM_CHECK(!started_ && !stopped_);
  started_ = true;
  status_.applied = status_.last;
  wal_thread_ = std::thread([this] { RunWal(); });
  apply_thread_ = std::thread([this] { RunApply(); });
  return absl::OkStatus();
}

absl::Status SingleLog::Replay(LogIndex applied) {
  if (applied > wal_->last() || applied.Next() < wal_->first()) {
    return MakeError(ErrorKind::kCorrupt,
                     absl::StrCat("the state is at log index ", applied.value(), ", but the write-ahead log in ",
                                  options_.directory, " holds ", wal_->first().value(), " to ", wal_->last().value()));
  }
  Operations operations;
  TM_RETURN_IF_ERROR(wal_->Replay(applied, [&](LogIndex first, Term term, absl::string_view entry) {
    TM_ASSIGN_OR_RETURN(const std::vector<absl::string_view> payloads, SplitEntry(entry));
    for (size_t i = 0; i < payloads.size(); ++i) {
      if (first.Plus(i) > applied) operations.push_back({first.Plus(i), term, payloads[i], nullptr});
      if (operations.size() < kReplayOperationsMax && i + 1 < payloads.size()) continue;
      // The payloads live as long as this visit.
      if (!operations.empty()) apply_(absl::MakeSpan(operations));
      operations.clear();
    }
    return absl::OkStatus();
  }));
  return absl::OkStatus();
}

void SingleLog::Propose(std::unique_ptr<Proposal> proposal) {
  const size_t cost = CostOf(*proposal);
  absl::Status refusal;
  {
    MutexLock lock(&mu_);
    TM_CHECK(started_);
    if (stopped_) {
      refusal = Stopped();
    } else if (!status_.failure.ok()) {
      refusal = status_.failure;
    } else if (queued_bytes_ > 0 && queued_bytes_ + cost > options_.proposal_bytes_max) {
      refusal = MakeError(ErrorKind::kOverloaded, "too many proposals are waiting");
    } else {
      queue_.push_back(std::move(proposal));
      queued_bytes_ += cost;
      if (queue_.size() == 1) queue_changed_.Signal();
      return;
    }
  }
  proposal->Fail(refusal);
}

void SingleLog::ReadBarrier(ReadCallback done) {
  absl::Status status;
  {
    MutexLock lock(&mu_);
    TM_CHECK(started_);
    if (stopped_) status = Stopped();
  }
  // With one member nothing is acknowledged that has not been applied here.
  done(status);
}

void SingleLog::SetDurable(LogIndex index) {
  MutexLock lock(&mu_);
  if (index <= durable_) return;
  durable_ = index;
  queue_changed_.Signal();
}

LogStatus SingleLog::Status() const {
  MutexLock lock(&mu_);
  LogStatus status = status_;
  status.queued_bytes = queued_bytes_;
  return status;
}

void SingleLog::Stop() {
  {
    MutexLock lock(&mu_);
    stopped_ = true;
    queue_changed_.SignalAll();
  }
  if (wal_thread_.joinable()) wal_thread_.join();
  if (apply_thread_.joinable()) apply_thread_.join();
}

void SingleLog::RunWal() {
  SetThreadName("wal");
  LogIndex durable;
  while (true) {
    Proposals proposals = TakeQueued(&durable);
    if (proposals.empty() && durable == LogIndex()) break;
    if (!proposals.empty()) WriteBatch(std::move(proposals));
    if (durable != LogIndex()) RemoveSegments(durable);
  }
  Proposals left;
  {
    MutexLock lock(&mu_);
    left.swap(queue_);
    wal_done_ = true;
    committed_changed_.SignalAll();
  }
  FailAll(left, Stopped());
}

SingleLog::Proposals SingleLog::TakeQueued(LogIndex* durable) {
  Proposals taken;
  *durable = LogIndex();
  MutexLock lock(&mu_);
  while (queue_.empty() && !stopped_ && durable_ == removed_) queue_changed_.Wait(&mu_);
  if (stopped_) return taken;
  if (durable_ != removed_) *durable = removed_ = durable_;
  taken.swap(queue_);
  return taken;
}

void SingleLog::WriteBatch(Proposals proposals) {
  batch_.Clear();
  Operations operations;
  operations.reserve(proposals.size());
  LogIndex next = wal_->last().Next();
  size_t bytes = 0;
  for (const std::unique_ptr<Proposal>& proposal : proposals) {
    const absl::string_view payload = proposal->payload();
    const bool full =
        batch_.entry_operations() >= kEntryOperationsMax || batch_.entry_bytes() + payload.size() > kEntryBytesMax;
    if (batch_.empty() || full) batch_.BeginEntry(next, wal_->term());
    batch_.AddOperation(payload);
    operations.push_back({next, wal_->term(), payload, nullptr});
    bytes += CostOf(*proposal);
    next = next.Next();
  }
  const absl::Status written = wal_->Append(&batch_);
  if (!written.ok()) {
    const bool may_heal = KindOf(written) == ErrorKind::kNoSpace;
    const absl::Status failure = may_heal ? written : MakeError(ErrorKind::kStoreUnavailable, written.message());
    {
      MutexLock lock(&mu_);
      if (!may_heal) status_.failure = failure;
      queued_bytes_ -= bytes;
    }
    FailAll(proposals, failure);
    return;
  }
  for (size_t i = 0; i < proposals.size(); ++i) operations[i].proposal = std::move(proposals[i]);
  Commit(std::move(operations), bytes);
}

void SingleLog::Commit(Operations operations, size_t bytes) {
  MutexLock lock(&mu_);
  status_.last = status_.committed = wal_->last();
  const bool apply_here =
      !applying_ && committed_.empty() && queue_.empty() && operations.size() <= kInlineOperationsMax;
  if (committed_.empty()) {
    committed_ = std::move(operations);
  } else {
    committed_.insert(committed_.end(), std::make_move_iterator(operations.begin()),
                      std::make_move_iterator(operations.end()));
  }
  committed_bytes_ += bytes;
  if (apply_here) {
    ApplyLocked();
  } else {
    committed_changed_.Signal();
  }
}

void SingleLog::FailAll(const Proposals& proposals, const absl::Status& reason) {
  for (const std::unique_ptr<Proposal>& proposal : proposals) proposal->Fail(reason);
}

void SingleLog::RemoveSegments(LogIndex durable) {
  const absl::Status removed = wal_->RemoveThrough(durable);
  // Tried again with the next durable index; until then the files only take room.
  if (!removed.ok()) Log(LogLevel::kWarning, "cannot remove old log segments", {{"error", removed.ToString()}});
  MutexLock lock(&mu_);
  status_.first = wal_->first();
}

void SingleLog::RunApply() {
  SetThreadName("apply");
  MutexLock lock(&mu_);
  while (true) {
    while ((committed_.empty() || applying_) && !(wal_done_ && committed_.empty())) committed_changed_.Wait(&mu_);
    if (committed_.empty()) return;
    ApplyLocked();
  }
}

void SingleLog::ApplyLocked() {
  TM_CHECK(!applying_);
  applying_ = true;
  Operations operations;
  operations.swap(committed_);
  const size_t bytes = std::exchange(committed_bytes_, 0);
  const LogIndex last = operations.back().index;
  // Whoever proposes waits meanwhile for the queue alone; applying_ keeps a second delivery out.
  mu_.Unlock();
  apply_(absl::MakeSpan(operations));
  operations.clear();
  mu_.Lock();
  applying_ = false;
  status_.applied = last;
  queued_bytes_ -= bytes;
  if (!committed_.empty()) committed_changed_.Signal();
}

}  // namespace tidemark::raft
