#include "cache/event_history.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"

namespace tidemark::cache {

void EventHistory::Append(absl::Span<const EventRef> events, absl::Time now) {
  TM_CHECK(!events.empty());
  TM_CHECK(events.front()->revision() > newest_) << events.front()->revision() << " after " << newest_;
  for (const EventRef& event : events) {
    TM_CHECK(event->revision() >= newest_) << event->revision() << " after " << newest_;
    newest_ = event->revision();
    event_bytes_ += event->kept_bytes();
    events_.push_back(event);
  }
  marks_.push_back({end(), now});
}

void EventHistory::MaybeKeep(const SnapshotRef& snapshot, absl::Time now) {
  const uint64_t events = end() - last_keep_end_;
  if (events < kKeepEventsMin || (events < kKeepEventsMax && now - last_keep_time_ < kKeepGap)) return;
  kept_.push_back({newest_, end(), snapshot});
  last_keep_end_ = end();
  last_keep_time_ = now;
}

void EventHistory::Trim(absl::Time now, Dropped* dropped) {
  while (!marks_.empty() && marks_.front().time + options_.span < now) DropBelow(marks_.front().end, dropped);
  // An Append may be big: by bytes it goes batch by batch. Frames are counted down only when the dropped events are freed, after
  // this, so an average stands for them.
  const size_t all_bytes = bytes();
  if (all_bytes <= options_.bytes_max) return;
  const size_t excess = all_bytes - options_.bytes_max;
  const size_t besides = events_.empty() ? 0 : (all_bytes - event_bytes_) / events_.size();
  const size_t event_bytes_before = event_bytes_;
  const uint64_t first_before = first_;
  while (!events_.empty() && event_bytes_before - event_bytes_ + (first_ - first_before) * besides < excess) {
    DropBelow(BatchEnd(first_), dropped);
  }
}

void EventHistory::CutBelow(Revision compacted, Dropped* dropped) {
  if (compacted <= oldest_) return;
  const uint64_t above = FirstAbove(compacted);
  if (above > first_) DropBelow(above, dropped);
  oldest_ = compacted;
  while (!kept_.empty() && kept_.front().revision < oldest_) {
    dropped->snapshots.push_back(std::move(kept_.front().snapshot));
    kept_.pop_front();
  }
}

absl::StatusOr<EventHistory::Exact> EventHistory::At(Revision revision, const SnapshotRef& current) const {
  if (revision < oldest_) {
    return MakeError(ErrorKind::kCompacted, absl::StrCat("the history begins at revision ", oldest_.value()), oldest_);
  }
  const uint64_t wanted = FirstAbove(revision);  // the state contains the events below this one
  const auto after = std::lower_bound(kept_.begin(), kept_.end(), wanted,
                                      [](const Kept& kept, uint64_t sequence) { return kept.end < sequence; });
  // Two candidates: the next snapshot that contains too much, and the one before, which lacks something.
  const uint64_t above_end = after == kept_.end() ? end() : after->end;
  const bool has_below = after != kept_.begin();
  if (has_below && wanted - std::prev(after)->end < above_end - wanted) {
    return Exact{std::prev(after)->snapshot, Copy(std::prev(after)->end, wanted), false};
  }
  std::vector<EventRef> events = Copy(wanted, above_end);
  std::reverse(events.begin(), events.end());
  return Exact{after == kept_.end() ? current : after->snapshot, std::move(events), true};
}

uint64_t EventHistory::FirstAbove(Revision revision) const {
  const auto above = std::upper_bound(events_.begin(), events_.end(), revision,
                                      [](Revision value, const EventRef& event) { return value < event->revision(); });
  return first_ + static_cast<uint64_t>(above - events_.begin());
}

size_t EventHistory::bytes() const {
  const uint64_t kept_events = kept_.empty() ? 0 : kept_.back().end - std::min(kept_.back().end, first_);
  const int64_t frames = std::max<int64_t>(0, frame_bytes_->load(std::memory_order_relaxed));
  return event_bytes_ + kept_events * kKeptNodeBytesPerEvent + static_cast<size_t>(frames);
}

void EventHistory::DropBelow(uint64_t sequence, Dropped* dropped) {
  while (first_ < sequence) {
    EventRef& event = events_.front();
    oldest_ = event->revision();
    event_bytes_ -= event->kept_bytes();
    dropped->events.push_back(std::move(event));
    events_.pop_front();
    ++first_;
  }
  while (!marks_.empty() && marks_.front().end <= first_) marks_.pop_front();
  while (!kept_.empty() && kept_.front().revision < oldest_) {
    dropped->snapshots.push_back(std::move(kept_.front().snapshot));
    kept_.pop_front();
  }
}

uint64_t EventHistory::BatchEnd(uint64_t sequence) const { return FirstAbove(event(sequence)->revision()); }

std::vector<EventRef> EventHistory::Copy(uint64_t from, uint64_t to) const {
  return std::vector<EventRef>(events_.begin() + static_cast<ptrdiff_t>(from - first_),
                               events_.begin() + static_cast<ptrdiff_t>(to - first_));
}

}  // namespace tidemark::cache
