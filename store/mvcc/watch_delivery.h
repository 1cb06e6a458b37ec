// WatchDelivery pushes messages into stream queues while the store's lock is held, remembers whose consumers have to be
// told, and tells them once the lock is gone.
//
//   WatchDelivery delivery;
//   { MutexLock lock(&mu_); delivery.Push(queue, message); }
//   delivery.Wake();
//
// Thread-safety: confined to the caller's thread.
// Ownership:     shares the queues, so that a stream may be closed meanwhile.
#ifndef TIDEMARK_STORE_MVCC_WATCH_DELIVERY_H_
#define TIDEMARK_STORE_MVCC_WATCH_DELIVERY_H_

#include <memory>
#include <utility>
#include <vector>

#include "store/mvcc/stream_queue.h"

namespace tidemark::mvcc {

class WatchDelivery {
 public:
  // False when the queue was full.
  bool TryPush(const std::shared_ptr<StreamQueue>& queue, WatchMessage message, bool will_return) {
    return Note(queue, queue->TryPush(std::move(message), will_return));
  }
  void Push(const std::shared_ptr<StreamQueue>& queue, WatchMessage message) {
    Note(queue, queue->Push(std::move(message)));
  }
  void Wake() {
    for (const std::shared_ptr<StreamQueue>& queue : ready_) queue->Wake();
  }

 private:
  bool Note(const std::shared_ptr<StreamQueue>& queue, StreamQueue::Pushed pushed) {
    if (pushed == StreamQueue::Pushed::kTakenAfterNothing) ready_.push_back(queue);
    return pushed != StreamQueue::Pushed::kRefused;
  }

  std::vector<std::shared_ptr<StreamQueue>> ready_;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WATCH_DELIVERY_H_
