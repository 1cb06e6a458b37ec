#include "cache/first_lists.h"

#include <utility>
#include <vector>

namespace tidemark::cache {

void FirstLists::Join(const void* who, std::function<void()> start) {
  MutexLock lock(&mu_);
  if (stopped_) return;
  waiting_.emplace(next_number_++, Waiting{who, std::move(start)});
  Wake();
}

void FirstLists::Withdraw(const void* who) {
  std::map<uint64_t, Waiting> dropped;  // what a start holds is freed outside the lock
  MutexLock lock(&mu_);
  for (auto waiting = waiting_.begin(); waiting != waiting_.end(); ++waiting) {
    if (waiting->second.who != who) continue;
    dropped.insert(waiting_.extract(waiting));
    return;
  }
}

void FirstLists::Leave(const void* who) {
  Withdraw(who);
  MutexLock lock(&mu_);
  std::erase_if(listing_, [who](const auto& turn) { return turn.second == who; });
  Wake();
}

void FirstLists::Stop() {
  std::map<uint64_t, Waiting> dropped;
  MutexLock lock(&mu_);
  stopped_ = true;
  dropped.swap(waiting_);
}

void FirstLists::Wake() {
  if (waiting_.empty() || listing_.size() >= kFirstListsMax || std::exchange(woken_, true)) return;
  executor_->Post([weak = weak_from_this()] {
    if (const std::shared_ptr<FirstLists> self = weak.lock()) self->StartNext();
  });
}

void FirstLists::StartNext() {
  std::vector<std::function<void()>> starts;
  {
    MutexLock lock(&mu_);
    woken_ = false;
    while (!waiting_.empty() && listing_.size() < kFirstListsMax) {
      auto next = waiting_.extract(waiting_.begin());
      listing_.emplace(next.key(), next.mapped().who);
      starts.push_back(std::move(next.mapped().start));
      executor_->PostAt(executor_->clock().Now() + kFirstListTurnMax, [weak = weak_from_this(), number = next.key()] {
        if (const std::shared_ptr<FirstLists> self = weak.lock()) self->EndTurn(number);
      });
    }
  }
  for (const std::function<void()>& start : starts) start();
}

void FirstLists::EndTurn(uint64_t number) {
  MutexLock lock(&mu_);
  listing_.erase(number);
  Wake();
}

}  // namespace tidemark::cache
