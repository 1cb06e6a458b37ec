// Timeline is what a mirror knows between two lists of its store: the newest snapshot, the history before it, and the watches on
// it. A mirror that has to list anew ends its timeline, watches and all, and begins another.
//
// Thread-safety: thread-safe. Append, Advance, CutBelow, Housekeep, FreeDropped and FreeEnded are called by one
//                thread at a time.
// Ownership:     held by shared_ptr: by the mirror, and by every cursor.
// Errors:        At and Watch are kCompacted below oldest(); all are the reason of End once that was called.
// Invariants:    the snapshot, the history and revision() change together, under one lock.
// Cost:          Append O(events), whatever the number of watches that are not concerned; Current two words under a lock.
#ifndef TIDEMARK_CACHE_TIMELINE_H_
#define TIDEMARK_CACHE_TIMELINE_H_

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "cache/cache.h"
#include "cache/event.h"
#include "cache/event_history.h"
#include "cache/interest.h"
#include "cache/interest_registry.h"
#include "cache/object_reader.h"
#include "cache/object_schema.h"
#include "metrics/cache_metrics.h"

namespace tidemark::cache {

// Dropped events freed per Append beyond as many as came in: freeing costs up to 1 us each, and a cut history may be long.
inline constexpr size_t kEventsFreedPerAppend = 64;
// Dropped under the lock at a time by a cut, some 1 ms: readers get in between.
inline constexpr size_t kEventsCutAtATime = 10'000;
// Buckets of the registry that Housekeep looks at.
inline constexpr size_t kBucketsSweptPerHousekeep = 1'000;

class Timeline : public std::enable_shared_from_this<Timeline> {
 public:
  // An event with what routes it to watches.
  struct RoutedEvent {
    EventRef event;
    std::vector<PairValues> pairs;  // parallel to the watched keys it was made for
  };
  struct State {
    SnapshotRef snapshot;
    Revision revision;  // the snapshot holds everything up to here, and nothing above
  };

  Timeline(EventHistory::Options options, std::shared_ptr<const ObjectSchema> schema, Clock* clock,
           metrics::MirrorMetrics metrics, Revision start, SnapshotRef snapshot);

  absl::StatusOr<State> Current() const;
  // The state at `revision`; kFutureRevision above revision().
  absl::StatusOr<SnapshotRef> At(Revision revision) const;
  absl::StatusOr<std::unique_ptr<WatchCursor>> Watch(WatchQuery query, std::function<void()> waker);
  Revision revision() const;
  Revision oldest() const;

  // The keys that events have to be routed by; Append takes them back.
  std::shared_ptr<const WatchedKeys> watched_keys() const;
  const std::shared_ptr<Event::FrameBytes>& frame_bytes() const { return frame_bytes_; }
  // The newest event, or where the timeline began: what comes next must be above.
  Revision newest_event() const;

  struct Appended {
    std::vector<InterestRegistry::Waker> wakers;  // to be called by the caller, outside locks
    bool kept = false;                            // the snapshot is kept for the history
  };
  // Whole revisions, ascending, the snapshot that contains them, and the bytes of index nodes that the snapshot kept last
  // sees and this one does not. REQUIRES: not empty; the first is above newest_event().
  [[nodiscard]] Appended Append(std::vector<RoutedEvent> events, const std::shared_ptr<const WatchedKeys>& keys,
                                SnapshotRef snapshot, size_t node_bytes);
  // Nothing happened up to `revision`.
  void Advance(Revision revision);
  void CutBelow(Revision compacted);
  // Once a second: trims, and sets the gauges.
  void Housekeep();
  // Frees up to `events` that were dropped; false when none are left.
  bool FreeDropped(size_t events);
  // The same for all that the history holds; the snapshot goes last. REQUIRES: End was called; of the calls for one thread
  // none comes any more but this.
  bool FreeEnded(size_t events);
  // Every watch and every later call ends with `reason`; with kGone, a watch has what it has not taken yet first.
  void End(const absl::Status& reason);

 private:
  friend class HistoryCursor;

  // Where a cursor stands. First it walks the history up to where its bucket is complete, then it follows the postings.
  struct Place {
    InterestRegistry::Subscriber subscriber;
    bool walking = true;
    uint64_t sequence = 0;  // walking: the next event
    uint64_t position = 0;  // else: the next posting
  };

  // For cursors. Copies up to `max_events` events that may concern the place and moves it on; arms it when there are no more.
  struct Pulled {
    absl::Status status;
    bool armed = false;
  };
  Pulled Pull(Place* place, size_t max_events, std::vector<EventRef>* events);
  // How far the place has come: below its next event, or with the mirror.
  Revision ReachedBy(const Place& place, Revision at_least) const;
  void Leave(Place* place);
  std::unique_ptr<ObjectReader> TakeReader();
  void GiveReader(std::unique_ptr<ObjectReader> reader);

  absl::Status PullLocked(Place* place, size_t max_events, std::vector<EventRef>* events)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status WalkLocked(Place* place, size_t max_events, std::vector<EventRef>* events)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool AtEndLocked(const Place& place) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Lets the place follow the postings once it has come to where they are complete.
  // REQUIRES: no posting at or behind its sequence has been dropped.
  void StopWalkingLocked(Place* place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status FellOutLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  uint64_t WalkEndLocked(const Place& place) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Gives events that were routed by `keys` the pairs that belong to `wanted`.
  void RouteAnew(std::vector<RoutedEvent>* events, const WatchedKeys& wanted);
  // Takes over what was dropped, to be freed little by little.
  void Discard(EventHistory::Dropped dropped);

  const std::shared_ptr<const ObjectSchema> schema_;
  Clock* const clock_;
  metrics::MirrorMetrics metrics_;
  const std::shared_ptr<Event::FrameBytes> frame_bytes_;

  mutable Mutex mu_;
  EventHistory history_ ABSL_GUARDED_BY(mu_);
  InterestRegistry registry_ ABSL_GUARDED_BY(mu_);
  SnapshotRef snapshot_ ABSL_GUARDED_BY(mu_);
  Revision revision_ ABSL_GUARDED_BY(mu_);
  absl::Status ended_ ABSL_GUARDED_BY(mu_);  // OK: it goes on

  Mutex readers_mu_;
  std::vector<std::unique_ptr<ObjectReader>> readers_ ABSL_GUARDED_BY(readers_mu_);  // not in use

  // Confined to the one thread that appends: dropped, not freed yet.
  std::deque<EventRef> trash_;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_TIMELINE_H_
