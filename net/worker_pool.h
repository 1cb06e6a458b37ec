// WorkerPool runs turns and tasks on a few threads. A Turn is an object that is queued again and again, a connection:
// queueing it allocates nothing and takes no lock while the workers are busy, so that thousands of watches are woken in
// one go.
//
// Thread-safety: thread-safe.
// Ownership:     holds a reference to a queued Turn until it has run; owns posted tasks.
// Limits:        a Turn is queued once at a time, so that the queue is as long as there are connections; posted tasks
//                belong to an unanswered Exchange each, bounded by ServerLimits::exchanges_max.
#ifndef TIDEMARK_NET_WORKER_POOL_H_
#define TIDEMARK_NET_WORKER_POOL_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/mutex.h"
#include "net/send_batch.h"

namespace tidemark::net {

class WorkerPool {
 public:
  class Turn {
   public:
    virtual ~Turn() = default;
    // `batch`: this worker's; sent when nothing is queued, and after kSendsMax turns at the latest. Whoever may take long flushes
    // it first, for others wait in it.
    virtual void Run(SendBatch* batch) = 0;

   private:
    friend class WorkerPool;
    Turn* next_ = nullptr;        // while queued
    std::shared_ptr<Turn> self_;  // while queued
  };
  using Task = absl::AnyInvocable<void()>;

  // Threads are named `name`0, `name`1, ...
  WorkerPool(const std::string& name, int threads);
  ~WorkerPool();

  // REQUIRES: `turn` is not queued.
  void Push(std::shared_ptr<Turn> turn);
  void Post(Task task);
  // Waits for the turns that run and joins. What is queued, or pushed later, is dropped unrun.
  // REQUIRES: not called from a worker.
  void Stop();

 private:
  void Work(const std::string& name);
  // The next turn, or nullptr when stopped, or when there is none and nobody shall `wait`.
  std::shared_ptr<Turn> Next(bool wait);
  // REQUIRES: stopped.
  void DropQueued();
  // Moves what has been pushed to the queue's end, oldest first.
  void TakePushedLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  std::shared_ptr<Turn> PopLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  std::atomic<Turn*> pushed_{nullptr};  // a stack: newest first
  std::atomic<int> sleepers_{0};        // workers to be signalled; changed under mu_
  std::atomic<bool> stopped_{false};    // set under mu_
  Mutex mu_;
  CondVar pushed_or_stopped_;
  Turn* queue_head_ ABSL_GUARDED_BY(mu_) = nullptr;
  Turn* queue_tail_ ABSL_GUARDED_BY(mu_) = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_WORKER_POOL_H_
