// TickScheduler knows for which times a timer task is under way, so that one task serves all who want to be woken at its time or
// later.
//
//   if (scheduler.Arm(core.NextWake())) executor->PostAt(...);     // the task calls Fired, then the core
//
// Thread-safety: thread-compatible; its user's lock guards it.
// Cost:          O(log tasks under way), which are few.
#ifndef TIDEMARK_CACHE_TICK_SCHEDULER_H_
#define TIDEMARK_CACHE_TICK_SCHEDULER_H_

#include <set>

#include "absl/time/time.h"

namespace tidemark::cache {

class TickScheduler {
 public:
  // Whether a task has to be posted for `wake`; if so, it counts as posted. InfiniteFuture needs none.
  bool Arm(absl::Time wake);
  // A task runs at `now`.
  void Fired(absl::Time now);

 private:
  std::set<absl::Time> posted_;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_TICK_SCHEDULER_H_
