// FreshnessGate drives FreshnessWaits (freshness_waits.h) with a lock and an executor for its timers: "has this mirror reached the
// revision?", one gate per mirror. It is the second half of freshness; the first, which asks the store for the revision, is
// RevisionReader (revision_reader.h has the example of both).
//
// Thread-safety: thread-safe. Callbacks run outside every lock, on the thread that brought the news: the caller's, the
//                store client's or the executor's. They must be quick.
// Ownership:     held by shared_ptr; timers keep weak references. The executor outlives it.
// Errors:        Wait: kStale with the mirror's revision at the deadline, kOverloaded, the reason of Reset, and after
//                Stop that of Stop.
#ifndef TIDEMARK_CACHE_FRESHNESS_GATE_H_
#define TIDEMARK_CACHE_FRESHNESS_GATE_H_

#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "base/status.h"
#include "cache/freshness_waits.h"
#include "cache/tick_scheduler.h"
#include "metrics/cache_metrics.h"

namespace tidemark::cache {

class FreshnessGate : public std::enable_shared_from_this<FreshnessGate> {
 public:
  using Callback = absl::AnyInvocable<void(absl::Status)>;

  // `request_progress` is called on the executor, outside locks.
  FreshnessGate(Executor* executor, std::function<void()> request_progress, metrics::FreshnessMetrics metrics)
      : executor_(executor), request_progress_(std::move(request_progress)), metrics_(metrics) {}

  // OK once everything up to `revision` lies in the mirror; at once when it does already.
  void Wait(Revision revision, absl::Time deadline, Callback done);
  // REQUIRES: readers who look at the mirror from now on see everything up to `revision`.
  void Reached(Revision revision, bool answers_progress);
  void Interrupted();
  // Nothing seen so far holds: everyone who waits ends with `reason`, and the gate begins anew at no revision.
  void Reset(const absl::Status& reason);
  // Everyone who waits, and who comes later, ends with `reason`. Only the first call counts.
  void Stop(const absl::Status& reason = MakeError(ErrorKind::kStopped, "the cache stops"));

 private:
  struct Ready {
    Callback done;
    absl::Status status;
  };
  struct Work {
    std::vector<Ready> ready;
    bool request_progress = false;
    absl::Time wake = absl::InfiniteFuture();
    bool arm = false;
  };

  Work Take(FreshnessWaits::Actions actions) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status StatusOf(FreshnessWaits::Outcome outcome) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Do(Work work);
  void Tick();
  Work EndAll(const absl::Status& reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  Executor* const executor_;
  const std::function<void()> request_progress_;
  metrics::FreshnessMetrics metrics_;

  mutable Mutex mu_;
  FreshnessWaits core_ ABSL_GUARDED_BY(mu_);
  std::unordered_map<FreshnessWaits::WaiterId, Callback> callbacks_ ABSL_GUARDED_BY(mu_);
  FreshnessWaits::WaiterId next_waiter_ ABSL_GUARDED_BY(mu_) = 1;
  TickScheduler scheduler_ ABSL_GUARDED_BY(mu_);
  absl::Status stopped_ ABSL_GUARDED_BY(mu_);  // why; OK: it goes on
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_FRESHNESS_GATE_H_
