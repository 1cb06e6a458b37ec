#include "cache/history_cursor.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "cache/planted_fault.h"
#include "cache/selector_match.h"
#include "cache/unreadable.h"

namespace tidemark::cache {

HistoryCursor::HistoryCursor(std::shared_ptr<Timeline> timeline, std::shared_ptr<const ObjectSchema> schema,
                             WatchQuery query, std::unique_ptr<Timeline::Place> place)
    : timeline_(std::move(timeline)),
      schema_(std::move(schema)),
      query_(std::move(query)),
      place_(std::move(place)),
      reported_(query_.after) {}

HistoryCursor::~HistoryCursor() { timeline_->Leave(place_.get()); }

absl::Status HistoryCursor::Next(size_t max_events, std::vector<WatchEvent>* events) {
  TM_RETURN_IF_ERROR(failed_);
  const size_t before = events->size();
  std::unique_ptr<ObjectReader> reader;
  std::vector<EventRef> pulled;
  // What the interest let through may not pass the selector: go on until something does, or there is no more.
  size_t looked_at = 0;
  caught_up_ = false;
  while (failed_.ok() && !caught_up_ && events->size() == before && looked_at < kEventsPerNextMax) {
    pulled.clear();
    const Timeline::Pulled pull =
        timeline_->Pull(place_.get(), std::min(max_events, kEventsPerNextMax - looked_at), &pulled);
    failed_ = pull.status;
    caught_up_ = pull.armed;
    if (pulled.empty()) break;
    looked_at += pulled.size();
    if (reader == nullptr && !query_.selector.empty()) reader = timeline_->TakeReader();
    for (const EventRef& event : pulled) {
      failed_ = Show(event, reader.get(), events);
      if (!failed_.ok()) break;
    }
  }
  if (!failed_.ok()) caught_up_ = false;  // the error comes next
  if (reader != nullptr) timeline_->GiveReader(std::move(reader));
  // The place is armed only when there is no more; here there may be, and nobody else would wake the caller.
  if (failed_.ok() && !caught_up_ && events->size() == before && looked_at >= kEventsPerNextMax)
    (*place_->subscriber.waker)();
  // What was shown before the error goes out first.
  return events->size() > before ? absl::OkStatus() : failed_;
}

Revision HistoryCursor::revision() const {
  if (failed_.ok()) reported_ = timeline_->ReachedBy(*place_, reported_);
  return HasFault("bookmark-ahead-of-events") ? Revision(reported_.value() + 1) : reported_;
}

absl::Status HistoryCursor::Show(const EventRef& event, ObjectReader* reader, std::vector<WatchEvent>* events) const {
  if (event->revision() <= query_.after) return absl::OkStatus();
  if (HasFault("event-swallowed") && event->revision().value() % 16 == 0) return absl::OkStatus();
  if (!InScope(event->any_object().key(), query_.scope, schema_->namespaced())) return absl::OkStatus();
  const Sight after = See(event->object(), reader);
  if (after == Sight::kUnreadable) return UnreadableError(schema_->key_prefix(), *event->object());
  // What could not be read was never shown.
  const bool was = See(event->old_object(), reader) == Sight::kYes;
  if (!was && after == Sight::kNo) return absl::OkStatus();
  WatchEvent shown{.revision = event->revision(), .event = event};
  if (after == Sight::kNo) {
    shown.type = WatchEvent::Type::kDeleted;
    shown.object = event->old_object();
  } else {
    shown.type = was ? WatchEvent::Type::kModified : WatchEvent::Type::kAdded;
    shown.object = event->object();
  }
  events->push_back(std::move(shown));
  return absl::OkStatus();
}

HistoryCursor::Sight HistoryCursor::See(const Object* object, ObjectReader* reader) const {
  if (object == nullptr) return Sight::kNo;
  if (object->unreadable() && !(query_.with_unreadable && query_.selector.empty())) return Sight::kUnreadable;
  if (query_.selector.empty()) return Sight::kYes;
  return Matches(*object, query_.selector.requirements, *schema_, reader) ? Sight::kYes : Sight::kNo;
}

}  // namespace tidemark::cache
