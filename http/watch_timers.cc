#include "http/watch_timers.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/mutex.h"

namespace tidemark::http {
namespace {

// Alarms are late by this much at most, and those of the same moment share one wake-up of the executor.
constexpr absl::Duration kGranularity = absl::Milliseconds(100);
// The first bookmarks of watches that were opened together are spread over a quarter of the
// period, as kube-apiserver does.
constexpr int64_t kSpreadSteps = 150;
constexpr absl::Duration kSpread = absl::Seconds(15);

// Of a watch whose next bookmark is due at `periodic` at the latest. InfiniteFuture: it ends before.
absl::Time NextBookmark(absl::Time periodic, absl::Time deadline, absl::Time now) {
  const absl::Time due = std::min(periodic, deadline - kBookmarkBeforeEnd);
  return due > now ? due : absl::InfiniteFuture();
}

absl::Time RoundUp(absl::Time when) { return absl::UnixEpoch() + absl::Ceil(when - absl::UnixEpoch(), kGranularity); }

}  // namespace

namespace internal {

using StatePtr = std::shared_ptr<WatchTimerState>;

class WatchTimerList : public std::enable_shared_from_this<WatchTimerList> {
 public:
  explicit WatchTimerList(Executor* executor) : executor_(executor) {}

  // Returns the entry's id.
  uint64_t Insert(StatePtr state, bool bookmarks) {
    const absl::Time now = executor_->clock().Now();
    uint64_t id = 0;
    absl::Time post_at;
    {
      MutexLock lock(&mu_);
      id = next_id_++;
      absl::Time due = state->deadline;
      if (bookmarks) {
        const absl::Duration early = kSpread * (static_cast<int64_t>(id) % kSpreadSteps) / kSpreadSteps;
        due = std::min(due, NextBookmark(now + kBookmarkPeriod - early, state->deadline, now));
      }
      order_.emplace(due, id);
      entries_[id] = {.state = std::move(state), .due = due};
      post_at = NextPostLocked();
    }
    Post(post_at);
    return id;
  }

  void Remove(uint64_t id) {
    MutexLock lock(&mu_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    order_.erase({found->second.due, id});
    entries_.erase(found);
  }

  size_t size() const {
    MutexLock lock(&mu_);
    return entries_.size();
  }

 private:
  struct Entry {
    StatePtr state;
    absl::Time due;
  };

  // When a task has to be posted for, or InfiniteFuture when one is on its way early enough.
  absl::Time NextPostLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (order_.empty()) return absl::InfiniteFuture();
    const absl::Time first = RoundUp(order_.begin()->first);
    if (first >= posted_for_) return absl::InfiniteFuture();
    posted_for_ = first;
    return first;
  }

  void Post(absl::Time when) {
    if (when == absl::InfiniteFuture()) return;
    executor_->PostAt(when, [weak = weak_from_this(), when] {
      if (const auto self = weak.lock()) self->Fire(when);
    });
  }

  void Fire(absl::Time when) {
    const absl::Time now = executor_->clock().Now();
    std::vector<StatePtr> woken;
    absl::Time post_at;
    {
      MutexLock lock(&mu_);
      if (when != posted_for_) return;  // an earlier task took over, and posts anew
      posted_for_ = absl::InfiniteFuture();
      while (!order_.empty() && order_.begin()->first <= now) {
        const uint64_t id = order_.begin()->second;
        order_.erase(order_.begin());
        woken.push_back(AdvanceLocked(id, now));
      }
      post_at = NextPostLocked();
    }
    for (const StatePtr& state : woken) state->waker();
    Post(post_at);
  }

  // Notes what is due of one watch, and sets its next time.
  StatePtr AdvanceLocked(uint64_t id, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const auto found = entries_.find(id);
    StatePtr state = found->second.state;
    if (state->deadline <= now) {
      state->expired.store(true, std::memory_order_release);
      entries_.erase(found);
      return state;
    }
    state->bookmark_due.store(true, std::memory_order_release);
    found->second.due = std::min(state->deadline, NextBookmark(now + kBookmarkPeriod, state->deadline, now));
    order_.emplace(found->second.due, id);
    return state;
  }

  Executor* const executor_;
  mutable Mutex mu_;
  std::map<uint64_t, Entry> entries_ ABSL_GUARDED_BY(mu_);
  std::set<std::pair<absl::Time, uint64_t>> order_ ABSL_GUARDED_BY(mu_);  // by due time
  absl::Time posted_for_ ABSL_GUARDED_BY(mu_) = absl::InfiniteFuture();   // of the task that will fire next
  uint64_t next_id_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace internal

WatchAlarm::~WatchAlarm() { list_->Remove(id_); }

WatchTimers::WatchTimers(Executor* executor) : list_(std::make_shared<internal::WatchTimerList>(executor)) {}

std::unique_ptr<WatchAlarm> WatchTimers::Add(absl::Time deadline, bool bookmarks, net::Waker waker) {
  auto state = std::make_shared<internal::WatchTimerState>();
  state->deadline = deadline;
  state->waker = std::move(waker);
  const uint64_t id = list_->Insert(state, bookmarks);
  return std::unique_ptr<WatchAlarm>(new WatchAlarm(list_, id, std::move(state)));
}

size_t WatchTimers::size() const { return list_->size(); }

}  // namespace tidemark::http
