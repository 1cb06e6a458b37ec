#include "cache/timeline.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"
#include "cache/history_cursor.h"
#include "cache/overlay_snapshot.h"

namespace tidemark::cache {
namespace {

// The keys that differ between the base and the revision, as they are at the revision: the last word is the one nearest to it.
Overrides OverridesOf(const EventHistory::Exact& exact) {
  std::map<absl::string_view, const ObjectRef*> last;
  for (const EventRef& event : exact.events) {
    last[event->any_object().key()] = exact.undo ? &event->old_object_ref() : &event->object_ref();
  }
  Overrides overrides;
  overrides.reserve(last.size());
  for (const auto& [key, object] : last) overrides.emplace_back(std::string(key), *object);
  return overrides;
}

}  // namespace

Timeline::Timeline(EventHistory::Options options, std::shared_ptr<const ObjectSchema> schema, Clock* clock,
                   metrics::MirrorMetrics metrics, Revision start, SnapshotRef snapshot)
    : schema_(std::move(schema)),
      clock_(clock),
      metrics_(metrics),
      frame_bytes_(std::make_shared<Event::FrameBytes>(0)),
      history_(options, start, frame_bytes_),
      snapshot_(std::move(snapshot)),
      revision_(start) {}

absl::StatusOr<Timeline::State> Timeline::Current() const {
  MutexLock lock(&mu_);
  if (!ended_.ok()) return ended_;
  return State{snapshot_, revision_};
}

absl::StatusOr<SnapshotRef> Timeline::At(Revision revision) const {
  EventHistory::Exact exact;
  {
    MutexLock lock(&mu_);
    if (!ended_.ok()) return ended_;
    if (revision > revision_) return MakeError(ErrorKind::kFutureRevision, "the mirror is not there yet", revision_);
    TM_ASSIGN_OR_RETURN(exact, history_.At(revision, snapshot_));
  }
  if (exact.events.empty()) return std::move(exact.base);
  Overrides overrides = OverridesOf(exact);
  return MakeOverlaySnapshot(std::move(exact.base), revision, std::move(overrides));
}

absl::StatusOr<std::unique_ptr<WatchCursor>> Timeline::Watch(WatchQuery query, std::function<void()> waker) {
  const Interest interest = ChooseInterest(query.scope, query.selector, *schema_);
  auto place = std::make_unique<Place>();
  place->subscriber.waker = std::make_shared<const std::function<void()>>(std::move(waker));
  MutexLock lock(&mu_);
  if (!ended_.ok()) return ended_;
  if (query.after < history_.oldest()) return FellOutLocked();
  registry_.Join(interest, history_.end(), &place->subscriber);
  place->sequence = history_.FirstAbove(query.after);
  StopWalkingLocked(place.get());
  return std::make_unique<HistoryCursor>(shared_from_this(), schema_, std::move(query), std::move(place));
}

Revision Timeline::revision() const {
  MutexLock lock(&mu_);
  return revision_;
}

Revision Timeline::oldest() const {
  MutexLock lock(&mu_);
  return history_.oldest();
}

Revision Timeline::newest_event() const {
  MutexLock lock(&mu_);
  return history_.newest();
}

std::shared_ptr<const WatchedKeys> Timeline::watched_keys() const {
  MutexLock lock(&mu_);
  return registry_.watched_keys();
}

Timeline::Appended Timeline::Append(std::vector<RoutedEvent> events, const std::shared_ptr<const WatchedKeys>& keys,
                                    SnapshotRef snapshot, size_t node_bytes) {
  std::vector<EventRef> refs;
  refs.reserve(events.size());
  for (const RoutedEvent& event : events) refs.push_back(event.event);
  Appended appended;
  EventHistory::Dropped dropped;
  const absl::Time now = clock_->Now();
  std::shared_ptr<const WatchedKeys> routed_by = keys;
  while (true) {
    {
      MutexLock lock(&mu_);
      if (registry_.watched_keys() == routed_by) {
        uint64_t sequence = history_.end();
        history_.Append(refs, now);
        for (RoutedEvent& event : events) {
          const Object& object = event.event->any_object();
          registry_.Post({object.key(), object.namespace_name(), std::move(event.pairs)}, sequence++, &appended.wakers);
        }
        snapshot_ = std::move(snapshot);
        revision_ = std::max(revision_, history_.newest());
        appended.kept = history_.MaybeKeep(snapshot_, node_bytes, now);
        history_.Trim(now, &dropped);
        registry_.Sweep(history_.first(), now);
        break;
      }
      routed_by = registry_.watched_keys();
    }
    // Somebody began to watch by another key meanwhile; it is rare, and reading the objects again stays outside the lock.
    RouteAnew(&events, *routed_by);
  }
  metrics_.events_dispatched.Increment(static_cast<double>(refs.size()));
  if (!appended.wakers.empty()) metrics_.watcher_wakes.Increment(static_cast<double>(appended.wakers.size()));
  Discard(std::move(dropped));
  FreeDropped(refs.size() + kEventsFreedPerAppend);
  return appended;
}

void Timeline::Advance(Revision revision) {
  MutexLock lock(&mu_);
  revision_ = std::max(revision_, revision);
}

void Timeline::CutBelow(Revision compacted) {
  for (bool done = false; !done;) {
    EventHistory::Dropped dropped;
    {
      MutexLock lock(&mu_);
      done = history_.CutBelow(std::min(compacted, revision_), kEventsCutAtATime, &dropped);
    }
    Discard(std::move(dropped));
  }
}

void Timeline::Housekeep() {
  EventHistory::Dropped dropped;
  {
    MutexLock lock(&mu_);
    const absl::Time now = clock_->Now();
    history_.Trim(now, &dropped);
    registry_.Sweep(history_.first(), now, kBucketsSweptPerHousekeep);
    metrics_.history_events.Set(static_cast<double>(history_.end() - history_.first()));
    metrics_.history_bytes.Set(static_cast<double>(history_.bytes()));
    metrics_.history_oldest_revision.Set(static_cast<double>(history_.oldest().value()));
    metrics_.watchers.Set(static_cast<double>(registry_.subscribers()));
  }
  Discard(std::move(dropped));
}

void Timeline::End(const absl::Status& reason) {
  TM_CHECK(!reason.ok());
  std::vector<InterestRegistry::Waker> wakers;
  {
    MutexLock lock(&mu_);
    if (!ended_.ok()) return;
    ended_ = reason;
    registry_.WakeAll(&wakers);
  }
  for (const InterestRegistry::Waker& waker : wakers) (*waker)();
}

Timeline::Pulled Timeline::Pull(Place* place, size_t max_events, std::vector<EventRef>* events) {
  MutexLock lock(&mu_);
  Pulled pulled;
  if (!ended_.ok()) {
    const bool says_farewell = KindOf(ended_) == ErrorKind::kGone;
    if (says_farewell) pulled.status = PullLocked(place, max_events, events);
    if (pulled.status.ok() && events->empty()) pulled.status = ended_;
    return pulled;
  }
  pulled.status = PullLocked(place, max_events, events);
  pulled.armed = pulled.status.ok() && AtEndLocked(*place);
  if (pulled.armed) registry_.Arm(&place->subscriber);
  if (!pulled.status.ok()) metrics_.terminated_watchers.Increment();
  return pulled;
}

bool Timeline::AtEndLocked(const Place& place) const {
  return place.walking ? place.sequence == history_.end() : place.position == place.subscriber.bucket->postings().end();
}

absl::Status Timeline::PullLocked(Place* place, size_t max_events, std::vector<EventRef>* events) {
  if (place->walking) {
    TM_RETURN_IF_ERROR(WalkLocked(place, max_events, events));
    if (place->walking || !events->empty()) return absl::OkStatus();
  }
  const PostingList& postings = place->subscriber.bucket->postings();
  if (place->position < postings.begin()) return FellOutLocked();
  for (; place->position < postings.end() && events->size() < max_events; ++place->position) {
    const uint64_t sequence = postings.at(place->position);
    if (sequence < history_.first()) return FellOutLocked();
    events->push_back(history_.event(sequence));
  }
  return absl::OkStatus();
}

absl::Status Timeline::WalkLocked(Place* place, size_t max_events, std::vector<EventRef>* events) {
  const uint64_t end = WalkEndLocked(*place);
  if (place->sequence < history_.first()) return FellOutLocked();
  for (; place->sequence < end && events->size() < max_events; ++place->sequence) {
    events->push_back(history_.event(place->sequence));
  }
  StopWalkingLocked(place);
  return absl::OkStatus();
}

void Timeline::StopWalkingLocked(Place* place) {
  const InterestRegistry::Bucket& bucket = *place->subscriber.bucket;
  if (bucket.reads_history() || place->sequence < bucket.complete_from()) return;
  place->walking = false;
  place->position = bucket.postings().PositionOf(place->sequence);
}

uint64_t Timeline::WalkEndLocked(const Place& place) const {
  const InterestRegistry::Bucket& bucket = *place.subscriber.bucket;
  return bucket.reads_history() ? history_.end() : bucket.complete_from();
}

absl::Status Timeline::FellOutLocked() const {
  return MakeError(ErrorKind::kCompacted, absl::StrCat("the history begins at revision ", history_.oldest().value()),
                   history_.oldest());
}

Revision Timeline::ReachedBy(const Place& place, Revision at_least) const {
  MutexLock lock(&mu_);
  const PostingList& postings = place.subscriber.bucket->postings();
  uint64_t next = history_.end();
  if (place.walking) {
    next = place.sequence;
  } else {
    if (place.position < postings.begin()) return at_least;
    if (place.position < postings.end()) next = postings.at(place.position);
  }
  if (next < history_.first()) return at_least;
  if (next == history_.end()) return std::max(at_least, revision_);
  return std::max(at_least, history_.event(next)->revision().Previous());
}

void Timeline::Leave(Place* place) {
  MutexLock lock(&mu_);
  registry_.Leave(&place->subscriber, clock_->Now());
}

std::unique_ptr<ObjectReader> Timeline::TakeReader() {
  MutexLock lock(&readers_mu_);
  if (readers_.empty()) return std::make_unique<ObjectReader>(schema_);
  std::unique_ptr<ObjectReader> reader = std::move(readers_.back());
  readers_.pop_back();
  return reader;
}

void Timeline::GiveReader(std::unique_ptr<ObjectReader> reader) {
  MutexLock lock(&readers_mu_);
  readers_.push_back(std::move(reader));
}

void Timeline::RouteAnew(std::vector<RoutedEvent>* events, const WatchedKeys& wanted) {
  std::unique_ptr<ObjectReader> before_reader = TakeReader();
  std::unique_ptr<ObjectReader> after_reader = TakeReader();
  const auto read = [](const Object* object, ObjectReader* reader) {
    return object == nullptr || object->unreadable() ? nullptr : &reader->Read(*object);
  };
  for (RoutedEvent& event : *events) {
    const Selectable* const before = read(event.event->old_object(), before_reader.get());
    const Selectable* const after = read(event.event->object(), after_reader.get());
    event.pairs = PairValuesOf(wanted, *schema_, before, after);
  }
  GiveReader(std::move(before_reader));
  GiveReader(std::move(after_reader));
}

bool Timeline::FreeDropped(size_t events) {
  for (; events > 0 && !trash_.empty(); --events) trash_.pop_front();
  return !trash_.empty();
}

bool Timeline::FreeEnded(size_t events) {
  EventHistory::Dropped dropped;
  SnapshotRef snapshot;
  {
    MutexLock lock(&mu_);
    TM_CHECK(!ended_.ok());
    history_.DropOldest(events, &dropped);
    if (history_.first() == history_.end()) snapshot = std::move(snapshot_);
  }
  const bool done = !FreeDropped(events) && dropped.events.size() < events;
  return !done;
}

void Timeline::Discard(EventHistory::Dropped dropped) {
  for (EventRef& event : dropped.events) trash_.push_back(std::move(event));
}

}  // namespace tidemark::cache
