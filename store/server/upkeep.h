// Upkeep is what a member does by itself at intervals: due leases are revoked, the history is compacted as configured,
// the quota and the gauges get fresh figures. What changes the state is proposed like a client's request.
//
// Thread-safety: thread-safe; the work is confined to the executor.
// Ownership:     borrows its parts and the executor, which has stopped before this object goes.
#ifndef TIDEMARK_STORE_SERVER_UPKEEP_H_
#define TIDEMARK_STORE_SERVER_UPKEEP_H_

#include <optional>

#include "absl/time/time.h"
#include "base/executor.h"
#include "store/server/compaction_schedule.h"
#include "store/server/service_parts.h"

namespace tidemark::store {

class Upkeep {
 public:
  Upkeep(const ServiceParts& parts, Executor* executor, std::optional<CompactionSchedule> compaction)
      : parts_(parts), executor_(executor), compaction_(std::move(compaction)) {}

  void Start();

 private:
  void ExpireLeases();
  void CompactIfDue();
  void ShowFigures();
  void PostIn(absl::Duration delay, void (Upkeep::*work)());

  const ServiceParts parts_;
  Executor* const executor_;
  std::optional<CompactionSchedule> compaction_;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_UPKEEP_H_
