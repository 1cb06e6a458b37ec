#include "cache/freshness_gate.h"

#include "absl/strings/str_cat.h"
#include "cache/planted_fault.h"

namespace tidemark::cache {

void FreshnessGate::Wait(Revision revision, absl::Time deadline, Callback done) {
  metrics_.waiting_reads.Add(1);
  if (HasFault("stale-answer")) revision = Revision(revision.value() - 1);
  Work work;
  {
    MutexLock lock(&mu_);
    if (!stopped_.ok()) {
      work.ready.push_back({std::move(done), stopped_});
    } else {
      const FreshnessWaits::WaiterId waiter = next_waiter_++;
      callbacks_.emplace(waiter, std::move(done));
      work = Take(core_.Add(waiter, revision, deadline, executor_->clock().Now()));
    }
  }
  Do(std::move(work));
}

void FreshnessGate::Reached(Revision revision, bool answers_progress) {
  Work work;
  {
    MutexLock lock(&mu_);
    work = Take(core_.OnReached(revision, answers_progress,
                                core_.waiters() == 0 ? absl::InfinitePast() : executor_->clock().Now()));
  }
  Do(std::move(work));
}

void FreshnessGate::Interrupted() {
  Work work;
  {
    MutexLock lock(&mu_);
    work = Take(core_.OnInterrupted(executor_->clock().Now()));
  }
  Do(std::move(work));
}

void FreshnessGate::Reset(const absl::Status& reason) {
  Work work;
  {
    MutexLock lock(&mu_);
    work = EndAll(reason);
  }
  Do(std::move(work));
}

void FreshnessGate::Stop(const absl::Status& reason) {
  Work work;
  {
    MutexLock lock(&mu_);
    if (stopped_.ok()) stopped_ = reason;
    work = EndAll(reason);
  }
  Do(std::move(work));
}

FreshnessGate::Work FreshnessGate::EndAll(const absl::Status& reason) {
  Work work;
  for (FreshnessWaits::WaiterId waiter : core_.Reset(Revision())) {
    auto callback = callbacks_.find(waiter);
    work.ready.push_back({std::move(callback->second), reason});
    callbacks_.erase(callback);
  }
  return work;
}

FreshnessGate::Work FreshnessGate::Take(FreshnessWaits::Actions actions) {
  Work work;
  work.request_progress = actions.request_progress;
  work.ready.reserve(actions.done.size());
  for (const FreshnessWaits::Done& done : actions.done) {
    auto callback = callbacks_.find(done.waiter);
    work.ready.push_back({std::move(callback->second), StatusOf(done.outcome)});
    callbacks_.erase(callback);
  }
  work.wake = core_.NextWake();
  work.arm = scheduler_.Arm(work.wake);
  return work;
}

absl::Status FreshnessGate::StatusOf(FreshnessWaits::Outcome outcome) const {
  switch (outcome) {
    case FreshnessWaits::Outcome::kReached:
      return absl::OkStatus();
    case FreshnessWaits::Outcome::kTimedOut:
      return MakeError(ErrorKind::kStale, absl::StrCat("the mirror is at revision ", core_.reached().value()),
                       core_.reached());
    case FreshnessWaits::Outcome::kOverloaded:
      break;
  }
  return MakeError(ErrorKind::kOverloaded, "too many reads wait for the mirror");
}

void FreshnessGate::Do(Work work) {
  if (work.arm) {
    executor_->PostAt(work.wake, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->Tick();
    });
  }
  if (work.request_progress) {
    executor_->Post([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->request_progress_();
    });
  }
  if (work.ready.empty()) return;
  metrics_.waiting_reads.Add(-static_cast<double>(work.ready.size()));
  for (Ready& ready : work.ready) ready.done(std::move(ready.status));
}

void FreshnessGate::Tick() {
  Work work;
  {
    MutexLock lock(&mu_);
    const absl::Time now = executor_->clock().Now();
    scheduler_.Fired(now);
    work = Take(core_.OnTick(now));
  }
  Do(std::move(work));
}

}  // namespace tidemark::cache
