// GrpcLoop is one thread that takes the completions of a gRPC queue and runs tasks at their time, so that what belongs to one
// Follow happens on one thread and needs no lock.
//
// Thread-safety: thread-safe.
// Ownership:     owns its queue and thread. Each call on the queue holds the loop (Hold, Release): Stop waits for the last one.
// Cost:          a Post from another thread wakes the queue by an alarm, some microseconds.
#ifndef TIDEMARK_STORECLIENT_GRPC_LOOP_H_
#define TIDEMARK_STORECLIENT_GRPC_LOOP_H_

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <memory>
#include <string>
#include <thread>

#include "base/executor.h"
#include "base/mutex.h"

namespace tidemark::storeclient {

// What a completion queue gives back. OnDone runs on the loop's thread.
class GrpcTag {
 public:
  virtual ~GrpcTag() = default;
  virtual void OnDone(bool ok) = 0;

  // What goes into gRPC with an operation. The thread that gets it back sees all that this one has done: the queue's lock
  // sees to that, but ThreadSanitizer cannot see the lock, since Debian's gRPC is not built for it.
  void* Hand();
  // The other end. REQUIRES: `tag` is what Hand gave.
  static GrpcTag* Take(void* tag);
};

class GrpcLoop : public Executor {
 public:
  explicit GrpcLoop(std::string name);
  ~GrpcLoop() override;

  void PostAt(absl::Time when, Task task) override;
  bool IsCurrent() const override { return std::this_thread::get_id() == thread_.get_id(); }
  Clock& clock() override { return RealClock(); }

  grpc::CompletionQueue* queue() { return &queue_; }
  // A call begins, and has ended with all its completions.
  void Hold();
  void Release();
  // Waits until nobody holds the loop, then joins. Tasks that have not run are dropped. REQUIRES: not on the loop's thread.
  void Stop();

 private:
  class WakeTag;

  void Run();
  void RunDueTasks();
  // Ends the wait for the next completion, once.
  void WakeLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string name_;
  grpc::CompletionQueue queue_;
  Mutex mu_;
  CondVar released_;
  TaskQueue tasks_ ABSL_GUARDED_BY(mu_);
  int holds_ ABSL_GUARDED_BY(mu_) = 0;
  bool waking_ ABSL_GUARDED_BY(mu_) = false;  // an alarm is under way
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_GRPC_LOOP_H_
