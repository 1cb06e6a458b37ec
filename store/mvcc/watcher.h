// Watcher is one watch of one stream: what it wants, and how far it has come.
//
// Thread-safety: the spec is immutable; the rest is guarded by WatchableStore.
// Invariants:    next only rises.
#ifndef TIDEMARK_STORE_MVCC_WATCHER_H_
#define TIDEMARK_STORE_MVCC_WATCHER_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/revision.h"
#include "store/mvcc/event.h"
#include "store/mvcc/key_range.h"

namespace tidemark::mvcc {

class StreamQueue;
class WatchStream;

// What the client asked for.
struct WatchSpec {
  int64_t id = 0;
  KeyRange range;
  // The start revision as the client gave it; none: from the next revision on. It is told of no progress below.
  Revision asked;
  bool no_puts = false;
  bool no_deletes = false;
  bool with_prev_kv = false;
  bool may_fragment = false;
  bool wants_progress = false;

  bool Passes(const Event& event) const { return !(event.is_delete() ? no_deletes : no_puts); }
};

struct Watcher {
  // Synced: offered every event as it is committed. Unsynced: offered pages of history. Blocked: its
  // stream's queue was full.
  enum class State : uint8_t { kSynced, kUnsynced, kBlocked, kCanceled };

  Watcher(const WatchStream* stream, std::shared_ptr<StreamQueue> queue, uint64_t sequence, WatchSpec spec)
      : stream(stream), queue(std::move(queue)), sequence(sequence), spec(std::move(spec)) {}

  const WatchStream* const stream;
  const std::shared_ptr<StreamQueue> queue;
  const uint64_t sequence;  // of creation; orders watchers the same in each run
  const WatchSpec spec;

  State state = State::kSynced;
  // The next revision to be offered. Of a synced watcher only a lower bound: what is below the
  // newest event was offered.
  Revision next;
  // Something was sent since the last tick of the progress interval.
  bool sent_since_tick = false;
  // Its share of the batch that is being offered; empty otherwise.
  std::vector<EventPtr> offered;
};

struct WatcherOrder {
  bool operator()(const Watcher* a, const Watcher* b) const { return a->sequence < b->sequence; }
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WATCHER_H_
