// StreamQueue carries the messages of one watch stream from the store to the stream's consumer, in order. Events are
// refused when it is full; answers to the client's own requests are always taken.
//
// Thread-safety: thread-safe.
// Invariants:    once refused, the store is told (Pop) as soon as half of the queue is free.
#ifndef TIDEMARK_STORE_MVCC_STREAM_QUEUE_H_
#define TIDEMARK_STORE_MVCC_STREAM_QUEUE_H_

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "base/mutex.h"
#include "store/mvcc/watch_message.h"

namespace tidemark::mvcc {

// Messages that wait in one stream before its watchers are blocked (etcd's channel).
inline constexpr size_t kStreamMessagesMax = 128;
// The same by bytes of shared events, so that a stalled client cannot pin 128 pages of history.
inline constexpr size_t kStreamBytesMax = 4 << 20;
// The same over all streams of a store: many stalled clients pin no more than a few, plus kStreamBytesAssured and one
// message each. Events that streams share are counted in each.
inline constexpr size_t kAllStreamsBytesMax = 512 << 20;
// A stream has room for so much in any case: one that keeps pace does not notice that others have stalled.
inline constexpr size_t kStreamBytesAssured = 256 << 10;

class StreamQueue {
 public:
  // `all_bytes`: what waits in all streams of the store.
  StreamQueue(std::shared_ptr<std::atomic<size_t>> all_bytes, absl::AnyInvocable<void()> on_ready)
      : all_bytes_(std::move(all_bytes)), on_ready_(std::move(on_ready)) {}
  ~StreamQueue();

  enum class Pushed { kRefused, kTaken, kTakenAfterNothing };

  // An event or progress message. When refused with `will_return`, Pop says when to come back.
  Pushed TryPush(WatchMessage message, bool will_return);
  // An answer.
  Pushed Push(WatchMessage message);

  struct Popped {
    std::optional<WatchMessage> message;
    bool half_free = false;  // whoever was refused may come back
  };
  Popped Pop();
  // Pop is to say once more when to come back: not everybody who was refused could.
  void WillReturn();
  // Of the message that Pop would give; nullopt when there is none.
  std::optional<EncodingCost> FrontCost() const;
  size_t size() const;

  // Calls on_ready unless the stream has closed. Not to be called with a lock held that the consumer takes.
  void Wake();
  // After this on_ready is not called, and not running.
  void Close();

 private:
  bool FullLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Pushed AppendLocked(WatchMessage message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::shared_ptr<std::atomic<size_t>> all_bytes_;

  mutable Mutex mu_;
  std::deque<WatchMessage> messages_ ABSL_GUARDED_BY(mu_);
  size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  bool refused_ ABSL_GUARDED_BY(mu_) = false;

  Mutex ready_mu_;  // held while on_ready runs
  absl::AnyInvocable<void()> on_ready_ ABSL_GUARDED_BY(ready_mu_);
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_STREAM_QUEUE_H_
