// Gate lets the threads of a test wait for each other.
//
//   Gate done;
//   loop.Post([&] { done.Open(); });
//   done.Wait();
//
// Thread-safety: thread-safe. Whoever opens may still be inside Open when the other goes on: a gate that the waiter
//                destroys is shared.
#ifndef TIDEMARK_BASE_TEST_GATE_H_
#define TIDEMARK_BASE_TEST_GATE_H_

#include "base/mutex.h"

namespace tidemark {

class Gate {
 public:
  void Open() {
    MutexLock lock(&mu_);
    open_ = true;
    changed_.SignalAll();
  }
  void Wait() {
    MutexLock lock(&mu_);
    while (!open_) changed_.Wait(&mu_);
  }
  // The same, and closes it behind the caller.
  void Pass() {
    MutexLock lock(&mu_);
    while (!open_) changed_.Wait(&mu_);
    open_ = false;
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool open_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace tidemark

#endif  // TIDEMARK_BASE_TEST_GATE_H_
