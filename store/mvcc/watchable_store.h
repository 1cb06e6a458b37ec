// WatchableStore lays watches over an MvccStore. All watchers read one shared history by cursor: recent events are kept in memory,
// older ones are read from the revision table. A watcher is in one of three states:
//
//              events offered live            its stream's queue is full
//   synced  ------------------------> synced ---------------------------> blocked
//     ^                                                                      | half of the queue was taken
//     +---- reached the newest event ---- unsynced (pages of history) <------+
//
// A watcher's cursor is the next revision that it has not been offered; blocked and unsynced watchers keep no events, only that.
//
//   auto stream = watchable.NewStream([&] { executor->Post(drain); });
//   stream->Create(request);
//   while (auto message = stream->Next()) Send(*message);
//
// Thread-safety: thread-safe. OnCommit and OnCompact come from the apply thread and never wait for a consumer.
// Ownership:     borrows the store and the executor. Streams may outlive neither.
// Errors:        go to the client as canceled messages, with etcd's reasons.
// Invariants:    per watcher: whole revisions, strictly ascending, none left out, none twice (etcd's guarantees; watch_checkers.h).
// Cost:          a transaction costs O(log ranges + watchers concerned) per event; catching up reads each page of history once for
//                all watchers that stand in it.
// Source:        etcd v3 server/storage/mvcc/watchable_store.go.
#ifndef TIDEMARK_STORE_MVCC_WATCHABLE_STORE_H_
#define TIDEMARK_STORE_MVCC_WATCHABLE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "store/mvcc/event_history.h"
#include "store/mvcc/mvcc_store.h"
#include "store/mvcc/watch_message.h"
#include "store/mvcc/watcher.h"
#include "store/mvcc/watcher_index.h"

namespace etcdserverpb {
class WatchCreateRequest;
}

namespace tidemark::mvcc {

class StreamQueue;
class WatchableStore;

// Messages that wait in one stream before its watchers are blocked (etcd's channel).
inline constexpr size_t kStreamMessagesMax = 128;
// The same by bytes of shared events, so that a stalled client cannot pin 128 pages of history.
inline constexpr size_t kStreamBytesMax = 4 << 20;
// A page of catching up ends after so many revisions (etcd) or bytes, whichever comes first, but at the end of a revision.
inline constexpr int kPageRevisionsMax = 1000;
inline constexpr size_t kPageBytesMax = 1 << 20;

struct WatchableStoreOptions {
  // What the shared history keeps in memory; watchers further behind read the revision table.
  size_t history_bytes_max = 32 << 20;
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
  // Answered once, with id kNoWatchId, if every watch is synced and has reached its start revision; else not at all (etcd).
  void RequestProgress();
  // The progress interval has passed: watches that asked for it, are synced and were sent nothing since the last call get a
  // progress message.
  void ProgressTick();

  // The next message, in order; nullopt when there is none now.
  std::optional<WatchMessage> Next();
  // Messages that wait. A server reads no further requests from a client while this is above kStreamMessagesMax, since the answers
  // to requests are queued in any case.
  size_t pending() const;
  size_t watch_count() const;

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

  // `on_ready` is called when Next() may have something after it had nothing; on any thread, also the apply thread, so it must be
  // quick, and it must not call back into the stream.
  std::unique_ptr<WatchStream> NewStream(absl::AnyInvocable<void()> on_ready);

  void OnCommit(EventBatchPtr batch, absl::FunctionRef<void()> publish) override;
  void OnCompact(Revision compact_revision) override;

  // One round of catching up; true when there is more to do. The executor runs it; public for tests.
  bool SyncStep();

  struct Counts {
    size_t streams = 0;
    size_t watchers = 0;
    size_t unsynced = 0;
    size_t blocked = 0;
    size_t pending_events = 0;
  };
  Counts counts() const;

 private:
  friend class WatchStream;
  MvccStore* const store_;
  Executor* const executor_;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WATCHABLE_STORE_H_
