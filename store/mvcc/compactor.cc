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
  if (store_->CompactionStep()) {
    MutexLock lock(&mu_);
    if (scheduled_) return;
    scheduled_ = true;
    executor_->PostAt(executor_->clock().Now() + kCompactionPause, [this] { Run(); });
    return;
  }
  auto done = TakeDone(store_->compacted_physically());
  if (done.empty()) return;
  if (const absl::Status committed = store_->Commit(); !committed.ok()) {
    Log(LogLevel::kError, "compaction not committed", {{"error", committed.ToString()}});
  }
  for (auto& callback : done) callback();
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
