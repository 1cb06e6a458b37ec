// What a client asks of its stream: the requests' half of WatchableStore.
#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/watch_delivery.h"
#include "store/mvcc/watchable_store.h"

namespace tidemark::mvcc {
namespace {

using etcdserverpb::WatchCreateRequest;

constexpr absl::string_view kSmallestKey("\0", 1);

WatchMessage CreatedFor(int64_t watch_id, Revision revision) {
  WatchMessage message;
  message.watch_id = watch_id;
  message.revision = revision;
  message.created = true;
  return message;
}

WatchMessage RefusedBecause(absl::string_view reason, Revision revision) {
  WatchMessage message = CreatedFor(kNoWatchId, revision);
  message.canceled = true;
  message.cancel_reason = std::string(reason);
  return message;
}

WatchMessage ProgressFor(int64_t watch_id, Revision revision) {
  WatchMessage message;
  message.watch_id = watch_id;
  message.revision = revision;
  return message;
}

KeyRange RangeOf(const WatchCreateRequest& request) {
  return KeyRange(request.key().empty() ? kSmallestKey : absl::string_view(request.key()), request.range_end());
}

WatchSpec SpecOf(const WatchCreateRequest& request, int64_t id) {
  WatchSpec spec{.id = id, .range = RangeOf(request), .asked = Revision(request.start_revision())};
  for (const int filter : request.filters()) {
    spec.no_puts |= filter == WatchCreateRequest::NOPUT;
    spec.no_deletes |= filter == WatchCreateRequest::NODELETE;
  }
  spec.with_prev_kv = request.prev_kv();
  spec.may_fragment = request.fragment();
  spec.wants_progress = request.progress_notify();
  return spec;
}

}  // namespace

WatchStream::WatchStream(WatchableStore* store, std::shared_ptr<StreamQueue> queue)
    : store_(store), queue_(std::move(queue)) {}

WatchStream::~WatchStream() {
  store_->CloseStream(this);
  queue_->Close();
}

void WatchStream::Create(const WatchCreateRequest& request) { store_->Create(this, request); }

void WatchStream::Refuse(absl::string_view reason) {
  WatchDelivery delivery;
  delivery.Push(queue_, RefusedBecause(reason, store_->newest()));
  delivery.Wake();
}

void WatchStream::Cancel(int64_t watch_id) { store_->Cancel(this, watch_id); }
void WatchStream::RequestProgress() { store_->RequestProgress(this); }
void WatchStream::ProgressTick() { store_->ProgressTick(this); }

std::optional<WatchMessage> WatchStream::Next() {
  StreamQueue::Popped popped = queue_->Pop();
  if (popped.half_free) store_->Unblock(this);
  return std::move(popped.message);
}

std::optional<EncodingCost> WatchStream::NextCost() const { return queue_->FrontCost(); }
size_t WatchStream::pending() const { return queue_->size(); }

std::unique_ptr<WatchStream> WatchableStore::NewStream(absl::AnyInvocable<void()> on_ready) {
  std::unique_ptr<WatchStream> stream(
      new WatchStream(this, std::make_shared<StreamQueue>(streams_bytes_, std::move(on_ready))));
  MutexLock lock(&mu_);
  streams_[stream.get()];
  return stream;
}

void WatchableStore::CloseStream(const WatchStream* stream) {
  MutexLock lock(&mu_);
  for (const auto& [id, watcher] : streams_.at(stream).watchers) ForgetLocked(watcher.get());
  streams_.erase(stream);
}

void WatchableStore::Create(const WatchStream* stream, const WatchCreateRequest& request) {
  WatchDelivery delivery;
  {
    MutexLock lock(&mu_);
    Stream& watches = streams_.at(stream);
    if (request.start_revision() < 0) {
      delivery.Push(stream->queue_, RefusedBecause(kReasonCompacted, newest_));
    } else if (RangeOf(request).empty()) {
      delivery.Push(stream->queue_, RefusedBecause(kReasonEmptyWatchRange, newest_));
    } else if (request.watch_id() != 0 && watches.watchers.contains(request.watch_id())) {
      delivery.Push(stream->queue_, RefusedBecause(kReasonDuplicateWatchId, newest_));
    } else {
      const int64_t id = request.watch_id() != 0 ? request.watch_id() : watches.TakeId();
      // Announced first: its events come behind this on the same queue.
      delivery.Push(stream->queue_, CreatedFor(id, newest_));
      AddLocked(stream, SpecOf(request, id));
    }
  }
  delivery.Wake();
}

void WatchableStore::AddLocked(const WatchStream* stream, WatchSpec spec) {
  const Revision start = spec.asked.is_none() ? newest_.Next() : spec.asked;
  const auto watcher = std::make_shared<Watcher>(stream, stream->queue_, next_sequence_++, std::move(spec));
  watcher->next = start;
  watchers_.emplace(watcher->sequence, watcher);
  streams_.at(stream).watchers.emplace(watcher->spec.id, watcher);
  index_.Add(watcher.get());
  if (start <= newest_) SetStateLocked(watcher.get(), Watcher::State::kUnsynced, start);
}

void WatchableStore::ForgetLocked(Watcher* watcher) {
  SetStateLocked(watcher, Watcher::State::kCanceled, watcher->next);
  index_.Remove(watcher);
  watchers_.erase(watcher->sequence);
}

void WatchableStore::Cancel(const WatchStream* stream, int64_t watch_id) {
  WatchDelivery delivery;
  {
    MutexLock lock(&mu_);
    Stream& watches = streams_.at(stream);
    const auto found = watches.watchers.find(watch_id);
    if (found == watches.watchers.end()) return;
    ForgetLocked(found->second.get());
    watches.watchers.erase(found);
    WatchMessage message = ProgressFor(watch_id, newest_);
    message.canceled = true;
    delivery.Push(stream->queue_, std::move(message));
  }
  delivery.Wake();
}

bool WatchableStore::HasCaughtUpLocked(const Watcher& watcher) const {
  return watcher.state == Watcher::State::kSynced && newest_ >= watcher.spec.asked;
}

void WatchableStore::RequestProgress(const WatchStream* stream) {
  WatchDelivery delivery;
  {
    MutexLock lock(&mu_);
    const Stream& watches = streams_.at(stream);
    if (watches.watchers.empty()) return;
    for (const auto& [id, watcher] : watches.watchers) {
      if (!HasCaughtUpLocked(*watcher)) return;
    }
    delivery.TryPush(stream->queue_, ProgressFor(kNoWatchId, newest_), /*will_return=*/false);
  }
  delivery.Wake();
}

void WatchableStore::ProgressTick(const WatchStream* stream) {
  WatchDelivery delivery;
  {
    MutexLock lock(&mu_);
    for (const auto& [id, watcher] : streams_.at(stream).watchers) {
      const bool quiet = !std::exchange(watcher->sent_since_tick, false);
      if (!quiet || !watcher->spec.wants_progress || !HasCaughtUpLocked(*watcher)) continue;
      delivery.TryPush(stream->queue_, ProgressFor(id, newest_), /*will_return=*/false);
    }
  }
  delivery.Wake();
}

void WatchableStore::Unblock(const WatchStream* stream) {
  MutexLock lock(&mu_);
  const auto& blocked = streams_.at(stream).blocked;
  for (size_t i = 0; i < kUnblockedAtOnce && !blocked.empty(); ++i) {
    const auto [next, sequence] = *blocked.begin();
    SetStateLocked(watchers_.at(sequence).get(), Watcher::State::kUnsynced, next);
  }
  // Those who went on have something to send, so Pop is called again.
  if (!blocked.empty()) stream->queue_->WillReturn();
}

}  // namespace tidemark::mvcc
