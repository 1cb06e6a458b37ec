#include "cache/compaction_tracker.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "base/status.h"

namespace tidemark::cache {

CompactionTracker::Running::Running(CompactionTracker* tracker) : tracker_(tracker) {
  MutexLock lock(&tracker_->mu_);
  entered_ = !tracker_->stopped_;
  if (entered_) ++tracker_->calls_;
}

CompactionTracker::Running::~Running() {
  if (!entered_) return;
  MutexLock lock(&tracker_->mu_);
  --tracker_->calls_;
  tracker_->idle_.SignalAll();
}

void CompactionTracker::Start() {
  follow_ = client_->Follow({.prefix = std::string(kCompactRevKey), .name = std::string(kCompactRevKey)}, this);
  ScheduleProbe();
}

void CompactionTracker::Stop() {
  {
    MutexLock lock(&mu_);
    stopped_ = true;
    while (calls_ > 0) idle_.Wait(&mu_);
  }
  follow_.reset();
}

void CompactionTracker::OnListPage(absl::Span<const storeclient::KeyValueView> page) {
  for (const storeclient::KeyValueView& kv : page) Announced(kv);
}

void CompactionTracker::OnEvents(absl::Span<const storeclient::EventView> events) {
  for (const storeclient::EventView& event : events) {
    if (event.type == storeclient::EventView::Type::kPut) Announced(event.kv);
  }
}

void CompactionTracker::Announced(const storeclient::KeyValueView& kv) {
  int64_t revision = 0;
  if (kv.key != kCompactRevKey || !absl::SimpleAtoi(kv.value, &revision) || revision <= 0) return;
  // Nobody can announce a compaction above his own write; believed, it would end the probes for good.
  if (Revision(revision) >= kv.mod_revision) return;
  // The follow that brings this also brings rewinds: it speaks of the store as it is.
  Cut(generation(), Revision(revision));
}

void CompactionTracker::OnRewound(const absl::Status&) {
  const Running running(this);
  if (!running) return;
  MutexLock lock(&cut_mu_);
  ++generation_;
  cut_(Revision());
}

void CompactionTracker::ScheduleProbe() {
  executor_->PostAt(executor_->clock().Now() + kCompactionProbeGap, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Probe();
  });
}

void CompactionTracker::Probe() {
  const Running running(this);
  if (!running) return;
  const uint64_t generation = this->generation();
  const Bounds bounds = bounds_();
  if (bounds.oldest.is_none() || bounds.oldest >= bounds.newest) return ScheduleProbe();
  ReadAt(generation, bounds.oldest, [generation, bounds](CompactionTracker* self, const absl::Status& status) {
    if (!IsCompacted(status)) return self->ScheduleProbe();
    if (const std::optional<Revision> revision = RevisionOf(status)) {
      self->Cut(generation, *revision);
      return self->ScheduleProbe();
    }
    self->Bisect(generation, bounds.oldest, bounds.newest);
  });
}

void CompactionTracker::Bisect(uint64_t generation, Revision compacted, Revision served) {
  if (compacted.Next() >= served) {
    Cut(generation, served);
    return ScheduleProbe();
  }
  const Revision middle((compacted.value() + served.value()) / 2);
  ReadAt(generation, middle, [=](CompactionTracker* self, const absl::Status& status) {
    if (IsCompacted(status)) return self->Bisect(generation, middle, served);
    if (status.ok()) return self->Bisect(generation, compacted, middle);
    self->ScheduleProbe();
  });
}

uint64_t CompactionTracker::generation() {
  MutexLock lock(&cut_mu_);
  return generation_;
}

void CompactionTracker::Cut(uint64_t generation, Revision revision) {
  const Running running(this);
  if (!running) return;
  MutexLock lock(&cut_mu_);
  if (generation == generation_) cut_(revision);
}

void CompactionTracker::ReadAt(uint64_t generation, Revision revision,
                               std::function<void(CompactionTracker*, const absl::Status&)> done) {
  client_->Range(
      {.key = std::string(kCompactRevKey), .revision = revision, .limit = 1, .count_only = true},
      executor_->clock().Now() + kCompactionProbeTimeout,
      [weak = weak_from_this(), generation, done = std::move(done)](absl::StatusOr<storeclient::RangeResult> result) {
        auto self = weak.lock();
        if (self == nullptr) return;
        const Running running(self.get());
        if (!running) return;
        if (generation != self->generation()) return self->ScheduleProbe();
        done(self.get(), result.status());
      });
}

}  // namespace tidemark::cache
