// FirstLists lets only so many mirrors list for the first time at once; the others wait in the order in which they came.
//
//   lists->Join(mirror, [mirror] { mirror->Start(); });   // started when its turn comes
//   lists->Leave(mirror);                                 // its list is there, or it has ended: the next one's turn
//
// Thread-safety: thread-safe. A start runs on the executor, outside locks; when Leave or Stop comes first, it may run still.
// Ownership:     held by shared_ptr; owns the starts that wait. The executor outlives it.
// Errors:        a list that takes too long loses its turn, but goes on: what cannot be listed must not hold back the others.
// Cost:          Join O(log n) for n that wait or list; Leave and Withdraw O(n), for they come once for each.
#ifndef TIDEMARK_CACHE_FIRST_LISTS_H_
#define TIDEMARK_CACHE_FIRST_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "absl/time/time.h"
#include "base/executor.h"
#include "base/mutex.h"

namespace tidemark::cache {

// First lists at once. Each may hold two pages of 16 MB (storeclient/page_sizer.h), and the store answers others besides; with
// so many the time on the way is hidden already.
inline constexpr size_t kFirstListsMax = 8;
// After that a list does not count any more. Far more than the biggest takes; a store that is away meanwhile makes eight more
// wait for it each minute.
inline constexpr absl::Duration kFirstListTurnMax = absl::Minutes(1);

class FirstLists : public std::enable_shared_from_this<FirstLists> {
 public:
  explicit FirstLists(Executor* executor) : executor_(executor) {}

  // Lines up; `start` runs once it is `who`'s turn. REQUIRES: `who` neither waits nor lists.
  void Join(const void* who, std::function<void()> start);
  // Off the line; nothing when its turn has come.
  void Withdraw(const void* who);
  // The same, and when its turn has come, it is over.
  void Leave(const void* who);
  // Nobody's turn comes any more.
  void Stop();

 private:
  struct Waiting {
    const void* who;
    std::function<void()> start;
  };

  // Posts a task for the turns that are free.
  void Wake() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void StartNext();
  void EndTurn(uint64_t number);

  Executor* const executor_;

  Mutex mu_;
  std::map<uint64_t, Waiting> waiting_ ABSL_GUARDED_BY(mu_);      // by when they came
  std::map<uint64_t, const void*> listing_ ABSL_GUARDED_BY(mu_);  // whose turn it is, by the same number
  uint64_t next_number_ ABSL_GUARDED_BY(mu_) = 0;
  bool woken_ ABSL_GUARDED_BY(mu_) = false;  // a task is on its way
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_FIRST_LISTS_H_
