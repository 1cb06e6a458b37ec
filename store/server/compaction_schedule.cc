#include "store/server/compaction_schedule.h"

#include <algorithm>

#include "base/check.h"

namespace tidemark::store {
namespace {

constexpr absl::Duration kRevisionInterval = absl::Minutes(5);  // etcd's
constexpr absl::Duration kPeriodicEveryMax = absl::Hours(1);    // likewise
constexpr int kSamplesPerCompaction = 10;                       // likewise

}  // namespace

CompactionSchedule::CompactionSchedule(config::CompactionMode mode, absl::Duration period, int64_t revisions,
                                       absl::Time start)
    : mode_(mode),
      period_(period),
      revisions_(revisions),
      every_(std::min(period, kPeriodicEveryMax)),
      interval_(mode == config::CompactionMode::kRevision ? kRevisionInterval : every_ / kSamplesPerCompaction),
      last_(start) {
  TM_CHECK(mode != config::CompactionMode::kOff && interval_ > absl::ZeroDuration());
}

std::optional<Revision> CompactionSchedule::Tick(absl::Time now, Revision current) {
  std::optional<Revision> revision;
  if (mode_ == config::CompactionMode::kPeriodic) {
    revision = PeriodicTick(now, current);
  } else if (current.value() > revisions_) {
    revision = Revision(current.value() - revisions_);
  }
  if (!revision.has_value() || *revision <= compacted_) return std::nullopt;
  compacted_ = *revision;
  return revision;
}

std::optional<Revision> CompactionSchedule::PeriodicTick(absl::Time now, Revision current) {
  samples_.emplace_back(now, current);
  // The newest sample that is a period old is the one that counts.
  while (samples_.size() > 1 && samples_[1].first <= now - period_) samples_.pop_front();
  if (samples_.front().first > now - period_ || now - last_ < every_) return std::nullopt;
  last_ = now;
  return samples_.front().second;
}

}  // namespace tidemark::store
