#include "base/executor.h"

#include <pthread.h>

#include "absl/time/clock.h"
#include "base/check.h"

namespace tidemark {

void TaskQueue::Push(absl::Time when, Executor::Task task) {
  tasks_.emplace(std::make_pair(when, next_sequence_++), std::move(task));
}

absl::Time TaskQueue::NextTime() const { return tasks_.empty() ? absl::InfiniteFuture() : tasks_.begin()->first.first; }

Executor::Task TaskQueue::Pop() {
  TM_CHECK(!tasks_.empty());
  return std::move(tasks_.extract(tasks_.begin()).mapped());
}

LoopThread::LoopThread(std::string name, Clock& clock) : name_(std::move(name)), clock_(clock) {
  thread_ = std::thread([this] { Run(); });
}

LoopThread::~LoopThread() { Stop(); }

void LoopThread::Stop() {
  TM_CHECK(!IsCurrent()) << name_ << " stops itself";
  {
    MutexLock lock(&mu_);
    stopped_ = true;
    changed_.SignalAll();
  }
  if (thread_.joinable()) thread_.join();
  TaskQueue left;  // destroyed after the lock: what a task owns may post when it goes
  MutexLock lock(&mu_);
  std::swap(left, queue_);
}

void LoopThread::PostAt(absl::Time when, Task task) {
  MutexLock lock(&mu_);
  if (stopped_) return;
  const bool wakes = when < queue_.NextTime();
  queue_.Push(when, std::move(task));
  if (wakes) changed_.Signal();
}

bool LoopThread::IsCurrent() const { return std::this_thread::get_id() == thread_.get_id(); }

void LoopThread::Run() {
  SetThreadName(name_);
  while (Task task = WaitForTask()) task();
}

Executor::Task LoopThread::WaitForTask() {
  MutexLock lock(&mu_);
  while (!stopped_) {
    const absl::Time next = queue_.NextTime();
    const absl::Time now = clock_.Now();
    if (next <= now) return queue_.Pop();
    // The executor's clock and the machine's may differ by the start's rounding; only the distance counts.
    changed_.WaitWithDeadline(&mu_, next == absl::InfiniteFuture() ? next : absl::Now() + (next - now));
  }
  return nullptr;
}

void SimExecutor::PostAt(absl::Time when, Task task) {
  MutexLock lock(&mu_);
  queue_.Push(when, std::move(task));
}

bool SimExecutor::RunOne() {
  Task task;
  {
    MutexLock lock(&mu_);
    if (queue_.NextTime() > clock_.Now()) return false;
    if (queue_.empty()) return false;
    task = queue_.Pop();
  }
  running_ = true;
  task();
  running_ = false;
  return true;
}

int SimExecutor::RunUntilIdle() {
  int count = 0;
  while (RunOne()) ++count;
  return count;
}

void SimExecutor::RunUntil(absl::Time when) {
  while (true) {
    RunUntilIdle();
    absl::Time next;
    {
      MutexLock lock(&mu_);
      next = queue_.NextTime();
    }
    if (next > when) break;
    clock_.AdvanceTo(next);
  }
  clock_.AdvanceTo(when);
}

void SetThreadName(const std::string& name) { pthread_setname_np(pthread_self(), name.substr(0, 15).c_str()); }

}  // namespace tidemark
