// Watcher is one watch of one stream: what it wants, and how far it has come.
//
// Thread-safety: thread-compatible; WatchableStore guards it.
// Invariants:    next only rises.
#ifndef TIDEMARK_STORE_MVCC_WATCHER_H_
#define TIDEMARK_STORE_MVCC_WATCHER_H_

#include <cstdint>
#include <utility>

#include "base/revision.h"
#include "store/mvcc/event.h"
#include "store/mvcc/key_range.h"

namespace tidemark::mvcc {

class StreamQueue;

struct Watcher {
  enum class State : uint8_t { kSynced, kUnsynced, kBlocked };

  Watcher(StreamQueue* queue, int64_t id, KeyRange range) : queue(queue), id(id), range(std::move(range)) {}

  bool Wants(const Event& event) const {
    return event.revision() >= next && !(event.is_delete() ? no_deletes : no_puts) && range.Contains(event.key());
  }

  StreamQueue* const queue;
  const int64_t id;
  const KeyRange range;
  // What the client asked for; the first revision that concerns it.
  Revision start;
  bool no_puts = false;
  bool no_deletes = false;
  bool with_prev_kv = false;
  bool may_fragment = false;
  bool wants_progress = false;

  State state = State::kSynced;
  // The next revision that has not been offered to it. A synced watcher's is above the store's revision, or about to be.
  Revision next;
  // Something was sent since the last tick of the progress interval.
  bool sent_since_tick = false;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WATCHER_H_
