#include "cache/interest_registry.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tidemark::cache {

InterestRegistry::InterestRegistry() : watched_keys_(std::make_shared<const WatchedKeys>()) {}

InterestRegistry::~InterestRegistry() = default;

void InterestRegistry::Join(Interest interest, uint64_t end, Subscriber* subscriber) {
  TM_CHECK(subscriber->bucket == nullptr);
  if (interest.kind == Interest::Kind::kPair) {
    if (!MayWatchBy(interest.pair)) {
      interest = WithoutPair(interest);
    } else if (!IndexOf(interest.pair)) {
      AddWatchedKey(interest.pair);
    }
  }
  Bucket* bucket = &all_;
  if (ByText* map = MapOf(interest)) {
    std::unique_ptr<Bucket>& slot = (*map)[interest.text];
    if (slot == nullptr) {
      slot = std::make_unique<Bucket>();
      slot->interest_ = interest;
      slot->complete_from_ = end;
      slot->place_ = sweep_order_.size();
      sweep_order_.push_back(slot.get());
    } else if (slot->subscribers_ == 0) {
      --idle_buckets_;
    }
    bucket = slot.get();
  }
  ++bucket->subscribers_;
  ++subscribers_;
  subscriber->bucket = bucket;
}

void InterestRegistry::Leave(Subscriber* subscriber, absl::Time now) {
  Bucket* const bucket = subscriber->bucket;
  if (subscriber->armed_at != Subscriber::kNotArmed) {
    Subscriber* const last = bucket->armed_.back();
    bucket->armed_[subscriber->armed_at] = last;
    last->armed_at = subscriber->armed_at;
    bucket->armed_.pop_back();
    subscriber->armed_at = Subscriber::kNotArmed;
  }
  --subscribers_;
  subscriber->bucket = nullptr;
  if (--bucket->subscribers_ > 0 || bucket == &all_) return;
  bucket->idle_since_ = now;
  if (++idle_buckets_ > kIdleBucketsMax) Remove(bucket);
}

void InterestRegistry::Arm(Subscriber* subscriber) {
  if (subscriber->armed_at != Subscriber::kNotArmed) return;
  subscriber->armed_at = subscriber->bucket->armed_.size();
  subscriber->bucket->armed_.push_back(subscriber);
}

void InterestRegistry::Post(const Route& route, uint64_t sequence, std::vector<Waker>* wakers) {
  TM_DCHECK(route.pairs.size() == pairs_.size());
  WakeArmed(&all_, wakers);
  if (!names_.empty()) PostTo(names_, route.key, sequence, wakers);
  if (!namespaces_.empty()) PostTo(namespaces_, route.namespace_name, sequence, wakers);
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const PairValues& values = route.pairs[i];
    if (values.before) PostPair(pairs_[i], route.namespace_name, *values.before, sequence, wakers);
    if (values.after) PostPair(pairs_[i], route.namespace_name, *values.after, sequence, wakers);
  }
}

void InterestRegistry::Sweep(uint64_t first, absl::Time now, size_t buckets) {
  for (size_t swept = 0; swept < buckets && !sweep_order_.empty(); ++swept) {
    if (sweep_next_ >= sweep_order_.size()) sweep_next_ = 0;
    Bucket* const bucket = sweep_order_[sweep_next_];
    bucket->postings_.DropBelow(first);
    if (bucket->subscribers_ == 0 && bucket->idle_since_ + kIdleBucketSpan < now) {
      Remove(bucket);
    } else {
      ++sweep_next_;
    }
  }
}

void InterestRegistry::WakeAll(std::vector<Waker>* wakers) {
  WakeArmed(&all_, wakers);
  for (Bucket* bucket : sweep_order_) WakeArmed(bucket, wakers);
}

InterestRegistry::ByText* InterestRegistry::MapOf(const Interest& interest) {
  switch (interest.kind) {
    case Interest::Kind::kAll:
      return nullptr;
    case Interest::Kind::kNamespace:
      return &namespaces_;
    case Interest::Kind::kName:
      return &names_;
    case Interest::Kind::kPair:
      break;
  }
  const std::optional<size_t> index = IndexOf(interest.pair);
  return index ? &pairs_[*index] : nullptr;
}

std::optional<size_t> InterestRegistry::IndexOf(const PairKey& key) const {
  const auto found = std::find(watched_keys_->begin(), watched_keys_->end(), key);
  if (found == watched_keys_->end()) return std::nullopt;
  return static_cast<size_t>(found - watched_keys_->begin());
}

bool InterestRegistry::MayWatchBy(const PairKey& key) const {
  if (key.source == Requirement::Source::kField || IndexOf(key)) return true;
  const auto is_label = [](const PairKey& watched) { return watched.source == Requirement::Source::kLabel; };
  return std::count_if(watched_keys_->begin(), watched_keys_->end(), is_label) < ptrdiff_t{kWatchedLabelsMax};
}

void InterestRegistry::AddWatchedKey(const PairKey& key) {
  auto keys = std::make_shared<WatchedKeys>(*watched_keys_);
  keys->push_back(key);
  watched_keys_ = std::move(keys);
  pairs_.emplace_back();
}

void InterestRegistry::RemoveWatchedKey(size_t index) {
  auto keys = std::make_shared<WatchedKeys>(*watched_keys_);
  keys->erase(keys->begin() + static_cast<ptrdiff_t>(index));
  watched_keys_ = std::move(keys);
  pairs_.erase(pairs_.begin() + static_cast<ptrdiff_t>(index));
}

void InterestRegistry::PostTo(const ByText& map, absl::string_view text, uint64_t sequence,
                              std::vector<Waker>* wakers) {
  const auto found = map.find(text);
  if (found == map.end()) return;
  found->second->postings_.Push(sequence);
  WakeArmed(found->second.get(), wakers);
}

void InterestRegistry::PostPair(const ByText& map, absl::string_view namespace_name, absl::string_view value,
                                uint64_t sequence, std::vector<Waker>* wakers) {
  PostTo(map, PairText("", value), sequence, wakers);
  if (!namespace_name.empty()) PostTo(map, PairText(namespace_name, value), sequence, wakers);
}

void InterestRegistry::WakeArmed(Bucket* bucket, std::vector<Waker>* wakers) {
  for (Subscriber* subscriber : bucket->armed_) {
    subscriber->armed_at = Subscriber::kNotArmed;
    wakers->push_back(subscriber->waker);
  }
  bucket->armed_.clear();
}

void InterestRegistry::Remove(Bucket* bucket) {
  sweep_order_.back()->place_ = bucket->place_;
  sweep_order_[bucket->place_] = sweep_order_.back();
  sweep_order_.pop_back();
  --idle_buckets_;
  const Interest interest = bucket->interest_;
  ByText* const map = MapOf(interest);
  map->erase(interest.text);
  if (interest.kind == Interest::Kind::kPair && map->empty()) RemoveWatchedKey(*IndexOf(interest.pair));
}

}  // namespace tidemark::cache
