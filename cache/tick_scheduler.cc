#include "cache/tick_scheduler.h"

namespace tidemark::cache {

bool TickScheduler::Arm(absl::Time wake) {
  if (wake == absl::InfiniteFuture() || (!posted_.empty() && *posted_.begin() <= wake)) return false;
  posted_.insert(wake);
  return true;
}

void TickScheduler::Fired(absl::Time now) { posted_.erase(posted_.begin(), posted_.upper_bound(now)); }

}  // namespace tidemark::cache
