#include "storeclient/memory_follow.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "base/status.h"

namespace tidemark::storeclient {

void MemoryFollow::Break(const absl::Status& reason) {
  if (phase_ != Phase::kStart && !broken_.has_value()) broken_ = reason;
}

void MemoryFollow::Rewind(const absl::Status& reason) {
  if (began_) rewound_ = reason;
  broken_.reset();
  answers_.clear();
  phase_ = Phase::kStart;
}

MemoryFollow::Call MemoryFollow::Interrupt(const absl::Status& reason) {
  stream_open_ = false;
  answers_.clear();
  if (phase_ != Phase::kWatching) phase_ = Phase::kStart;
  return {.kind = Call::Kind::kInterrupted, .status = reason};
}

std::optional<MemoryFollow::Call> MemoryFollow::NextFault() {
  if (rewound_.has_value()) {
    Call call{.kind = Call::Kind::kRewound, .status = *std::exchange(rewound_, std::nullopt)};
    stream_open_ = false;
    return call;
  }
  if (broken_.has_value()) return Interrupt(*std::exchange(broken_, std::nullopt));
  return std::nullopt;
}

std::optional<MemoryFollow::Call> MemoryFollow::Next(const MemoryStore& store, const Conditions& conditions,
                                                     absl::Time now) {
  if (auto fault = NextFault()) return fault;
  if (!conditions.connected) return std::nullopt;
  if (phase_ == Phase::kWatching && !stream_open_) {
    const absl::Status resumable = store.CheckWatchStart(delivered_.Next());
    if (!resumable.ok()) phase_ = Phase::kStart;
  }
  if (phase_ == Phase::kStart) {
    if (conditions.lists_held) return std::nullopt;
    phase_ = Phase::kListing;
    began_ = true;
    list_revision_ = store.revision();
    next_key_ = prefix_;
    scanned_ = Revision();
    ++counts_.lists;
    return Call{.kind = Call::Kind::kListBegin, .revision = list_revision_};
  }
  if (phase_ == Phase::kListing) {
    if (conditions.lists_held) return std::nullopt;
    return NextPage(store, conditions.page_keys);
  }
  if (phase_ == Phase::kListed) {
    phase_ = Phase::kWatching;
    delivered_ = list_revision_;
    return Call{.kind = Call::Kind::kListDone};
  }
  return NextOfWatch(store, conditions, now);
}

MemoryFollow::Call MemoryFollow::NextPage(const MemoryStore& store, int64_t page_keys) {
  auto page = store.Range({.key = next_key_,
                           .range_end = PrefixEnd(prefix_),
                           .revision = list_revision_,
                           .limit = page_keys,
                           .count_only = false});
  if (!page.ok()) return Interrupt(page.status());
  if (page->kvs.empty()) {
    phase_ = Phase::kWatching;
    delivered_ = list_revision_;
    return {.kind = Call::Kind::kListDone};
  }
  if (page->more) {
    next_key_ = page->kvs.back().key + '\0';
  } else {
    phase_ = Phase::kListed;
  }
  return {.kind = Call::Kind::kListPage, .page = *std::move(page)};
}

MemoryStore::BatchPtr MemoryFollow::NextBatch(const MemoryStore& store, Revision after) const {
  while (MemoryStore::BatchPtr batch = store.NextBatch(after)) {
    for (const MemoryStore::Event& event : batch->events) {
      if (absl::StartsWith(event.kv.key, prefix_)) return batch;
    }
    after = batch->revision;
  }
  return nullptr;
}

void MemoryFollow::AnswerProgress(const MemoryStore& store, const Conditions& conditions, absl::Time now) {
  progress_requested_ = false;
  ++counts_.progress_requests;
  if (conditions.progress_refused) return;
  if (!conditions.progress_before_start && store.revision() < watch_start_) return;
  // A watch with held events is not in step: the store drops the request.
  const MemoryStore::BatchPtr held = NextBatch(store, std::max(conditions.last_event, delivered_));
  if (conditions.last_event < store.revision() && held != nullptr) return;
  answers_.push_back({store.revision(), now + conditions.progress_delay});
}

std::optional<MemoryFollow::Call> MemoryFollow::NextOfWatch(const MemoryStore& store, const Conditions& conditions,
                                                            absl::Time now) {
  if (!stream_open_) {
    stream_open_ = true;
    watch_start_ = delivered_.Next();
    ++counts_.streams;
  }
  if (progress_requested_) AnswerProgress(store, conditions, now);
  MemoryStore::BatchPtr batch = NextBatch(store, std::max(delivered_, scanned_));
  scanned_ = batch == nullptr ? store.revision() : batch->revision.Previous();
  if (!answers_.empty() && answers_.front().due <= now &&
      (batch == nullptr || batch->revision > answers_.front().revision)) {
    // Events above a late answer may have come before it; it says no less for that.
    delivered_ = std::max(delivered_, answers_.front().revision);
    answers_.pop_front();
    return Call{.kind = Call::Kind::kProgress, .revision = delivered_};
  }
  Call call{.kind = Call::Kind::kEvents};
  const size_t batches_max = static_cast<size_t>(std::max(conditions.event_batch_revisions, 1));
  while (batch != nullptr && batch->revision <= conditions.last_event && call.batches.size() < batches_max) {
    delivered_ = batch->revision;
    call.batches.push_back(std::move(batch));
    batch = NextBatch(store, delivered_);
  }
  if (call.batches.empty()) return std::nullopt;
  return call;
}

namespace {

KeyValueView ViewOf(const KeyValue& kv) { return {kv.key, kv.value, kv.create_revision, kv.mod_revision}; }

}  // namespace

void MemoryFollow::Deliver(const Call& call, FollowObserver* observer) const {
  switch (call.kind) {
    case Call::Kind::kListBegin:
      return observer->OnListBegin(call.revision);
    case Call::Kind::kListPage: {
      std::vector<KeyValueView> page;
      for (const KeyValue& kv : call.page.kvs) page.push_back(ViewOf(kv));
      return observer->OnListPage(page);
    }
    case Call::Kind::kListDone:
      return observer->OnListDone();
    case Call::Kind::kEvents: {
      std::vector<EventView> events;
      for (const MemoryStore::BatchPtr& batch : call.batches) {
        for (const MemoryStore::Event& event : batch->events) {
          if (absl::StartsWith(event.kv.key, prefix_)) events.push_back({event.type, ViewOf(event.kv)});
        }
      }
      return observer->OnEvents(events);
    }
    case Call::Kind::kProgress:
      return observer->OnProgress(call.revision);
    case Call::Kind::kInterrupted:
      return observer->OnInterrupted(call.status);
    case Call::Kind::kRewound:
      return observer->OnRewound(call.status);
  }
}

}  // namespace tidemark::storeclient
