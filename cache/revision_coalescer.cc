#include "cache/revision_coalescer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"
#include "cache/planted_fault.h"

namespace tidemark::cache {
namespace {

// Whether another read may go better: the endpoint was away, not the question wrong.
bool MayRetry(const absl::Status& status) {
  return KindOf(status) == ErrorKind::kStoreUnavailable || KindOf(status) == ErrorKind::kNotLeader ||
         absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

absl::Status TimedOut(const absl::Status& last_error) {
  if (last_error.ok()) return MakeError(ErrorKind::kStoreUnavailable, "the store's revision was not read in time");
  return MakeError(ErrorKind::kStoreUnavailable,
                   absl::StrCat("the store's revision was not read in time: ", last_error.message()));
}

}  // namespace

RevisionCoalescer::Actions RevisionCoalescer::AddReader(ReaderId reader, absl::Time deadline, absl::Time now) {
  TM_CHECK(readers_.empty() || readers_.rbegin()->first < reader) << "reader " << reader;
  Actions actions;
  if (readers_.size() >= kRevisionReadersMax) {
    actions.answers.push_back(
        {reader, MakeError(ErrorKind::kOverloaded, "too many reads wait for the store's revision")});
    return actions;
  }
  const bool too_early = HasFault("revision-read-too-early") && !in_flight_.empty();
  readers_.emplace_hint(readers_.end(), reader, Reader{too_early ? *in_flight_.rbegin() : next_read_, deadline});
  deadlines_.emplace(deadline, reader);
  Expire(now, &actions);
  StartIfDue(now, &actions);
  return actions;
}

RevisionCoalescer::Actions RevisionCoalescer::OnAnswer(ReadId read, const absl::StatusOr<Revision>& revision,
                                                       absl::Time now) {
  TM_CHECK(in_flight_.erase(read) == 1) << "read " << read << " was answered twice or never started";
  Actions actions;
  if (revision.ok() || !MayRetry(revision.status())) {
    ServeUpTo(read, revision, &actions);
  } else {
    retry_at_ = now + kRevisionReadRetryGap;
  }
  last_error_ = revision.status();
  if (revision.ok()) retry_at_ = absl::InfinitePast();
  Expire(now, &actions);
  StartIfDue(now, &actions);
  return actions;
}

RevisionCoalescer::Actions RevisionCoalescer::OnTick(absl::Time now) {
  Actions actions;
  Expire(now, &actions);
  StartIfDue(now, &actions);
  return actions;
}

RevisionCoalescer::Actions RevisionCoalescer::Stop(const absl::Status& reason) {
  Actions actions;
  while (!readers_.empty()) Serve(readers_.begin(), reason, &actions);
  return actions;
}

absl::Time RevisionCoalescer::NextWake() const {
  absl::Time wake = deadlines_.empty() ? absl::InfiniteFuture() : deadlines_.begin()->first;
  if (NeedsStart() && in_flight_.size() < kRevisionReadsInFlightMax) wake = std::min(wake, EarliestStart());
  return wake;
}

void RevisionCoalescer::Serve(std::map<ReaderId, Reader>::iterator reader, const absl::StatusOr<Revision>& revision,
                              Actions* actions) {
  actions->answers.push_back({reader->first, revision});
  deadlines_.erase({reader->second.deadline, reader->first});
  readers_.erase(reader);
}

void RevisionCoalescer::ServeUpTo(ReadId read, const absl::StatusOr<Revision>& revision, Actions* actions) {
  while (!readers_.empty() && readers_.begin()->second.first_read <= read) Serve(readers_.begin(), revision, actions);
}

void RevisionCoalescer::Expire(absl::Time now, Actions* actions) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    Serve(readers_.find(deadlines_.begin()->second), TimedOut(last_error_), actions);
  }
}

void RevisionCoalescer::StartIfDue(absl::Time now, Actions* actions) {
  if (!NeedsStart() || in_flight_.size() >= kRevisionReadsInFlightMax || now < EarliestStart()) return;
  actions->start = next_read_;
  in_flight_.insert(next_read_);
  ++next_read_;
  last_start_ = now;
}

bool RevisionCoalescer::NeedsStart() const {
  if (readers_.empty()) return false;
  return in_flight_.empty() || *in_flight_.rbegin() < readers_.rbegin()->second.first_read;
}

absl::Time RevisionCoalescer::EarliestStart() const { return std::max(last_start_ + kRevisionReadGap, retry_at_); }

}  // namespace tidemark::cache
