#include "storeclient/whole_revisions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace tidemark::storeclient {

void WholeRevisions::Clear() {
  open_.clear();
  closed_.clear();
  closed_views_.clear();
}

absl::Status WholeRevisions::CheckOrder(const WatchView& message, Revision open_revision) {
  Revision last = open_revision;
  for (const EventView& event : message.events) {
    if (event.kv.mod_revision < last) {
      return MakeError(ErrorKind::kCorrupt,
                       absl::StrCat("event at ", event.kv.mod_revision.value(), " after one at ", last.value()));
    }
    last = event.kv.mod_revision;
  }
  return absl::OkStatus();
}

void WholeRevisions::Keep(const EventView& event) {
  open_.push_back({event.type, std::string(event.kv.key), std::string(event.kv.value), event.kv.create_revision,
                   event.kv.mod_revision});
}

absl::Span<const EventView> WholeRevisions::CloseOpen() {
  closed_ = std::exchange(open_, {});
  closed_views_.clear();
  for (const Event& event : closed_) {
    closed_views_.push_back({event.type, {event.key, event.value, event.create_revision, event.mod_revision}});
  }
  return closed_views_;
}

absl::Status WholeRevisions::Add(const WatchView& message, Revision position,
                                 std::vector<absl::Span<const EventView>>* batches) {
  TM_RETURN_IF_ERROR(CheckOrder(message, open_revision()));
  absl::Span<const EventView> events = message.events;
  const auto revision_at = [&](size_t index) { return events[index].kv.mod_revision; };

  size_t begin = 0;
  while (begin < events.size() && revision_at(begin) <= position) ++begin;
  size_t end_of_open = begin;
  if (HasOpen()) {
    while (end_of_open < events.size() && revision_at(end_of_open) == open_revision()) Keep(events[end_of_open++]);
    const bool whole = !message.fragment || end_of_open < events.size();
    if (!whole) return absl::OkStatus();
    batches->push_back(CloseOpen());
  }
  size_t end = events.size();
  if (message.fragment) {
    while (end > end_of_open && revision_at(end - 1) == revision_at(events.size() - 1)) --end;
  }
  if (end > end_of_open) batches->push_back(events.subspan(end_of_open, end - end_of_open));
  for (size_t i = std::max(end, end_of_open); i < events.size(); ++i) Keep(events[i]);
  return absl::OkStatus();
}

}  // namespace tidemark::storeclient
