// Follower is the core of one Follow without any I/O: it is told what has happened and says what to do. It knows no thread, socket,
// clock or observer, so that a test can drive it through any order of events.
//
//   Follower::Actions actions;
//   follower.Start(now, &actions);              // [kReadPage limit=100]
//   follower.OnPage(now, page, bytes, &actions) // [kReadPage revision=7 limit=400, kListBegin 7, kListPage {...}]
//
// Its life:
//
//   list page by page --> open the watch --> watch --(ends, or stays silent)--> back off --> look at the store --> open the watch
//        ^                                                                                        |
//        +---- compacted, too far behind (kBehind...), or the store went back --------------------+
//
// Before a watch is resumed a linearizable read shows the store's cluster id, term and revision: the same store, further on, or
// another one; and how much there is to catch up. A member that is behind our position when it creates the watch lags, or has
// been restored from a backup: the same read, beside the watch, tells. The term alone may be lower in one read of the same store:
// a header's term is filled in after the read, so a member that has just voted shows a higher one than another that still serves.
// So it is read again, kTermDoubtPause (store_identity.h) later.
//
// Thread-safety: thread-compatible.
// Ownership:     an action's spans point into the message it answers, or into the follower until its next call.
// Invariants:    the actions that are calls of the observer follow the grammar of FollowObserver. One request is outstanding
//                at most, a page or a look at the store: a newer one replaces an older, whose answer is not passed on.
// Source:        measured behind one etcd member: a watch catches up at 5,300 events/s, a list at 147,000 objects/s.
#ifndef TIDEMARK_STORECLIENT_FOLLOWER_H_
#define TIDEMARK_STORECLIENT_FOLLOWER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/revision.h"
#include "storeclient/backoff.h"
#include "storeclient/page_sizer.h"
#include "storeclient/progress_pacer.h"
#include "storeclient/store_client.h"
#include "storeclient/whole_revisions.h"
#include "storeclient/wire.h"

namespace tidemark::storeclient {

struct FollowAction {
  enum class Kind {
    // Calls of the observer.
    kListBegin,  // revision
    kListPage,   // page
    kListDone,
    kEvents,       // events
    kProgress,     // revision
    kInterrupted,  // status
    kRewound,      // status
    // Requests to the store.
    kReadPage,  // next_key() to the end of the prefix at `revision` (none: the current one), `limit` keys. OnPage(Failed).
    kReadStore,       // a linearizable read of the header. OnStore(Failed).
    kOpenWatch,       // from `revision`. OnWatch, OnWatchClosed.
    kCloseWatch,      // nothing more of it is passed on
    kSendProgress,    // on the open watch
    kChangeEndpoint,  // the one at hand is doubtful: the next request goes to another, if there is one
  };
  Kind kind;
  Revision revision{};
  int64_t limit = 0;
  absl::Status status{};
  absl::Span<const KeyValueView> page{};
  absl::Span<const EventView> events{};
};

class Follower {
 public:
  using Actions = std::vector<FollowAction>;

  // A watch of etcd catches up by 5,000 revisions in a second: no list is worth it below that.
  static constexpr int64_t kBehindMin = 5000;
  // A list delivers 27 objects in the time in which a lagging watch delivers one event.
  static constexpr int64_t kObjectsPerEvent = 27;
  // A member that has not created a watch by then is not going to.
  static constexpr absl::Duration kOpenTimeout = absl::Seconds(10);
  // A stream that lived as long as this has earned a fresh start.
  static constexpr absl::Duration kHealthyAfter = absl::Seconds(30);
  // When nothing has moved the position for so long, progress is asked for though nobody waits: a prefix without changes would be
  // further behind each minute, and a break then costs a list, and its watchers their place.
  static constexpr absl::Duration kQuietMax = absl::Seconds(60);

  // What has happened so far, for the metrics.
  struct Stats {
    int64_t progress_requests = 0;
    int64_t progress_notifications = 0;
    int64_t breaks = 0;
    int64_t resumes = 0;
    int64_t relists_compacted = 0;
    int64_t relists_behind = 0;
    int64_t relists_rewound = 0;
    int64_t events = 0;
  };

  // `seed` is for the jitter of the waits.
  Follower(std::string prefix, uint64_t seed);

  // All of these append to `actions`.
  void Start(absl::Time now, Actions* actions);
  void OnPage(absl::Time now, const RangeView& page, size_t bytes, Actions* actions);
  void OnPageFailed(absl::Time now, const absl::Status& status, Actions* actions);
  void OnStore(absl::Time now, const StoreHeader& store, Actions* actions);
  void OnStoreFailed(absl::Time now, const absl::Status& status, Actions* actions);
  void OnWatch(absl::Time now, const WatchView& message, Actions* actions);
  void OnWatchClosed(absl::Time now, const absl::Status& status, Actions* actions);
  // `store_revision`: the newest that any read of the store has shown.
  void RequestProgress(absl::Time now, Revision store_revision, Actions* actions);
  // Somebody saw the store go back: an open watch is given up and the store looked at.
  void Recheck(absl::Time now, const absl::Status& reason, Actions* actions);
  void OnTimer(absl::Time now, Actions* actions);

  // When OnTimer is due; InfiniteFuture when nothing is.
  absl::Time NextTimer() const;
  const std::string& next_key() const { return next_key_; }
  // Everything up to here has been delivered, since the last rewind.
  Revision position() const { return position_; }
  const Stats& stats() const { return stats_; }

 private:
  enum class State {
    kIdle,      // before Start
    kBackoff,   // until retry_at_, then the next step
    kListing,   // a page is outstanding
    kChecking,  // a look at the store is outstanding
    kOpening,   // a watch has been asked for and is not created yet
    kWatching,
  };
  // What is to be done next, or after the wait.
  enum class Step { kFirstPage, kNextPage, kCheck };

  void Do(absl::Time now, Step step, Actions* actions);
  void Retry(absl::Time now, Step step, Actions* actions);
  void OpenWatch(absl::Time now, Actions* actions);
  // Closes the watch at hand and starts over with a look at the store.
  void GiveUpWatch(absl::Time now, const absl::Status& reason, Actions* actions);
  void WatchEnded(absl::Time now, const absl::Status& reason, Actions* actions);
  // Tells the observer, once per outage.
  void Interrupt(const absl::Status& reason, Actions* actions);
  void Rewind(absl::Time now, const absl::Status& reason, Actions* actions);
  // OK when `store` can be the one that was followed so far, as a linearizable read shows it.
  absl::Status CheckSameStore(const StoreHeader& store) const;
  // Whether `store` has nothing against it but a lower term, and no read has shown that for kTermDoubtPause: to be read
  // again at doubted_until_.
  bool DoubtTerm(absl::Time now, const StoreHeader& store);
  // Once the doubt is over.
  void ReadAgain(Step step);
  // A store that tells no cluster id cannot be told from another by it.
  bool SameCluster(const StoreHeader& store) const;
  void OnCreated(absl::Time now, const StoreHeader& member, Actions* actions);
  void OnCanceled(absl::Time now, const WatchView& message, Actions* actions);
  void Deliver(absl::Time now, const WatchView& message, Actions* actions);
  void MoveTo(absl::Time now, Revision revision);
  void SendProgressIfDue(absl::Time now, Actions* actions);
  bool TooFarBehind(Revision store_revision) const;

  const std::string prefix_;
  State state_ = State::kIdle;
  Step after_backoff_ = Step::kFirstPage;
  absl::Time retry_at_ = absl::InfiniteFuture();  // in kBackoff
  absl::Time opened_at_ = absl::InfinitePast();   // the watch at hand was asked for
  Backoff backoff_;
  bool interrupted_ = false;  // the observer has been told of this outage

  // The store that is followed.
  bool seen_store_ = false;  // a page of it has come
  uint64_t cluster_id_ = 0;
  uint64_t raft_term_ = 0;  // the highest that a linearizable read showed; never goes down in one store
  absl::Time doubted_until_ = absl::InfiniteFuture();  // the last read showed a lower one, and nothing else
  Revision position_;
  absl::Time moved_at_ = absl::InfinitePast();  // position_ was set, or progress asked for since nothing had set it

  // The list at hand.
  PageSizer sizer_;
  std::string next_key_;
  Revision list_revision_;  // none before its first page
  int64_t listed_keys_ = 0;
  int64_t objects_ = 0;  // in the last whole list: the measure of what a new one costs

  // The watch at hand.
  WholeRevisions whole_;
  std::vector<absl::Span<const EventView>> batches_;  // of the message at hand
  ProgressPacer pacer_;
  bool verifying_ = false;                         // a look at the store is outstanding beside the watch
  absl::Time verify_at_ = absl::InfiniteFuture();  // when the second is due, while the first is doubted
  Revision store_revision_;                        // as RequestProgress was told last
  Stats stats_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_FOLLOWER_H_
