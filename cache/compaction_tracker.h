// CompactionTracker learns how far the store has been compacted, so that the mirrors promise no more history than the store does.
// It follows compact_rev_key, in which kube-apiservers announce a compaction before they do it; and, as anyone may compact a store,
// it probes: a read of one key at the oldest revision that a mirror still promises fails when that has been compacted. etcd does
// not say how far, so a bisection finds it.
//
// Thread-safety: thread-safe. Callbacks run on the client's threads or the executor's.
// Ownership:     held by shared_ptr; the client and the executor outlive it. Stop before destroying either.
// Cost:          one small read every kCompactionProbeGap; after a compaction by others some twenty more.
// Source:        kube-apiserver's compactor (k8s.io/apiserver storage/etcd3), etcd v3's Range.
#ifndef TIDEMARK_CACHE_COMPACTION_TRACKER_H_
#define TIDEMARK_CACHE_COMPACTION_TRACKER_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "storeclient/store_client.h"

namespace tidemark::cache {

// Where kube-apiservers announce compactions, whatever their prefix.
inline constexpr absl::string_view kCompactRevKey = "compact_rev_key";
// Between probes: a client is told 410 at most this much later than the store would tell it.
inline constexpr absl::Duration kCompactionProbeGap = absl::Seconds(5);
inline constexpr absl::Duration kCompactionProbeTimeout = absl::Seconds(5);

class CompactionTracker : public storeclient::FollowObserver, public std::enable_shared_from_this<CompactionTracker> {
 public:
  // The oldest revision that any mirror promises, and the newest that one has reached; none when no mirror is ready.
  struct Bounds {
    Revision oldest;
    Revision newest;
  };

  // `cut` gets the revision that the store is compacted at: it serves this one, and none below. None: the store was restored, and
  // what was said before does not hold.
  CompactionTracker(storeclient::StoreClient* client, Executor* executor, std::function<Bounds()> bounds,
                    std::function<void(Revision)> cut)
      : client_(client), executor_(executor), bounds_(std::move(bounds)), cut_(std::move(cut)) {}

  void Start();
  // No callback runs afterwards. REQUIRES: not called from one.
  void Stop();

  void OnListBegin(Revision) override {}
  void OnListPage(absl::Span<const storeclient::KeyValueView> page) override;
  void OnListDone() override {}
  void OnEvents(absl::Span<const storeclient::EventView> events) override;
  void OnProgress(Revision) override {}
  void OnInterrupted(const absl::Status&) override {}
  void OnRewound(const absl::Status&) override;

 private:
  // While one lives, Stop waits; it is false once stopped.
  class Running {
   public:
    explicit Running(CompactionTracker* tracker);
    ~Running();
    explicit operator bool() const { return entered_; }

   private:
    CompactionTracker* const tracker_;
    bool entered_;
  };

  void Announced(const storeclient::KeyValueView& kv);
  void ScheduleProbe();
  void Probe();
  // The compaction lies above `compacted` and at `served` at the latest.
  void Bisect(uint64_t generation, Revision compacted, Revision served);
  uint64_t generation();
  // Cuts, unless the store has gone back since `generation`.
  void Cut(uint64_t generation, Revision revision);
  // Reads at `revision`; `done` gets OK, kCompacted, or what came in between. Once the store has gone back since
  // `generation` the answer is about another store: instead of `done`, the next probe.
  void ReadAt(uint64_t generation, Revision revision,
              std::function<void(CompactionTracker*, const absl::Status&)> done);

  storeclient::StoreClient* const client_;
  Executor* const executor_;
  const std::function<Bounds()> bounds_;
  const std::function<void(Revision)> cut_;

  Mutex mu_;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  int calls_ ABSL_GUARDED_BY(mu_) = 0;  // callbacks that run now; Stop waits for them
  CondVar idle_;

  // Held while `cut` runs: what was found out about the store before a rewind is never cut after it.
  Mutex cut_mu_;
  uint64_t generation_ ABSL_GUARDED_BY(cut_mu_) = 0;  // counts rewinds

  std::unique_ptr<storeclient::FollowHandle> follow_;  // set by Start, destroyed by Stop
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_COMPACTION_TRACKER_H_
