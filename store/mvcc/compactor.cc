#include "store/mvcc/compactor.h"

#include "base/log.h"

namespace tidemark::mvcc {

void Compactor::Wake() {
  {
    MutexLock lock(&mu_);
    if (scheduled_) return;
    scheduled_ = true;
  }
  executor_->Post([this] { Run(); });
}

void Compactor::WhenDone(Revision revision, absl::AnyInvocable<void()> done) {
  {
    MutexLock lock(&mu_);
    waiting_.emplace_back(revision, std::move(done));
  }
  Wake();
}

void Compactor::Run() {
  {
    // A command that comes from here on wakes it again.
    MutexLock lock(&mu_);
    scheduled_ = false;
  }
  const bool more = store_->CompactionStep();
  // No entry of the log may come for long, so what was deleted does not wait for one.
  if (!more || store_->CommitDue()) {
    if (const absl::Status committed = store_->Commit(); !committed.ok()) {
      Log(LogLevel::kError, "compaction not committed", {{"error", committed.ToString()}});
      // Nothing is written before the next start, which goes on with the compaction.
      std::vector<std::pair<Revision, absl::AnyInvocable<void()>>> dropped;
      MutexLock lock(&mu_);
      dropped.swap(waiting_);
      return;
    }
  }
  if (more) {
    MutexLock lock(&mu_);
    if (scheduled_) return;
    scheduled_ = true;
    executor_->PostAt(executor_->clock().Now() + kCompactionPause, [this] { Run(); });
    return;
  }
  for (auto& callback : TakeDone(store_->compacted_physically())) callback();
}

std::vector<absl::AnyInvocable<void()>> Compactor::TakeDone(Revision reached) {
  MutexLock lock(&mu_);
  std::vector<absl::AnyInvocable<void()>> done;
  std::vector<std::pair<Revision, absl::AnyInvocable<void()>>> rest;
  for (auto& [revision, callback] : waiting_) {
    if (revision <= reached) {
      done.push_back(std::move(callback));
    } else {
      rest.emplace_back(revision, std::move(callback));
    }
  }
  waiting_ = std::move(rest);
  return done;
}

}  // namespace tidemark::mvcc
