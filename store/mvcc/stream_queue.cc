#include "store/mvcc/stream_queue.h"

namespace tidemark::mvcc {

StreamQueue::~StreamQueue() {
  MutexLock lock(&mu_);
  *all_bytes_ -= bytes_;
}

// Never when it is empty: who was refused comes back when something is taken.
bool StreamQueue::FullLocked() const {
  return messages_.size() >= kStreamMessagesMax || bytes_ >= kStreamBytesMax ||
         (bytes_ >= kStreamBytesAssured && *all_bytes_ >= kAllStreamsBytesMax);
}

StreamQueue::Pushed StreamQueue::AppendLocked(WatchMessage message) {
  const bool was_empty = messages_.empty();
  const size_t bytes = message.size_bytes();
  bytes_ += bytes;
  *all_bytes_ += bytes;
  messages_.push_back(std::move(message));
  return was_empty ? Pushed::kTakenAfterNothing : Pushed::kTaken;
}

StreamQueue::Pushed StreamQueue::TryPush(WatchMessage message, bool will_return) {
  MutexLock lock(&mu_);
  if (!FullLocked()) return AppendLocked(std::move(message));
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
    const size_t bytes = popped.message->size_bytes();
    bytes_ -= bytes;
    *all_bytes_ -= bytes;
  }
  popped.half_free = refused_ && messages_.size() <= kStreamMessagesMax / 2 && bytes_ <= kStreamBytesMax / 2;
  if (popped.half_free) refused_ = false;
  return popped;
}

void StreamQueue::WillReturn() {
  MutexLock lock(&mu_);
  refused_ = true;
}

std::optional<EncodingCost> StreamQueue::FrontCost() const {
  MutexLock lock(&mu_);
  if (messages_.empty()) return std::nullopt;
  return messages_.front().encoding_cost();
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
