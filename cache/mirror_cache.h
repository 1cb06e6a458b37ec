// MirrorCache is the Cache over one store: a ResourceMirror per resource, one revision reader for all, the fallback to
// the store, and what has to be done now and then.
//
//   MirrorCache cache({.resources = config::BuiltinResources()}, &client, &executor, &registry);
//   cache.Start();
//   ...
//   cache.Stop();
//
// How a read becomes fresh:
//   kAny            the mirror as it is
//   kNotOlderThan   wait until the mirror is there
//   kExact          the same, then the history; what the store still has and the history has not is listed from the store
//   kConsistent     the store's revision by quorum (shared), then the same wait; or, where the store's progress is not to
//                   be trusted or the operator said so, a list from the store
//
// Mirrors may come and go while it runs (Add, Remove), beside those that it is made with. A thousand that come at once list one
// after the other (first_lists.h).
//
// Thread-safety: thread-safe. Callbacks of Read run in the caller's thread when there is nothing to wait for, else on
//                the thread that brought the news: the client's, the executor's or, with a list from the store, one
//                of Options::post. They must be quick, or hand over.
// Ownership:     the client, the executor and the registry outlive it. Stop before destruction; the
//                destructor does it if need be.
// Errors:        as in cache.h.
#ifndef TIDEMARK_CACHE_MIRROR_CACHE_H_
#define TIDEMARK_CACHE_MIRROR_CACHE_H_

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "cache/cache.h"
#include "cache/compaction_tracker.h"
#include "cache/event_history.h"
#include "cache/first_lists.h"
#include "cache/resource_mirror.h"
#include "cache/revision_reader.h"
#include "cache/store_list.h"
#include "config/options.h"
#include "config/resource.h"
#include "metrics/registry.h"
#include "storeclient/store_client.h"

namespace tidemark::cache {

// Between rounds of trimming, freeing and setting gauges.
inline constexpr absl::Duration kHousekeepingGap = absl::Seconds(1);
// How long a mirror that is removed may take to come to its last revision, before its watches end.
inline constexpr absl::Duration kFarewellMax = absl::Seconds(1);
// How long one that another has replaced goes on: longer than a read waits (config::kReadWaitMax), so that those under way end
// with an answer.
inline constexpr absl::Duration kReplacedMax = absl::Seconds(4);

class MirrorCache : public Cache {
 public:
  struct Options {
    std::vector<config::Resource> resources;
    std::string etcd_prefix = "/registry";  // begins with a slash, ends without
    EventHistory::Options history;
    absl::Duration read_wait_max = config::kReadWaitMax;  // unless a read's own deadline is nearer
    config::ConsistentListFromCache consistent_list = config::ConsistentListFromCache::kAuto;
    // A consistent read that waited in vain is answered from the store instead of kStale.
    bool stale_read_from_store = false;
    // Runs tasks that may take long; unless set, they run on the executor.
    Poster post;
    // Runs the housekeeping, which frees for milliseconds on end: on an executor of its own it keeps no wait from ending.
    // Unless set, the cache's executor. Outlives the cache.
    Executor* housekeeper = nullptr;
  };

  // `registry` may be nullptr: nothing is counted.
  MirrorCache(Options options, storeclient::StoreClient* client, Executor* executor, metrics::Registry* registry);
  ~MirrorCache() override;

  // Begins to follow every resource.
  void Start();
  // Ends every wait and watch with kStopped; the client is not used afterwards. REQUIRES: not called from a callback.
  void Stop();

  // Follows one more resource, once its turn has come. `on_ready` is called once, when the first list is loaded, on the client's
  // thread: cheap, and it must not call back. The mirror may be asked and watched as long as it is held, but after Remove it only
  // says kGone. REQUIRES: after Start; not together with Stop. (The same for Remove.)
  std::shared_ptr<Mirror> Add(config::Resource resource, std::function<void()> on_ready);
  // Lets go of what Add gave: once it has come to `revision`, its watches get what is left and end with kGone. Without a
  // revision it has been replaced, and goes on for kReplacedMax. One that is not ready ends at once.
  void Remove(const std::shared_ptr<Mirror>& mirror, Revision revision);

  // Of these the mirrors that were added are no part.
  Mirror* Find(absl::string_view group, absl::string_view plural) override;
  std::vector<Mirror*> mirrors() override;
  bool ready() const override;
  // REQUIRES: `mirror` is one of mirrors(), or was given by Add and is held until `done` was called.
  void Read(Mirror* mirror, ReadOptions options, ReadCallback done) override;

 private:
  // One Read that waits; Stop waits until none is left.
  struct PendingRead;
  using PendingReadPtr = std::unique_ptr<PendingRead>;
  using Next = void (MirrorCache::*)(PendingReadPtr, absl::Status);
  using MirrorList = std::vector<std::shared_ptr<ResourceMirror>>;

  Executor* Housekeeper() const { return options_.housekeeper != nullptr ? options_.housekeeper : executor_; }
  void ReadConsistent(PendingReadPtr read);
  // Waits until the mirror has reached `revision`; `next` gets the outcome.
  void Wait(PendingReadPtr read, Revision revision, Next next);
  void AfterNotOlderThan(PendingReadPtr read, absl::Status status);
  void AfterExact(PendingReadPtr read, absl::Status status);
  void AfterConsistent(PendingReadPtr read, absl::Status status);
  // The state at the read's revision, which the mirror has reached: from the history, or else from the store.
  void AnswerExact(PendingReadPtr read);
  // A list of the store's own, at `revision` or, if that is none, of its newest state.
  void AnswerFromStore(PendingReadPtr read, Revision revision);
  bool ConsistentFromMirror() const;

  std::shared_ptr<ResourceMirror> MakeMirror(const config::Resource& resource) const;
  // Those it was made with, and those that were added and not removed.
  MirrorList AllMirrors() const;
  // The farewell is over.
  void Forget(const ResourceMirror* mirror);

  CompactionTracker::Bounds HistoryBounds() const;
  void CutBelow(Revision revision);
  void ScheduleHousekeeping();
  void Housekeep();

  const Options options_;
  storeclient::StoreClient* const client_;
  Executor* const executor_;
  metrics::Registry* const registry_;
  const std::shared_ptr<RevisionReader> reader_;
  const std::shared_ptr<StoreList> store_list_;
  const std::shared_ptr<FirstLists> first_lists_;                           // of those that are added
  MirrorList mirrors_;                                                      // constant after construction
  std::map<std::pair<std::string, std::string>, ResourceMirror*> by_name_;  // group and plural
  std::shared_ptr<CompactionTracker> compaction_;

  mutable Mutex added_mu_;
  MirrorList added_ ABSL_GUARDED_BY(added_mu_);
  MirrorList leaving_ ABSL_GUARDED_BY(added_mu_);  // removed, but not ended yet

  Mutex reads_mu_;
  CondVar reads_done_;
  int64_t reads_ ABSL_GUARDED_BY(reads_mu_) = 0;  // PendingReads that exist

  std::atomic<int64_t> compacted_{0};  // the highest revision that the store was seen compacted at
  // What the housekeeping's tasks hold; locked while one runs, emptied by Stop.
  struct Alive {
    Mutex mu;
    MirrorCache* cache ABSL_GUARDED_BY(mu) = nullptr;
  };
  std::shared_ptr<Alive> alive_ = std::make_shared<Alive>();
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_MIRROR_CACHE_H_
