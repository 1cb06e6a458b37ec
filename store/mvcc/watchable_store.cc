#include "store/mvcc/watchable_store.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/status.h"
#include "store/mvcc/watch_delivery.h"

namespace tidemark::mvcc {

namespace {

WatchMessage EventsFor(const Watcher& watcher, Revision revision, std::vector<EventPtr> events) {
  WatchMessage message;
  message.watch_id = watcher.spec.id;
  message.revision = revision;
  message.events = std::move(events);
  message.with_prev_kv = watcher.spec.with_prev_kv;
  message.may_fragment = watcher.spec.may_fragment;
  return message;
}

WatchMessage CanceledFor(int64_t watch_id, Revision revision, Revision compact_revision) {
  WatchMessage message;
  message.watch_id = watch_id;
  message.revision = revision;
  message.canceled = true;
  message.compact_revision = compact_revision;
  return message;
}

// Fills each cursor's events from the page: by an index when several watchers share it.
template <typename Cursors>
void Match(const std::vector<EventBatchPtr>& batches, Cursors* cursors) {
  // Below this, asking each watcher about each event is cheaper than building an index of them.
  constexpr size_t kFewWatchers = 4;
  WatcherIndex index;
  absl::flat_hash_map<Watcher*, typename Cursors::value_type*> cursor_of;
  const bool few = cursors->size() <= kFewWatchers;
  if (!few) {
    for (auto& cursor : *cursors) {
      index.Add(cursor.watcher.get());
      cursor_of.emplace(cursor.watcher.get(), &cursor);
    }
  }
  const auto take = [](auto& cursor, const EventPtr& event) {
    if (event->revision() >= cursor.next && cursor.watcher->spec.Passes(*event)) cursor.events.push_back(event);
  };
  for (const EventBatchPtr& batch : batches) {
    for (const EventPtr& event : batch->events) {
      if (few) {
        for (auto& cursor : *cursors) {
          if (cursor.watcher->spec.range.Contains(event->key())) take(cursor, event);
        }
      } else {
        index.ForEach(event->key(), [&](Watcher* watcher) { take(*cursor_of.at(watcher), event); });
      }
    }
  }
}

}  // namespace

WatchableStore::WatchableStore(MvccStore* store, Executor* executor, WatchableStoreOptions options)
    : options_(options),
      store_(store),
      executor_(executor),
      newest_(store->current_revision()),
      history_(store->current_revision(), options.history_bytes_max) {
  store_->set_listener(this);
}

WatchableStore::~WatchableStore() {
  store_->set_listener(nullptr);
  MutexLock lock(&mu_);
  TM_CHECK(streams_.empty()) << streams_.size();
}

void WatchableStore::OnCommit(EventBatchPtr batch, absl::FunctionRef<void()> publish) {
  WatchDelivery delivery;
  {
    // Whoever has seen the revision and asks for progress waits here until it has been offered.
    MutexLock lock(&mu_);
    publish();
    newest_ = batch->revision;
    OfferLocked(*batch, &delivery);
    history_.Append(std::move(batch));
  }
  delivery.Wake();
}

void WatchableStore::OfferLocked(const EventBatch& batch, WatchDelivery* delivery) {
  for (const EventPtr& event : batch.events) {
    index_.ForEach(event->key(), [&](Watcher* watcher) {
      mu_.AssertHeld();
      if (watcher->state != Watcher::State::kSynced || watcher->next > batch.revision) return;
      if (!watcher->spec.Passes(*event)) return;
      if (watcher->offered.empty()) touched_.push_back(watcher);
      watcher->offered.push_back(event);
    });
  }
  for (Watcher* watcher : touched_) {
    WatchMessage message = EventsFor(*watcher, batch.revision, std::move(watcher->offered));
    watcher->offered.clear();
    if (delivery->TryPush(watcher->queue, std::move(message), /*will_return=*/true)) {
      watcher->sent_since_tick = true;
    } else {
      SetStateLocked(watcher, Watcher::State::kBlocked, batch.revision);
    }
  }
  touched_.clear();
}

void WatchableStore::SetStateLocked(Watcher* watcher, Watcher::State state, Revision next) {
  if (watcher->state == Watcher::State::kUnsynced) unsynced_.erase({watcher->next, watcher->sequence});
  if (watcher->state == Watcher::State::kBlocked) {
    --blocked_;
    streams_.at(watcher->stream).blocked.erase({watcher->next, watcher->sequence});
  }
  watcher->state = state;
  watcher->next = next;
  if (state == Watcher::State::kBlocked) {
    ++blocked_;
    streams_.at(watcher->stream).blocked.insert({next, watcher->sequence});
  }
  if (state != Watcher::State::kUnsynced) return;
  unsynced_.insert({next, watcher->sequence});
  ScheduleLocked();
}

void WatchableStore::ScheduleLocked() {
  if (scheduled_) return;
  scheduled_ = true;
  executor_->Post([this] { RunRounds(); });
}

void WatchableStore::RunRounds() {
  RunRound();
  MutexLock lock(&mu_);
  scheduled_ = false;
  // Round by round, so that whatever else runs on the executor has its turn.
  if (!unsynced_.empty()) ScheduleLocked();
}

void WatchableStore::RunRound() {
  CancelCompacted();
  Page page;
  std::vector<Cursor> cursors;
  bool in_memory = false;
  if (!BeginRound(&page, &cursors, &in_memory)) return;
  // When the compaction overtakes the page, the next round cancels whom that concerns.
  if (!in_memory && !ReadFromTable(&page)) return;
  std::erase_if(cursors, [&](const Cursor& cursor) { return cursor.next > page.to; });
  Match(page.batches, &cursors);
  Deliver(page, &cursors);
}

void WatchableStore::CancelCompacted() {
  WatchDelivery delivery;
  {
    MutexLock lock(&mu_);
    const Revision compact = store_->compact_revision();
    while (!unsynced_.empty() && unsynced_.begin()->first < compact) {
      const std::shared_ptr<Watcher> watcher = watchers_.at(unsynced_.begin()->second);
      delivery.Push(watcher->queue, CanceledFor(watcher->spec.id, newest_, compact));
      streams_.at(watcher->stream).watchers.erase(watcher->spec.id);
      ForgetLocked(watcher.get());
    }
  }
  delivery.Wake();
}

bool WatchableStore::BeginRound(Page* page, std::vector<Cursor>* cursors, bool* in_memory) {
  MutexLock lock(&mu_);
  if (unsynced_.empty()) return false;
  // In turn the one that is furthest behind, whose page the others join one after the other, and the one that is nearly
  // there, so that it need not wait for the first.
  serve_nearest_ = !serve_nearest_;
  auto at = serve_nearest_ ? unsynced_.lower_bound({unsynced_.rbegin()->first, 0}) : unsynced_.begin();
  page->from = at->first;
  page->to = newest_;
  for (; at != unsynced_.end() && cursors->size() < kWatchersPerRound; ++at) {
    cursors->push_back({watchers_.at(at->second), at->first, {}});
  }
  *in_memory = history_.Covers(page->from);
  if (*in_memory) {
    page->batches = history_.Page(page->from, options_.page_revisions_max, options_.page_bytes_max);
    if (!page->batches.empty()) page->to = page->batches.back()->revision;
  }
  return true;
}

bool WatchableStore::ReadFromTable(Page* page) const {
  size_t bytes = 0;
  std::shared_ptr<EventBatch> batch;
  const absl::Status status =
      store_->ScanChanges(page->from, page->to, [&](ChangeId change, bool tombstone, absl::string_view record) {
        const Revision revision(change.main);
        if (batch == nullptr || batch->revision != revision) {
          if (page->batches.size() >= options_.page_revisions_max || bytes >= options_.page_bytes_max) {
            page->to = batch->revision;
            return false;
          }
          batch = std::make_shared<EventBatch>();
          batch->revision = revision;
          page->batches.push_back(batch);
        }
        batch->events.push_back(std::make_shared<const Event>(change, tombstone, kv::MakeBytes(std::string(record))));
        bytes += batch->events.back()->size_bytes();
        return true;
      });
  return status.ok();
}

void WatchableStore::Deliver(const Page& page, std::vector<Cursor>* cursors) {
  WatchDelivery delivery;
  {
    MutexLock lock(&mu_);
    for (Cursor& cursor : *cursors) {
      Watcher* watcher = cursor.watcher.get();
      // Cancelled since the round began.
      if (watcher->state != Watcher::State::kUnsynced || watcher->next != cursor.next) continue;
      if (!cursor.events.empty()) {
        WatchMessage message = EventsFor(*watcher, page.to, std::move(cursor.events));
        if (!delivery.TryPush(watcher->queue, std::move(message), /*will_return=*/true)) {
          SetStateLocked(watcher, Watcher::State::kBlocked, watcher->next);
          continue;
        }
        watcher->sent_since_tick = true;
      }
      const Revision next = page.to.Next();
      SetStateLocked(watcher, next > newest_ ? Watcher::State::kSynced : Watcher::State::kUnsynced, next);
    }
  }
  delivery.Wake();
}

WatchableStore::Counts WatchableStore::counts() const {
  MutexLock lock(&mu_);
  return {.streams = streams_.size(), .watchers = watchers_.size(), .unsynced = unsynced_.size(), .blocked = blocked_};
}

Revision WatchableStore::newest() const {
  MutexLock lock(&mu_);
  return newest_;
}

}  // namespace tidemark::mvcc
