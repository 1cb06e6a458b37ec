// ReadPool runs what takes too long for the polling thread: ranges over many keys, hashes.
//
// Thread-safety: thread-safe.
// Ownership:     owns queued tasks; those that have not run at Stop are destroyed unrun.
// Errors:        Post is false when kTasksMax wait, or after Stop.
#ifndef TIDEMARK_STORE_SERVER_READ_POOL_H_
#define TIDEMARK_STORE_SERVER_READ_POOL_H_

#include <cstddef>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/mutex.h"

namespace tidemark::store {

class ReadPool {
 public:
  using Task = absl::AnyInvocable<void()>;
  // What waits beyond this has clients that wait too long already.
  static constexpr size_t kTasksMax = 10'000;

  ReadPool(const std::string& name, int threads);
  ~ReadPool();

  bool Post(Task task);
  // Waits for the tasks that run. Idempotent.
  void Stop();

 private:
  void Run(const std::string& name);

  Mutex mu_;
  CondVar changed_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mu_);
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_READ_POOL_H_
