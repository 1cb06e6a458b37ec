// Executor runs tasks one after the other, never two at once: what is confined to an executor needs no lock. LoopThread is a
// thread of its own; SimExecutor runs in the test's thread, one task at a time, under a SimClock.
//
//   executor->Post([this] { Apply(); });
//   executor->PostAt(clock.Now() + kTick, [weak = weak_from_this()] { if (auto self = weak.lock()) self->Tick(); });
//
// Thread-safety: Post and PostAt are thread-safe; tasks run in the order of their time, equal times in the order of posting.
// Ownership:     owns posted tasks. A task that has not run when the executor stops is destroyed unrun.
#ifndef TIDEMARK_BASE_EXECUTOR_H_
#define TIDEMARK_BASE_EXECUTOR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace tidemark {

class Executor {
 public:
  using Task = absl::AnyInvocable<void()>;

  virtual ~Executor() = default;
  void Post(Task task) { PostAt(absl::InfinitePast(), std::move(task)); }
  virtual void PostAt(absl::Time when, Task task) = 0;
  // Whether the caller runs inside a task of this executor.
  virtual bool IsCurrent() const = 0;
  virtual Clock& clock() = 0;
};

// Runs a task soon, somewhere: for those who need no executor's order.
using Poster = std::function<void(Executor::Task)>;

// Tasks ordered by time, then by posting.
// Thread-safety: thread-compatible.
class TaskQueue {
 public:
  void Push(absl::Time when, Executor::Task task);
  bool empty() const { return tasks_.empty(); }
  // InfiniteFuture when empty.
  absl::Time NextTime() const;
  // REQUIRES: !empty().
  Executor::Task Pop();

 private:
  std::map<std::pair<absl::Time, uint64_t>, Executor::Task> tasks_;
  uint64_t next_sequence_ = 0;
};

// One thread named `name` (at most 15 characters are shown by the kernel). Stop, also by the destructor, waits for the running
// task, joins and destroys what has not run; later posts are dropped.
class LoopThread : public Executor {
 public:
  explicit LoopThread(std::string name, Clock& clock = RealClock());
  ~LoopThread() override;

  void PostAt(absl::Time when, Task task) override;
  bool IsCurrent() const override;
  Clock& clock() override { return clock_; }
  // REQUIRES: not called from a task of this executor.
  void Stop();

 private:
  void Run();
  // The next task that is due, or an empty one when stopped.
  Task WaitForTask();

  const std::string name_;
  Clock& clock_;
  mutable Mutex mu_;
  CondVar changed_;
  TaskQueue queue_ ABSL_GUARDED_BY(mu_);
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

// Runs tasks in the caller's thread when told to.
// Thread-safety: confined to the test's thread, but for PostAt.
class SimExecutor : public Executor {
 public:
  explicit SimExecutor(SimClock& clock) : clock_(clock) {}

  void PostAt(absl::Time when, Task task) override;
  bool IsCurrent() const override { return running_; }
  Clock& clock() override { return clock_; }

  // Runs one task that is due now; false when there is none.
  bool RunOne();
  // Runs until nothing is due now. Returns the number of tasks run.
  int RunUntilIdle();
  // Moves the clock on to `when`, running every task at its time.
  void RunUntil(absl::Time when);
  void RunFor(absl::Duration span) { RunUntil(clock_.Now() + span); }

 private:
  SimClock& clock_;
  Mutex mu_;
  TaskQueue queue_ ABSL_GUARDED_BY(mu_);
  bool running_ = false;
};

// Names the calling thread for debuggers and /proc.
void SetThreadName(const std::string& name);

}  // namespace tidemark

#endif  // TIDEMARK_BASE_EXECUTOR_H_
