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

bool EventHistory::MaybeKeep(const SnapshotRef& snapshot, size_t node_bytes, absl::Time now) {
  // None is kept any more after a cut, or yet: the nodes are nobody's.
  if (!kept_.empty()) {
    node_bytes_ += node_bytes - kept_.back().node_bytes;
    kept_.back().node_bytes = node_bytes;
  }
  const uint64_t events = end() - last_keep_end_;
  if (events < kKeepEventsMin || (events < kKeepEventsMax && now - last_keep_time_ < kKeepGap)) return false;
  kept_.push_back({newest_, end(), snapshot});
  last_keep_end_ = end();
  last_keep_time_ = now;
  return true;
}

void EventHistory::Trim(absl::Time now, Dropped* dropped) {
  while (!marks_.empty() && marks_.front().time + options_.span < now) DropBelow(marks_.front().end, dropped);
  // An Append may be big: by bytes it goes batch by batch. Frames are counted down only when the dropped events are freed, after
  // this, so an average stands for them.
  const size_t all_bytes = bytes();
  if (all_bytes <= options_.bytes_max) return;
  const size_t excess = all_bytes - options_.bytes_max;
  const size_t counted_before = event_bytes_ + node_bytes_;
  const size_t frame_bytes = events_.empty() ? 0 : (all_bytes - counted_before) / events_.size();
  const uint64_t first_before = first_;
  while (!events_.empty() &&
         counted_before - (event_bytes_ + node_bytes_) + (first_ - first_before) * frame_bytes < excess) {
    DropBelow(BatchEnd(first_), dropped);
  }
}

bool EventHistory::CutBelow(Revision compacted, size_t events_max, Dropped* dropped) {
  TM_CHECK(events_max > 0);
  if (compacted <= oldest_) return true;
  const uint64_t above = FirstAbove(compacted);
  if (above - first_ > events_max) {
    DropBelow(BatchEnd(first_ + events_max - 1), dropped);
    if (first_ < above) return false;
  }
  DropBelow(above, dropped);
  oldest_ = compacted;
  while (!kept_.empty() && kept_.front().revision < oldest_) DropOldestKept(dropped);
  return true;
}

void EventHistory::DropOldest(size_t events, Dropped* dropped) {
  DropBelow(std::min(end(), first_ + events), dropped);
  while (events_.empty() && !kept_.empty()) DropOldestKept(dropped);
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
  const int64_t frames = std::max<int64_t>(0, frame_bytes_->load(std::memory_order_relaxed));
  return event_bytes_ + node_bytes_ + static_cast<size_t>(frames);
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
  while (!kept_.empty() && kept_.front().revision < oldest_) DropOldestKept(dropped);
}

void EventHistory::DropOldestKept(Dropped* dropped) {
  node_bytes_ -= kept_.front().node_bytes;
  dropped->snapshots.push_back(std::move(kept_.front().snapshot));
  kept_.pop_front();
}

uint64_t EventHistory::BatchEnd(uint64_t sequence) const { return FirstAbove(event(sequence)->revision()); }

std::vector<EventRef> EventHistory::Copy(uint64_t from, uint64_t to) const {
  return std::vector<EventRef>(events_.begin() + static_cast<ptrdiff_t>(from - first_),
                               events_.begin() + static_cast<ptrdiff_t>(to - first_));
}

}  // namespace tidemark::cache
