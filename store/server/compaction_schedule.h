// CompactionSchedule decides when --auto-compaction compacts, and up to which revision. Pure: told the time and the
// revision now and then, it answers with a revision or not.
//
//   periodic: once a period, or once an hour if that is shorter, up to what was the newest revision one period ago
//   revision: every five minutes, up to the newest revision less the retention
//
// Thread-safety: thread-compatible.
// Invariants:    answers rise.
// Source:        etcd v3 server/etcdserver/api/v3compactor.
#ifndef TIDEMARK_STORE_SERVER_COMPACTION_SCHEDULE_H_
#define TIDEMARK_STORE_SERVER_COMPACTION_SCHEDULE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "base/revision.h"
#include "config/options.h"

namespace tidemark::store {

class CompactionSchedule {
 public:
  // REQUIRES: mode is not kOff.
  CompactionSchedule(config::CompactionMode mode, absl::Duration period, int64_t revisions, absl::Time start);

  // How often Tick wants to be called.
  absl::Duration interval() const { return interval_; }
  std::optional<Revision> Tick(absl::Time now, Revision current);

 private:
  std::optional<Revision> PeriodicTick(absl::Time now, Revision current);

  const config::CompactionMode mode_;
  const absl::Duration period_;
  const int64_t revisions_;
  const absl::Duration every_;     // between two compactions
  const absl::Duration interval_;  // between two ticks
  absl::Time last_;                // of the last compaction, or the start
  Revision compacted_;
  std::deque<std::pair<absl::Time, Revision>> samples_;  // ascending; the oldest is the first not younger than a period
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_COMPACTION_SCHEDULE_H_
