// InterestRegistry finds the watchers that an event may concern, without looking at the others. Each watcher
// joins one bucket: that of an object's key, of one label or field value, of a namespace, or the one of all. An
// event is posted to the few buckets that its old and its new object fall into; a bucket's watchers share its
// postings and are woken together.
//
//   kPair spec.nodeName=node-7   postings [ 104 | 231 | 236 ]   armed: cursors that have read them all
//
// Events that came before a bucket existed are not in it: complete_from() says from where on it is complete, and a
// cursor that starts earlier first walks the history itself. A bucket stays for a while after its last watcher, so that
// one who reconnects finds it complete.
//
// Thread-safety: thread-compatible; Timeline guards one with its lock.
// Ownership:     owns its buckets; subscribers belong to their cursors and leave before they go.
// Cost:          per event O(1) for its key and namespace and for each label or field name that anyone watches by, plus
//                those woken. Nothing depends on the number of watchers that are not concerned.
#ifndef TIDEMARK_CACHE_INTEREST_REGISTRY_H_
#define TIDEMARK_CACHE_INTEREST_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cache/interest.h"
#include "cache/posting_list.h"

namespace tidemark::cache {

// Each label that somebody watches by costs every event one extraction; who comes later is woken by namespace. Fields are
// not counted: few are declared, and the agents of all nodes watch by one.
inline constexpr size_t kWatchedLabelsMax = 64;
// How long a bucket outlives its last watcher: clients that lost their connection are back by then.
inline constexpr absl::Duration kIdleBucketSpan = absl::Minutes(1);
// A client that watches ever new names must not leave more behind than this.
inline constexpr size_t kIdleBucketsMax = 20'000;
// Buckets looked at for old postings and long idleness each time events are posted.
inline constexpr size_t kBucketsSweptPerPost = 2;

class InterestRegistry {
 public:
  using Waker = std::shared_ptr<const std::function<void()>>;
  class Bucket;

  // One cursor's place in its bucket.
  struct Subscriber {
    Waker waker;
    Bucket* bucket = nullptr;
    size_t armed_at = kNotArmed;
    static constexpr size_t kNotArmed = static_cast<size_t>(-1);
  };

  class Bucket {
   public:
    // All events from this sequence on that may concern the interest are posted. The bucket of all has no postings: its
    // watchers read the history itself.
    uint64_t complete_from() const { return complete_from_; }
    bool reads_history() const { return interest_.kind == Interest::Kind::kAll; }
    const PostingList& postings() const { return postings_; }

   private:
    friend class InterestRegistry;
    Interest interest_;
    uint64_t complete_from_ = 0;
    PostingList postings_;
    std::vector<Subscriber*> armed_;
    size_t subscribers_ = 0;
    absl::Time idle_since_ = absl::InfinitePast();
    size_t place_ = 0;  // in the sweep's order
  };

  // Where an event belongs. `pairs` runs parallel to watched_keys().
  struct Route {
    absl::string_view key;
    absl::string_view namespace_name;
    std::vector<PairValues> pairs;
  };
  InterestRegistry();
  ~InterestRegistry();

  // Puts the subscriber into the bucket of `interest`; a label beyond kWatchedLabelsMax falls back to the bucket of its
  // namespace or, without one, of all. `end`: the sequence that the next event will get.
  void Join(Interest interest, uint64_t end, Subscriber* subscriber);
  void Leave(Subscriber* subscriber, absl::Time now);
  // The subscriber's waker will be collected once by the next event of its bucket.
  void Arm(Subscriber* subscriber);

  // Posts an event, and collects the wakers of those who are armed and may be concerned.
  void Post(const Route& route, uint64_t sequence, std::vector<Waker>* wakers);
  // Forgets old postings and idle buckets; looks at `buckets` of them, in turn.
  void Sweep(uint64_t first, absl::Time now, size_t buckets = kBucketsSweptPerPost);
  // Collects every armed waker.
  void WakeAll(std::vector<Waker>* wakers);

  // Replaced, never changed, when somebody watches by a new key.
  const std::shared_ptr<const WatchedKeys>& watched_keys() const { return watched_keys_; }
  size_t subscribers() const { return subscribers_; }
  size_t buckets() const { return sweep_order_.size(); }

 private:
  using ByText = absl::flat_hash_map<std::string, std::unique_ptr<Bucket>>;

  // The map that buckets of this interest live in; nullptr for kAll.
  ByText* MapOf(const Interest& interest);
  std::optional<size_t> IndexOf(const PairKey& key) const;
  // Whether events are, or may from now on be, routed by the key.
  bool MayWatchBy(const PairKey& key) const;
  void AddWatchedKey(const PairKey& key);
  void RemoveWatchedKey(size_t index);
  static void PostTo(const ByText& map, absl::string_view text, uint64_t sequence, std::vector<Waker>* wakers);
  static void PostPair(const ByText& map, absl::string_view namespace_name, absl::string_view value, uint64_t sequence,
                       std::vector<Waker>* wakers);
  static void WakeArmed(Bucket* bucket, std::vector<Waker>* wakers);
  void Remove(Bucket* bucket);

  Bucket all_;
  ByText names_;
  ByText namespaces_;
  std::vector<ByText> pairs_;  // parallel to watched_keys_
  std::shared_ptr<const WatchedKeys> watched_keys_;
  std::vector<Bucket*> sweep_order_;  // all buckets but all_
  size_t sweep_next_ = 0;
  size_t idle_buckets_ = 0;  // without subscribers
  size_t subscribers_ = 0;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_INTEREST_REGISTRY_H_
