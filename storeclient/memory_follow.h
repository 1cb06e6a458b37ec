// MemoryFollow decides what one Follow of the in-memory twin delivers next: it holds the position in a list or a watch, and the
// faults that have hit it. It calls nobody.
//
// Thread-safety: thread-compatible; MemoryStoreClient guards it together with the store.
// Ownership:     a Call owns or shares all it shows.
// Invariants:    the calls follow the grammar of FollowObserver.
#ifndef TIDEMARK_STORECLIENT_MEMORY_FOLLOW_H_
#define TIDEMARK_STORECLIENT_MEMORY_FOLLOW_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/revision.h"
#include "storeclient/memory_store.h"
#include "storeclient/store_client.h"

namespace tidemark::storeclient {

class MemoryFollow {
 public:
  // What the store and the network allow at the moment.
  struct Conditions {
    bool connected = true;
    bool lists_held = false;
    bool progress_refused = false;
    bool progress_before_start = false;
    absl::Duration progress_delay;
    // Events above it are held.
    Revision last_event = Revision(INT64_MAX);
    int64_t page_keys = 500;
    int event_batch_revisions = 1;
  };
  // One call of the observer.
  struct Call {
    enum class Kind { kListBegin, kListPage, kListDone, kEvents, kProgress, kInterrupted, kRewound };
    Kind kind;
    Revision revision;                             // kListBegin, kProgress
    absl::Status status;                           // kInterrupted, kRewound
    RangeResult page;                              // kListPage
    std::vector<MemoryStore::BatchPtr> batches{};  // kEvents; may hold events of other prefixes too
  };
  struct Counts {
    int64_t lists = 0;
    int64_t streams = 0;
    int64_t progress_requests = 0;
  };

  explicit MemoryFollow(std::string prefix) : prefix_(std::move(prefix)) {}

  const std::string& prefix() const { return prefix_; }
  const Counts& counts() const { return counts_; }

  // A request that has not reached the store yet absorbs this one.
  void RequestProgress() { progress_requested_ = true; }
  void Break(const absl::Status& reason);
  void Rewind(const absl::Status& reason);
  // The next call, or nothing until something changes.
  std::optional<Call> Next(const MemoryStore& store, const Conditions& conditions, absl::Time now);
  // Whether the observer has what a store that went back may no longer have.
  bool IsStale() const { return rewound_.has_value(); }
  // When a delayed progress answer is due; InfiniteFuture without one.
  absl::Time NextDue() const { return answers_.empty() ? absl::InfiniteFuture() : answers_.front().due; }
  void Deliver(const Call& call, FollowObserver* observer) const;

 private:
  enum class Phase { kStart, kListing, kListed, kWatching };
  struct Answer {
    Revision revision;
    absl::Time due;
  };

  std::optional<Call> NextFault();
  Call NextPage(const MemoryStore& store, int64_t page_keys);
  std::optional<Call> NextOfWatch(const MemoryStore& store, const Conditions& conditions, absl::Time now);
  void AnswerProgress(const MemoryStore& store, const Conditions& conditions, absl::Time now);
  Call Interrupt(const absl::Status& reason);
  // The oldest batch above `after` that concerns the prefix; nullptr when there is none.
  MemoryStore::BatchPtr NextBatch(const MemoryStore& store, Revision after) const;

  const std::string prefix_;
  Phase phase_ = Phase::kStart;
  bool began_ = false;        // OnListBegin has been called
  bool stream_open_ = false;  // of the watch; a broken one is opened again
  Revision list_revision_;
  std::string next_key_;  // of the next page
  Revision delivered_;    // everything up to here has been handed out
  Revision scanned_;      // no batch in (delivered_, scanned_] concerns the prefix
  Revision watch_start_;  // of the open stream
  bool progress_requested_ = false;
  std::deque<Answer> answers_;           // of the store, under way
  std::optional<absl::Status> broken_;   // not told yet
  std::optional<absl::Status> rewound_;  // not told yet
  Counts counts_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_MEMORY_FOLLOW_H_
