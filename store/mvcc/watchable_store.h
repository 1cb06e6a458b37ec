// WatchableStore lays watches over an MvccStore. All watchers read one shared history by cursor: recent events are kept
// in memory, older ones are read from the revision table. A watcher is in one of three states:
//
//              events offered live            its stream's queue is full
//   synced  ------------------------> synced ---------------------------> blocked
//     ^                                                                      | half of the queue was taken
//     +---- reached the newest event ---- unsynced (pages of history) <------+
//
// A watcher's cursor is the next revision that it has not been offered; blocked and unsynced watchers keep no events,
// only that.
//
//   auto stream = watchable.NewStream([&] { executor->Post(drain); });
//   stream->Create(request);
//   while (auto message = stream->Next()) Send(*message);
//
// Thread-safety: thread-safe. OnCommit has one caller at a time, inside the log's apply callback (replicated_log.h),
//                and never waits for a consumer.
// Ownership:     borrows the store and the executor. Streams may outlive neither.
// Errors:        go to the client as canceled messages, with etcd's reasons.
// Invariants:    per watcher: whole revisions, strictly ascending, none left out, none twice (etcd's guarantees, tested
//                by watch_checkers.h).
// Cost:          a transaction costs O(log ranges + watchers concerned) per event; catching up reads each page of
//                history once for all watchers that stand in it.
// Source:        etcd v3 server/storage/mvcc/watchable_store.go.
#ifndef TIDEMARK_STORE_MVCC_WATCHABLE_STORE_H_
#define TIDEMARK_STORE_MVCC_WATCHABLE_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "store/mvcc/event_history.h"
#include "store/mvcc/mvcc_store.h"
#include "store/mvcc/stream_queue.h"
#include "store/mvcc/watch_message.h"
#include "store/mvcc/watcher.h"
#include "store/mvcc/watcher_index.h"

namespace etcdserverpb {
class WatchCreateRequest;
}

namespace tidemark::mvcc {

class WatchDelivery;
class WatchableStore;

// Watchers that one round of catching up serves, so that delivering holds the lock for tens of
// microseconds (etcd's figure).
inline constexpr size_t kWatchersPerRound = 512;
// Blocked watchers of one stream that go on when half of its queue is free: as many as have room if each has one message.
// With all of them at once, thousands that lag on one stream would be served over and over for the few that fit.
inline constexpr size_t kUnblockedAtOnce = kStreamMessagesMax / 2;

struct WatchableStoreOptions {
  // What the shared history keeps in memory; watchers further behind read the revision table.
  size_t history_bytes_max = 16 << 20;
  // A page of catching up ends after so many revisions (etcd) or bytes, whichever comes first, but
  // at the end of a revision.
  size_t page_revisions_max = 1000;
  size_t page_bytes_max = 1 << 20;
};

// One client's stream of watches: their ids are unique in it, and its messages come in one order.
//
// Thread-safety: thread-safe. The destructor cancels all watches; afterwards `on_ready` is not called.
class WatchStream {
 public:
  ~WatchStream();
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  // Starts a watch. The outcome is a message: created, and also canceled when the request was refused.
  void Create(const etcdserverpb::WatchCreateRequest& request);
  // A refusal on the same ordered channel, for a request that never reached the store (no permission).
  void Refuse(absl::string_view reason);
  // An unknown id is answered with silence (etcd).
  void Cancel(int64_t watch_id);
  // Answered once, with id kNoWatchId, if every watch is synced and has reached its start
  // revision; else not at all (etcd).
  void RequestProgress();
  // The progress interval has passed: watches that asked for it, are synced and were sent nothing since the last call
  // get a progress message.
  void ProgressTick();

  // The next message, in order; nullopt when there is none now.
  std::optional<WatchMessage> Next();
  // What Next() would give costs so much to encode; nullopt when there is none now. With one caller of Next() at a time
  // that is the message that it gives.
  std::optional<EncodingCost> NextCost() const;
  // Messages that wait. A server reads no further requests from a client while this is above kStreamMessagesMax, since
  // the answers to requests are queued in any case.
  size_t pending() const;

 private:
  friend class WatchableStore;
  WatchStream(WatchableStore* store, std::shared_ptr<StreamQueue> queue);

  WatchableStore* const store_;
  const std::shared_ptr<StreamQueue> queue_;
};

class WatchableStore : public CommitListener {
 public:
  // Registers itself as the store's listener. `executor` runs catching up.
  WatchableStore(MvccStore* store, Executor* executor, WatchableStoreOptions options);
  // REQUIRES: no stream is left; the executor has stopped or is the caller's.
  ~WatchableStore() override;

  // `on_ready` is called when Next() may have something after it had nothing; on any thread, also inside the
  // log's apply callback, so it must be quick, and it must not call back into the stream.
  std::unique_ptr<WatchStream> NewStream(absl::AnyInvocable<void()> on_ready);

  void OnCommit(EventBatchPtr batch, absl::FunctionRef<void()> publish) override;

  struct Counts {
    size_t streams = 0;
    size_t watchers = 0;
    size_t unsynced = 0;
    size_t blocked = 0;
  };
  Counts counts() const;
  // The newest revision that has been offered to watchers.
  Revision newest() const;

 private:
  friend class WatchStream;

  struct Stream {
    // The lowest id that was never picked and is not in use.
    int64_t TakeId() {
      while (watchers.contains(next_id)) ++next_id;
      return next_id++;
    }
    absl::btree_map<int64_t, std::shared_ptr<Watcher>> watchers;  // by id
    absl::btree_set<std::pair<Revision, uint64_t>> blocked;       // by next revision and sequence
    int64_t next_id = 0;
  };

  // A part of the history: whole revisions of [from, to].
  struct Page {
    Revision from;
    Revision to;
    std::vector<EventBatchPtr> batches;
  };
  // A watcher's place when a round began.
  struct Cursor {
    std::shared_ptr<Watcher> watcher;
    Revision next;
    std::vector<EventPtr> events;  // of the page, that it wants
  };

  // Of the streams; in watch_stream.cc.
  void Create(const WatchStream* stream, const etcdserverpb::WatchCreateRequest& request);
  void Cancel(const WatchStream* stream, int64_t watch_id);
  void RequestProgress(const WatchStream* stream);
  void ProgressTick(const WatchStream* stream);
  // Lets the blocked watchers that are furthest behind go on, kUnblockedAtOnce of them.
  void Unblock(const WatchStream* stream);
  void CloseStream(const WatchStream* stream);

  bool HasCaughtUpLocked(const Watcher& watcher) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void AddLocked(const WatchStream* stream, WatchSpec spec) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Takes it out of everything but its stream.
  void ForgetLocked(Watcher* watcher) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void SetStateLocked(Watcher* watcher, Watcher::State state, Revision next) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void OfferLocked(const EventBatch& batch, WatchDelivery* delivery) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void ScheduleLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // On the executor, never two at once.
  void RunRounds();
  void RunRound();
  void CancelCompacted();
  // Takes the watchers of the next round; where their page begins. False when nobody is behind.
  bool BeginRound(Page* page, std::vector<Cursor>* cursors, bool* in_memory);
  // False when the compaction overtook it.
  bool ReadFromTable(Page* page) const;
  void Deliver(const Page& page, std::vector<Cursor>* cursors);

  const WatchableStoreOptions options_;
  MvccStore* const store_;
  Executor* const executor_;
  const std::shared_ptr<std::atomic<size_t>> streams_bytes_ = std::make_shared<std::atomic<size_t>>(0);

  mutable Mutex mu_;
  Revision newest_ ABSL_GUARDED_BY(mu_);
  EventHistory history_ ABSL_GUARDED_BY(mu_);
  WatcherIndex index_ ABSL_GUARDED_BY(mu_);                                            // all watchers
  absl::btree_map<uint64_t, std::shared_ptr<Watcher>> watchers_ ABSL_GUARDED_BY(mu_);  // by sequence
  // Unsynced watchers by their next revision.
  absl::btree_set<std::pair<Revision, uint64_t>> unsynced_ ABSL_GUARDED_BY(mu_);
  size_t blocked_ ABSL_GUARDED_BY(mu_) = 0;
  absl::flat_hash_map<const WatchStream*, Stream> streams_ ABSL_GUARDED_BY(mu_);
  uint64_t next_sequence_ ABSL_GUARDED_BY(mu_) = 0;
  bool serve_nearest_ ABSL_GUARDED_BY(mu_) =
      false;  // whom this round serves: nearest to the newest event, or furthest from it
  bool scheduled_ ABSL_GUARDED_BY(mu_) = false;         // RunRounds is on the executor
  std::vector<Watcher*> touched_ ABSL_GUARDED_BY(mu_);  // scratch of OfferLocked
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WATCHABLE_STORE_H_
