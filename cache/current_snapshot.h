// CurrentSnapshot is the one place where a writer puts its newest snapshot and readers take it from, without
// waiting for each other: a reader announces in a slot which snapshot it is about to count, and the writer
// frees none that is announced.
//
// Thread-safety: thread-safe; Set is the writer's.
// Ownership:     counts nothing itself: the writer keeps what it has set until something else is
//                set and nobody takes it.
// Cost:          Take 10 ns, whatever the number of readers; IsBeingTaken a few loads.
// Source:        hazard pointers (Michael), held for nanoseconds only.
#ifndef TIDEMARK_CACHE_CURRENT_SNAPSHOT_H_
#define TIDEMARK_CACHE_CURRENT_SNAPSHOT_H_

#include <atomic>

#include "cache/snapshot.h"

namespace tidemark::cache {

class CurrentSnapshot {
 public:
  void Set(const Snapshot* snapshot) { current_.store(snapshot, std::memory_order_seq_cst); }
  const Snapshot* Peek() const { return current_.load(std::memory_order_relaxed); }
  // REQUIRES: something was set.
  SnapshotRef Take() const;
  // Whether a reader may be about to count this one. Once false for a snapshot that is not set, it stays false.
  static bool IsBeingTaken(const Snapshot* snapshot);

 private:
  std::atomic<const Snapshot*> current_{nullptr};
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_CURRENT_SNAPSHOT_H_
