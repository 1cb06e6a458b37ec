// RevisionReader drives RevisionCoalescer (revision_coalescer.h) with a lock, an executor for its timers, and the store: "which
// revision does the store have?", one reader for all mirrors. It is the first half of freshness; the second is FreshnessGate.
//
//   reader->Read(deadline, [gate, deadline](absl::StatusOr<Revision> revision) {
//     gate->Wait(*revision, deadline, [](absl::Status status) { ... answer from the snapshot ... });
//   });
//
// Thread-safety: thread-safe. Callbacks run outside every lock, on the thread that brought the news: the caller's, the
//                store client's or the executor's. They must be quick.
// Ownership:     held by shared_ptr; timers and reads keep weak references. The executor and the client outlive it.
// Errors:        see revision_coalescer.h; kStopped after Stop.
#ifndef TIDEMARK_CACHE_REVISION_READER_H_
#define TIDEMARK_CACHE_REVISION_READER_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "cache/revision_coalescer.h"
#include "cache/tick_scheduler.h"
#include "metrics/cache_metrics.h"
#include "storeclient/store_client.h"

namespace tidemark::cache {

// One attempt of a revision read: short beside the 3 s that a reader has, so that a dead endpoint leaves time for others.
inline constexpr absl::Duration kRevisionReadTimeout = absl::Seconds(1);

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

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_REVISION_READER_H_
