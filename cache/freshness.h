// RevisionReader and FreshnessGate drive the two pure halves of freshness (revision_coalescer.h, freshness_waits.h)
// with a lock, an executor for their timers, and the store: first "which revision does the store have?", one reader for
// all mirrors; then "has this mirror reached it?", one gate per mirror.
//
//   reader->Read(deadline, [gate, deadline](absl::StatusOr<Revision> revision) {
//     gate->Wait(*revision, deadline, [](absl::Status status) { ... answer from the snapshot ... });
//   });
//
// Thread-safety: thread-safe. Callbacks run outside every lock, on the thread that brought the news: the caller's, the
//                store client's or the executor's. They must be quick.
// Ownership:     held by shared_ptr; timers keep weak references. The executor and the client outlive both.
// Errors:        Read: see revision_coalescer.h. Wait: kStale with the mirror's revision at the deadline, kOverloaded,
//                and the reason of Reset. Both: kStopped after Stop.
#ifndef TIDEMARK_CACHE_FRESHNESS_H_
#define TIDEMARK_CACHE_FRESHNESS_H_

#include <functional>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "cache/freshness_waits.h"
#include "cache/revision_coalescer.h"
#include "metrics/cache_metrics.h"
#include "storeclient/store_client.h"

namespace tidemark::cache {

// One attempt of a revision read: short beside the 3 s that a reader has, so that a dead
// endpoint leaves time for others.
inline constexpr absl::Duration kRevisionReadTimeout = absl::Seconds(1);

// Knows for which times a timer task is under way, so that one task serves all who want to be
// woken at its time or later.
//
// Thread-safety: thread-compatible; its user's lock guards it.
class TickScheduler {
 public:
  // Whether a task has to be posted for `wake`; if so, it counts as posted.
  bool Arm(absl::Time wake) {
    if (wake == absl::InfiniteFuture() || (!posted_.empty() && *posted_.begin() <= wake)) return false;
    posted_.insert(wake);
    return true;
  }
  // A task runs at `now`.
  void Fired(absl::Time now) { posted_.erase(posted_.begin(), posted_.upper_bound(now)); }

 private:
  std::set<absl::Time> posted_;
};

class RevisionReader : public std::enable_shared_from_this<RevisionReader> {
 public:
  using Callback = absl::AnyInvocable<void(absl::StatusOr<Revision>)>;

  RevisionReader(storeclient::StoreClient* client, Executor* executor, metrics::FreshnessMetrics metrics)
      : client_(client), executor_(executor), metrics_(metrics) {}

  // The store's revision at some moment after this call.
  void Read(absl::Time deadline, Callback done);
  // Ends all readers; later ones end at once.
  void Stop();

 private:
  struct Ready {
    Callback done;
    absl::StatusOr<Revision> revision;
  };
  // What a step of the core left to do outside the lock.
  struct Work {
    std::vector<Ready> ready;
    RevisionCoalescer::ReadId start = 0;  // 0: none
    absl::Time wake = absl::InfiniteFuture();
    bool arm = false;
  };

  Work Take(RevisionCoalescer::Actions actions) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Do(Work work);
  void Start(RevisionCoalescer::ReadId read);
  void Tick();

  storeclient::StoreClient* const client_;
  Executor* const executor_;
  metrics::FreshnessMetrics metrics_;

  Mutex mu_;
  RevisionCoalescer core_ ABSL_GUARDED_BY(mu_);
  std::unordered_map<RevisionCoalescer::ReaderId, Callback> callbacks_ ABSL_GUARDED_BY(mu_);
  RevisionCoalescer::ReaderId next_reader_ ABSL_GUARDED_BY(mu_) = 1;
  TickScheduler scheduler_ ABSL_GUARDED_BY(mu_);
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
};

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
  void Stop();

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
  void EndAll(const absl::Status& reason, bool stop);

  Executor* const executor_;
  const std::function<void()> request_progress_;
  metrics::FreshnessMetrics metrics_;

  mutable Mutex mu_;
  FreshnessWaits core_ ABSL_GUARDED_BY(mu_);
  std::unordered_map<FreshnessWaits::WaiterId, Callback> callbacks_ ABSL_GUARDED_BY(mu_);
  FreshnessWaits::WaiterId next_waiter_ ABSL_GUARDED_BY(mu_) = 1;
  TickScheduler scheduler_ ABSL_GUARDED_BY(mu_);
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_FRESHNESS_H_
