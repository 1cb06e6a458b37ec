#include "store/server/read_pool.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/executor.h"

namespace tidemark::store {

ReadPool::ReadPool(const std::string& name, int threads) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this, thread_name = absl::StrCat(name, "-", i)] { Run(thread_name); });
  }
}

ReadPool::~ReadPool() { Stop(); }

bool ReadPool::Post(Task task) {
  MutexLock lock(&mu_);
  if (stopped_ || tasks_.size() >= kTasksMax) return false;
  tasks_.push_back(std::move(task));
  changed_.Signal();
  return true;
}

void ReadPool::Stop() {
  std::deque<Task> left;
  {
    MutexLock lock(&mu_);
    stopped_ = true;
    left.swap(tasks_);
    changed_.SignalAll();
  }
  // Without the lock, and before the wait: a task that goes may answer its caller.
  left.clear();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void ReadPool::Run(const std::string& name) {
  SetThreadName(name);
  while (true) {
    Task task;
    {
      MutexLock lock(&mu_);
      while (tasks_.empty() && !stopped_) changed_.Wait(&mu_);
      if (stopped_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace tidemark::store
