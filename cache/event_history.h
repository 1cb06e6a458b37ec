// EventHistory keeps the newest changes of one resource, so that a watch can start in the past and a list can be answered at an
// earlier revision. It is bounded by time and by bytes, and cut where the store is compacted.
//
//     events   [ 7a 7b | 9 | 12 | 15a 15b 15c ]     numbered by sequence, one batch per revision
//     kept          s(7)         s(12)              snapshots every few hundred events; the current one besides
//     oldest() = 6: a watch after 6 misses nothing, and the state at 6 is s(7) with 7a and 7b undone
//
// Thread-safety: thread-compatible; Timeline guards one with its lock.
// Ownership:     counted references to events and, through them, to old objects; pins the kept snapshots.
// Units:         bytes count events, their old objects, their frames, and the index nodes that only kept snapshots hold.
// Errors:        At is kCompacted below oldest().
// Invariants:    revisions rise from batch to batch; every revision from oldest() to the mirror's can be served; what is dropped is
//                handed to the caller, so that it is freed outside the lock.
// Cost:          Append O(events); finding a revision O(log n); At copies at most the events between two kept snapshots.
// Source:        design measured for this project: a snapshot per event would cost 1 to 2 KB each, the deltas cost 72 bytes.
#ifndef TIDEMARK_CACHE_EVENT_HISTORY_H_
#define TIDEMARK_CACHE_EVENT_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/revision.h"
#include "cache/event.h"
#include "cache/snapshot.h"

namespace tidemark::cache {

// How long etcd keeps history under a kube-apiserver: its compaction interval.
inline constexpr absl::Duration kHistorySpan = absl::Minutes(5);
// 1,000 updates a second of 1.5 KB for 75 s, the span that kube-apiserver aims at.
inline constexpr size_t kHistoryBytesMax = size_t{128} << 20;
// A snapshot is kept after this many events, or after the smaller number once the gap has passed: an exact list lays at most
// kKeepEventsMax events over it, a few hundred microseconds.
inline constexpr uint64_t kKeepEventsMax = 1'000;
inline constexpr uint64_t kKeepEventsMin = 100;
inline constexpr absl::Duration kKeepGap = absl::Milliseconds(100);

class EventHistory {
 public:
  struct Options {
    absl::Duration span = kHistorySpan;
    size_t bytes_max = kHistoryBytesMax;
  };
  // What was dropped; freed where it is destroyed.
  struct Dropped {
    std::vector<EventRef> events;
    std::vector<SnapshotRef> snapshots;
  };
  // The state at a revision: `base` with `events` undone (newest first) or redone (oldest first).
  struct Exact {
    SnapshotRef base;
    std::vector<EventRef> events;
    bool undo = false;
  };

  // Begins with the state at `start`.
  // Events made for this history count their frames in `frame_bytes`.
  EventHistory(Options options, Revision start, std::shared_ptr<Event::FrameBytes> frame_bytes)
      : options_(options), frame_bytes_(std::move(frame_bytes)), oldest_(start), newest_(start) {}

  // Whole revisions, ascending. REQUIRES: not empty; all above newest().
  void Append(absl::Span<const EventRef> events, absl::Time now);
  // Keeps `snapshot`, which is the state at newest(), if one is due; whether it did. `node_bytes`: of index nodes that the
  // snapshot kept last sees, and this one does not.
  bool MaybeKeep(const SnapshotRef& snapshot, size_t node_bytes, absl::Time now);
  // Drops what is beyond the bounds.
  void Trim(absl::Time now, Dropped* dropped);
  // Drops up to `events` of the oldest, batches or not. REQUIRES: nobody asks for events or states any more.
  void DropOldest(size_t events, Dropped* dropped);
  // The store cannot serve below `compacted` any more, nor does this history. Drops `events_max` events at a time, to the end
  // of the batch; false until all are dropped. REQUIRES: compacted is not above its mirror's revision; events_max > 0.
  bool CutBelow(Revision compacted, size_t events_max, Dropped* dropped);

  // `current` is the newest snapshot. REQUIRES: revision <= its mirror's revision.
  absl::StatusOr<Exact> At(Revision revision, const SnapshotRef& current) const;

  // Sequence numbers: the first event kept, one past the last, and the first one above `revision`.
  uint64_t first() const { return first_; }
  uint64_t end() const { return first_ + events_.size(); }
  uint64_t FirstAbove(Revision revision) const;
  // REQUIRES: first() <= sequence < end().
  const EventRef& event(uint64_t sequence) const { return events_[sequence - first_]; }

  // Watches start, and states are known, from here on.
  Revision oldest() const { return oldest_; }
  Revision newest() const { return newest_; }
  size_t bytes() const;

 private:
  // When events arrived: one mark per Append.
  struct Mark {
    uint64_t end;  // one past its last event
    absl::Time time;
  };
  struct Kept {
    Revision revision;
    uint64_t end;  // the events it contains
    SnapshotRef snapshot;
    size_t node_bytes = 0;  // of nodes that it sees and the next one kept, or else the newest, does not
  };

  void DropOldestKept(Dropped* dropped);
  // Drops all events below `sequence`, which must begin a batch.
  void DropBelow(uint64_t sequence, Dropped* dropped);
  // The end of the batch that `sequence` lies in.
  uint64_t BatchEnd(uint64_t sequence) const;
  std::vector<EventRef> Copy(uint64_t from, uint64_t to) const;

  const Options options_;
  const std::shared_ptr<Event::FrameBytes> frame_bytes_;
  std::deque<EventRef> events_;
  uint64_t first_ = 0;
  std::deque<Mark> marks_;
  std::deque<Kept> kept_;  // revisions ascend; each at or above oldest_
  Revision oldest_;
  Revision newest_;
  size_t event_bytes_ = 0;
  size_t node_bytes_ = 0;  // of all in kept_
  uint64_t last_keep_end_ = 0;
  absl::Time last_keep_time_ = absl::InfinitePast();
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_EVENT_HISTORY_H_
