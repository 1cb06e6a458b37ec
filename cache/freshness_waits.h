// FreshnessWaits holds the readers of one mirror that wait until it has reached a revision, and decides when to ask the store for
// progress. Events in, actions out: no clock, no thread, no I/O (freshness_gate.h drives it).
//
// Progress is asked for at once when a round of readers has to wait (one request in flight, kProgressGap apart at least), then
// every kProgressTick as long as anyone waits, and never when nobody does. A request in flight may have passed the store before a
// newer round's write: when it is answered, or overdue, and that round still waits, another goes out.
//
// Thread-safety: thread-compatible.
// Invariants:    reached() falls only by Reset; each waiter is ended exactly once.
// Cost:          O(log waiters) per waiter, O(1) per advance when nobody waits.
// Source:        KEP-2340. kube-apiserver has the tick alone, which makes its p99 100 to 250 ms.
#ifndef TIDEMARK_CACHE_FRESHNESS_WAITS_H_
#define TIDEMARK_CACHE_FRESHNESS_WAITS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/revision.h"

namespace tidemark::cache {

// Between two requests: coalesced rounds come 5 ms apart, so that each may have its own.
inline constexpr absl::Duration kProgressGap = absl::Milliseconds(5);
// While somebody waits: a store stays silent for a watch that lags, and works its lagging watches off every 100 ms.
inline constexpr absl::Duration kProgressTick = absl::Milliseconds(100);
// A request that was not answered by then is taken for lost when a newer round wants one: stores drop requests silently.
inline constexpr absl::Duration kProgressAnswerMax = absl::Milliseconds(20);
// As kRevisionReadersMax: whoever waits here came from there, or asked for a revision by number.
inline constexpr size_t kFreshnessWaitersMax = 65'536;

class FreshnessWaits {
 public:
  using WaiterId = uint64_t;
  enum class Outcome { kReached, kTimedOut, kOverloaded };
  struct Done {
    WaiterId waiter;
    Outcome outcome;
  };
  struct Actions {
    bool request_progress = false;
    std::vector<Done> done;
  };

  Actions Add(WaiterId waiter, Revision revision, absl::Time deadline, absl::Time now);
  // Everything up to `revision` lies in the mirror. `answers_progress`: a progress notification said so.
  Actions OnReached(Revision revision, bool answers_progress, absl::Time now);
  // The stream broke: a request in flight is lost.
  Actions OnInterrupted(absl::Time now);
  Actions OnTick(absl::Time now);
  // All waiters end, and reached() becomes `revision`: the store was restored, or the mirror stops. Returns who waited.
  std::vector<WaiterId> Reset(Revision revision);

  // When OnTick has to be called next; InfiniteFuture: not before another event.
  absl::Time NextWake() const;
  Revision reached() const { return reached_; }
  size_t waiters() const { return waiters_.size(); }

 private:
  struct Waiter {
    Revision revision;
    absl::Time deadline;
  };

  void End(std::map<WaiterId, Waiter>::iterator waiter, Outcome outcome, Actions* actions);
  void EndReached(Actions* actions);
  void Expire(absl::Time now, Actions* actions);
  void RequestIfDue(absl::Time now, Actions* actions);
  // When the next request may go out; InfiniteFuture when nobody waits.
  absl::Time NextRequest() const;

  std::map<WaiterId, Waiter> waiters_;
  std::set<std::pair<Revision, WaiterId>> by_revision_;
  std::set<std::pair<absl::Time, WaiterId>> by_deadline_;
  Revision reached_;
  bool in_flight_ = false;  // a request went out and no notification came since
  bool wanted_ = false;     // a waiter came whom the last request may not have covered
  absl::Time last_request_ = absl::InfinitePast();
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_FRESHNESS_WAITS_H_
