#include "store/mvcc/stream_queue.h"

namespace tidemark::mvcc {

StreamQueue::Pushed StreamQueue::AppendLocked(WatchMessage message) {
  const bool was_empty = messages_.empty();
  bytes_ += message.size_bytes();
  messages_.push_back(std::move(message));
  return was_empty ? Pushed::kTakenAfterNothing : Pushed::kTaken;
}

StreamQueue::Pushed StreamQueue::TryPush(WatchMessage message, bool will_return) {
  MutexLock lock(&mu_);
  if (messages_.size() < kStreamMessagesMax && bytes_ < kStreamBytesMax) return AppendLocked(std::move(message));
  refused_ |= will_return;
  return Pushed::kRefused;
}

StreamQueue::Pushed StreamQueue::Push(WatchMessage message) {
  MutexLock lock(&mu_);
  return AppendLocked(std::move(message));
}

StreamQueue::Popped StreamQueue::Pop() {
  MutexLock lock(&mu_);
  Popped popped;
  if (!messages_.empty()) {
    popped.message = std::move(messages_.front());
    messages_.pop_front();
    bytes_ -= popped.message->size_bytes();
  }
  popped.half_free = refused_ && messages_.size() <= kStreamMessagesMax / 2 && bytes_ <= kStreamBytesMax / 2;
  if (popped.half_free) refused_ = false;
  return popped;
}

size_t StreamQueue::size() const {
  MutexLock lock(&mu_);
  return messages_.size();
}

void StreamQueue::Wake() {
  MutexLock lock(&ready_mu_);
  if (on_ready_) on_ready_();
}

void StreamQueue::Close() {
  MutexLock lock(&ready_mu_);
  on_ready_ = nullptr;
}

}  // namespace tidemark::mvcc
