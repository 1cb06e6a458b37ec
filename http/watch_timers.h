// WatchTimers wakes open watches when a bookmark is due and when their time is over: one ordered list for all of them
// on one executor, which sleeps until the earliest. An idle watch costs an entry here, and no CPU in between.
//
//   auto alarm = timers->Add(deadline, /*bookmarks=*/true, exchange->waker());
//   ... in Pull: if (alarm->expired()) return kEnd; if (alarm->TakeBookmark()) ...
//
// Thread-safety: WatchTimers and WatchAlarm are thread-safe.
// Ownership:     the watch owns its alarm; its destruction takes the entry out. The executor outlives both.
// Cost:          O(log n) to add, to fire and to remove.
#ifndef TIDEMARK_HTTP_WATCH_TIMERS_H_
#define TIDEMARK_HTTP_WATCH_TIMERS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "base/executor.h"
#include "net/exchange.h"

namespace tidemark::http {

// How often a watch that allows bookmarks gets one when nothing else goes out: what clients are used to.
inline constexpr absl::Duration kBookmarkPeriod = absl::Minutes(1);
// And so long before its end, so that the next watch has little to catch up with.
inline constexpr absl::Duration kBookmarkBeforeEnd = absl::Seconds(2);

namespace internal {
class WatchTimerList;

struct WatchTimerState {
  absl::Time deadline;
  net::Waker waker;
  std::atomic<bool> expired{false};
  std::atomic<bool> bookmark_due{false};
};
}  // namespace internal

class WatchAlarm {
 public:
  ~WatchAlarm();
  WatchAlarm(const WatchAlarm&) = delete;
  WatchAlarm& operator=(const WatchAlarm&) = delete;

  bool expired() const { return state_->expired.load(std::memory_order_acquire); }
  bool bookmark_due() const { return state_->bookmark_due.load(std::memory_order_acquire); }
  // Whether a bookmark is due; the question takes it.
  bool TakeBookmark() { return state_->bookmark_due.exchange(false, std::memory_order_acq_rel); }

 private:
  friend class WatchTimers;
  WatchAlarm(std::shared_ptr<internal::WatchTimerList> list, uint64_t id,
             std::shared_ptr<internal::WatchTimerState> state)
      : list_(std::move(list)), id_(id), state_(std::move(state)) {}

  const std::shared_ptr<internal::WatchTimerList> list_;
  const uint64_t id_;
  const std::shared_ptr<internal::WatchTimerState> state_;
};

class WatchTimers {
 public:
  explicit WatchTimers(Executor* executor);

  // `waker` is called when either is due; never after the alarm is gone, but for a call that runs already.
  std::unique_ptr<WatchAlarm> Add(absl::Time deadline, bool bookmarks, net::Waker waker);
  size_t size() const;

 private:
  const std::shared_ptr<internal::WatchTimerList> list_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_WATCH_TIMERS_H_
