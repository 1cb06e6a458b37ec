// EventHistory keeps the newest event batches in memory, so that watchers a little behind need not read the engine.
//
// Thread-safety: thread-compatible; WatchableStore guards it.
// Ownership:     shares batches.
// Units:         capacity in bytes of events.
// Invariants:    revisions strictly ascend; it covers every revision of (covered_from, newest].
// Cost:          Append O(1) amortised; Page O(log n + batches returned).
#ifndef TIDEMARK_STORE_MVCC_EVENT_HISTORY_H_
#define TIDEMARK_STORE_MVCC_EVENT_HISTORY_H_

#include <cstddef>
#include <deque>
#include <vector>

#include "base/revision.h"
#include "store/mvcc/event.h"

namespace tidemark::mvcc {

class EventHistory {
 public:
  // `start` is the store's revision: nothing at or below it is covered.
  EventHistory(Revision start, size_t bytes_max) : bytes_max_(bytes_max), dropped_(start) {}

  // REQUIRES: batch->revision > newest of the history and > start.
  void Append(EventBatchPtr batch);
  // Whether every batch with revision >= from is here.
  bool Covers(Revision from) const { return from > dropped_; }
  // Batches from `from` on, oldest first, until `revisions_max` or `page_bytes_max` is reached; at least one if there
  // is any. REQUIRES: Covers(from).
  std::vector<EventBatchPtr> Page(Revision from, size_t revisions_max, size_t page_bytes_max) const;

  size_t size_bytes() const { return bytes_; }

 private:
  const size_t bytes_max_;
  Revision dropped_;  // everything at or below it is not here
  std::deque<EventBatchPtr> batches_;
  size_t bytes_ = 0;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_EVENT_HISTORY_H_
