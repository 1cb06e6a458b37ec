// ResourceMirror is the mirror of one resource: it follows the resource's prefix in the store, feeds the indexed store with what
// comes, publishes it in its timeline, and tells the freshness gate how far it is.
//
//   list                   a new timeline begins at its revision; the old one, if any, ends with its watches (kCompacted)
//   events                 one snapshot per call, whole revisions only; then the gate
//   progress               moves the revision; then the gate. Not believed while the store's progress is not to be trusted
//   rewind                 everything is dropped at once: not ready until the list that follows
//
// Thread-safety: thread-safe. The observer's calls come one at a time; housekeeping and cuts take the writer's lock in between.
// Ownership:     held by shared_ptr; the client and the executor outlive it.
// Errors:        kNotReady before the first list and after a rewind, with the last thing that went wrong.
// Invariants:    readers see a state before the gate says that it is reached.
// Cost:          that of cache/indexed_store.h and cache/timeline.h.
#ifndef TIDEMARK_CACHE_RESOURCE_MIRROR_H_
#define TIDEMARK_CACHE_RESOURCE_MIRROR_H_

#include <memory>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/status.h"
#include "cache/cache.h"
#include "cache/event_history.h"
#include "cache/freshness_gate.h"
#include "cache/indexed_store.h"
#include "cache/timeline.h"
#include "metrics/cache_metrics.h"
#include "storeclient/store_client.h"

namespace tidemark::cache {

// Events per published snapshot, if the store sends more at a time: readers wait no longer than these take. Also objects of
// a list's page that are taken over at a time: cuts and housekeeping wait no longer.
inline constexpr size_t kEventsPerPublishMax = 1'000;
// Dead pieces freed at a time by housekeeping, under 1 ms while events wait; and how often in one round.
inline constexpr size_t kPiecesFreedAtATime = 512;
inline constexpr int kFreeingsPerHousekeep = 32;
// A list of so much leaves its pages behind in the heap: 80 MB free of 515 after 390 MB, measured.
inline constexpr size_t kTrimAfterBytes = size_t{16} << 20;
// Keys that are no object's and are named in the log, for each resource: one tells where they come from, and a prefix can be
// full of them.
inline constexpr int kStrayKeysLoggedMax = 1;
// Of such a key: the store takes keys of any length.
inline constexpr size_t kStrayKeyShownBytes = 512;

class ResourceMirror : public Mirror,
                       public storeclient::FollowObserver,
                       public std::enable_shared_from_this<ResourceMirror> {
 public:
  // `prefix` is whole: "/registry/pods/".
  static std::shared_ptr<ResourceMirror> Make(config::Resource resource, std::string prefix,
                                              EventHistory::Options history, storeclient::StoreClient* client,
                                              Executor* executor, metrics::MirrorMetrics metrics,
                                              metrics::FreshnessMetrics freshness_metrics);

  // Nothing after Stop.
  void Start();
  // Called once, when the first list is complete; never when the mirror is stopped before. REQUIRES: not started yet.
  void CallWhenReady(std::function<void()> on_ready);
  // No call of the observer comes afterwards; watches and waits end with `reason`. Only the first call counts.
  // REQUIRES: not called by the observer.
  void Stop(const absl::Status& reason = MakeError(ErrorKind::kStopped, "the cache stops"));

  const config::Resource& resource() const override { return resource_; }
  bool ready() const override { return timeline().ok(); }
  Revision revision() const override;
  absl::StatusOr<std::unique_ptr<WatchCursor>> Watch(WatchQuery query, std::function<void()> waker) override;
  metrics::ReadMetrics read_metrics() const override { return metrics_.reads; }

  const std::string& key_prefix() const override { return prefix_; }
  // What the mirror has, and what it had at `revision`.
  absl::StatusOr<Timeline::State> Current() const;
  absl::StatusOr<SnapshotRef> At(Revision revision) const;
  absl::StatusOr<std::shared_ptr<Timeline>> timeline() const;
  FreshnessGate& gate() { return *gate_; }
  metrics::MirrorMetrics& metrics() { return metrics_; }
  // The store is compacted at `revision`.
  void CutBelow(Revision revision);
  // Once a second.
  void Housekeep();

  void OnListBegin(Revision revision) override;
  void OnListPage(absl::Span<const storeclient::KeyValueView> page) override;
  void OnListDone() override;
  void OnEvents(absl::Span<const storeclient::EventView> events) override;
  void OnProgress(Revision revision) override;
  void OnInterrupted(const absl::Status& reason) override;
  void OnRewound(const absl::Status& reason) override;

 private:
  using RoutedEvents = std::vector<Timeline::RoutedEvent>;

  ResourceMirror(config::Resource resource, std::string prefix, EventHistory::Options history,
                 storeclient::StoreClient* client, Executor* executor, metrics::MirrorMetrics metrics);

  // Applies one event to the indexed store; appends what watchers may see of it.
  void Apply(const storeclient::EventView& event, const WatchedKeys& keys, const Timeline& timeline,
             RoutedEvents* routed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writer_mu_);
  // Applies all events, and publishes them in one or more snapshots. Returns whom to wake.
  std::vector<InterestRegistry::Waker> ApplyAll(absl::Span<const storeclient::EventView> events, Timeline* timeline)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writer_mu_);
  void Publish(Revision revision, RoutedEvents routed, const std::shared_ptr<const WatchedKeys>& keys,
               Timeline* timeline, std::vector<InterestRegistry::Waker>* wakers)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writer_mu_);
  // The key without the prefix; empty when it is no object's (cache/object_key.h), which is counted.
  absl::string_view ObjectKey(absl::string_view key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writer_mu_);
  void Account(const Change& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writer_mu_);
  void NoteUnreadable(const Object& object) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writer_mu_);
  // Ends what SetTimeline gave back, and leaves it to the housekeeping to free.
  void Retire(std::shared_ptr<Timeline> old, const absl::Status& reason);
  void FreeEnded();
  // Replaces the timeline, or with nullptr ends readiness for `reason`; returns the old one.
  std::shared_ptr<Timeline> SetTimeline(std::shared_ptr<Timeline> timeline, const absl::Status& reason);
  void RequestProgress();
  // Frees some of what is dead; false when nothing is left.
  bool FreeSome();
  // Calls `ask` with the timeline; again with the next one if that ended meanwhile.
  template <typename Ask>
  auto AskTimeline(Ask ask) const -> decltype(ask(static_cast<Timeline*>(nullptr)));

  const config::Resource resource_;
  const std::string prefix_;
  const EventHistory::Options history_;
  storeclient::StoreClient* const client_;
  Executor* const executor_;
  metrics::MirrorMetrics metrics_;
  std::shared_ptr<FreshnessGate> gate_;  // set by Make

  // The writer: one observer's call, cut or housekeeping at a time.
  Mutex writer_mu_ ABSL_ACQUIRED_BEFORE(mu_);
  IndexedStore store_ ABSL_GUARDED_BY(writer_mu_);
  Revision list_revision_ ABSL_GUARDED_BY(writer_mu_);  // none: no list runs
  absl::Time list_start_ ABSL_GUARDED_BY(writer_mu_);
  size_t listed_bytes_ ABSL_GUARDED_BY(writer_mu_) = 0;  // by the list under way
  bool trim_ ABSL_GUARDED_BY(writer_mu_) = false;        // a big list has ended since the last housekeeping
  int64_t object_bytes_ ABSL_GUARDED_BY(writer_mu_) = 0;
  std::function<void()> on_ready_ ABSL_GUARDED_BY(writer_mu_);
  bool unreadable_logged_ ABSL_GUARDED_BY(writer_mu_) = false;
  int stray_keys_logged_ ABSL_GUARDED_BY(writer_mu_) = 0;

  mutable Mutex mu_;
  std::shared_ptr<Timeline> timeline_ ABSL_GUARDED_BY(mu_);  // null: not ready
  absl::Status not_ready_ ABSL_GUARDED_BY(mu_);              // why, while timeline_ is null
  // Ended, not freed yet: a history is big, and the last watch that lets go must not have to free it.
  std::vector<std::shared_ptr<Timeline>> ended_ ABSL_GUARDED_BY(mu_);

  Mutex handle_mu_;
  std::unique_ptr<storeclient::FollowHandle> handle_ ABSL_GUARDED_BY(handle_mu_);
  bool stopped_ ABSL_GUARDED_BY(handle_mu_) = false;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_RESOURCE_MIRROR_H_
