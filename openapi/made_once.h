// MadeOnce is a value that takes long to make. It is made when somebody first asks for it, and who asks meanwhile waits for the
// same.
//
//   if (made->Await([](const T* value) { ... })) executor->Post([made] { made->Make(); });
//
// Thread-safety: thread-safe. Of two that make it at once the first one's value stays.
// Ownership:     owns the value, and its waiters until they have been called.
// Errors:        a waiter gets nullptr when whoever should make the value has given up.
#ifndef TIDEMARK_OPENAPI_MADE_ONCE_H_
#define TIDEMARK_OPENAPI_MADE_ONCE_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/mutex.h"

namespace tidemark::openapi {

template <typename T>
class MadeOnce {
 public:
  using Maker = std::function<std::unique_ptr<const T>()>;
  using Waiter = absl::AnyInvocable<void(const T*)>;

  explicit MadeOnce(Maker maker) : maker_(std::move(maker)) {}
  MadeOnce(const MadeOnce&) = delete;
  MadeOnce& operator=(const MadeOnce&) = delete;

  // nullptr until it is made.
  const T* Get() const {
    MutexLock lock(&mu_);
    return value_.get();
  }

  // Calls the waiter once: now, or from Make or GiveUp. True when it is for the caller to have one of these called soon.
  bool Await(Waiter waiter) {
    const T* value = nullptr;
    {
      MutexLock lock(&mu_);
      value = value_.get();
      if (value == nullptr) {
        waiters_.push_back(std::move(waiter));
        return waiters_.size() == 1;
      }
    }
    waiter(value);
    return false;
  }

  const T& Make() {
    if (const T* const made = Get()) return *made;
    std::unique_ptr<const T> value = maker_();
    const T* made = nullptr;
    std::vector<Waiter> waiters;
    {
      MutexLock lock(&mu_);
      if (value_ == nullptr) value_ = std::move(value);
      made = value_.get();
      waiters.swap(waiters_);
    }
    for (Waiter& waiter : waiters) waiter(made);
    return *made;
  }

  // The next one who asks is the first again.
  void GiveUp() {
    std::vector<Waiter> waiters;
    {
      MutexLock lock(&mu_);
      waiters.swap(waiters_);
    }
    for (Waiter& waiter : waiters) waiter(nullptr);
  }

 private:
  const Maker maker_;
  mutable Mutex mu_;
  std::unique_ptr<const T> value_ ABSL_GUARDED_BY(mu_);
  std::vector<Waiter> waiters_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_MADE_ONCE_H_
