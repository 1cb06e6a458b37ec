// MemoryReads holds the reads of one kind that the in-memory twin has not answered: each has its result from the moment it reached
// the store, and is answered by a task of the executor, when the knobs let it.
//
// Thread-safety: thread-safe. Callbacks run in tasks of the executor, those that Stop ends in its caller.
// Ownership:     shared with the posted tasks; the executor outlives it.
// Invariants:    a callback runs exactly once.
#ifndef TIDEMARK_STORECLIENT_MEMORY_READS_H_
#define TIDEMARK_STORECLIENT_MEMORY_READS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/status.h"

namespace tidemark::storeclient {

template <typename Result>
class MemoryReads : public std::enable_shared_from_this<MemoryReads<Result>> {
 public:
  using Callback = absl::AnyInvocable<void(absl::StatusOr<Result>)>;
  using Sample = absl::AnyInvocable<absl::StatusOr<Result>()>;

  explicit MemoryReads(Executor& executor) : executor_(executor) {}

  // `sample` reads the store: in this call when the store can be reached, else when it can be again.
  void Read(absl::Time deadline, Sample sample, Callback done) {
    bool reached;
    {
      MutexLock lock(&mu_);
      ++count_;
      reached = connected_;
    }
    Pending read{std::move(sample), absl::UnknownError("not read"), std::move(done)};
    if (reached) TakeSample(&read);
    MutexLock lock(&mu_);
    const uint64_t id = next_id_++;
    pending_.emplace(id, std::move(read));
    if (MayAnswer()) PostAnswer(id, executor_.clock().Now() + delay_, absl::OkStatus());
    if (deadline == absl::InfiniteFuture()) return;
    PostAnswer(id, deadline, MakeError(ErrorKind::kStoreUnavailable, "no answer before the deadline"));
  }

  void set_delay(absl::Duration delay) {
    MutexLock lock(&mu_);
    delay_ = delay;
  }
  // Reads that reach the store from now on find this error, until it is OK.
  void Fail(const absl::Status& failure) {
    MutexLock lock(&mu_);
    failure_ = failure;
  }
  void Hold(bool held) {
    MutexLock lock(&mu_);
    held_ = held;
    PostAll();
  }
  void Connect(bool connected) {
    MutexLock lock(&mu_);
    connected_ = connected;
    PostAll();
  }
  int64_t count() {
    MutexLock lock(&mu_);
    return count_;
  }

  // Ends every pending read with kStopped and waits for callbacks that run.
  void Stop() {
    std::map<uint64_t, Pending> pending;
    {
      MutexLock lock(&mu_);
      pending.swap(pending_);
    }
    for (auto& [id, read] : pending) read.done(MakeError(ErrorKind::kStopped, "the client is shutting down"));
    MutexLock lock(&mu_);
    while (running_ > 0 && !executor_.IsCurrent()) ended_.Wait(&mu_);
  }

 private:
  struct Pending {
    Sample sample;  // empty once taken
    absl::StatusOr<Result> found;
    Callback done;
  };

  void TakeSample(Pending* read) {
    absl::Status failure;
    {
      MutexLock lock(&mu_);
      failure = failure_;
    }
    read->found = failure.ok() ? read->sample() : absl::StatusOr<Result>(failure);
    read->sample = nullptr;
  }

  bool MayAnswer() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return connected_ && !held_; }

  void PostAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (!MayAnswer()) return;
    for (const auto& [id, read] : pending_) PostAnswer(id, executor_.clock().Now() + delay_, absl::OkStatus());
  }

  void PostAnswer(uint64_t id, absl::Time when, absl::Status failure) {
    executor_.PostAt(
        when, [self = this->shared_from_this(), id, failure = std::move(failure)] { self->Answer(id, failure); });
  }

  // With `failure`, or with what the read found. One that has been answered is gone.
  void Answer(uint64_t id, const absl::Status& failure) {
    Pending read;
    {
      MutexLock lock(&mu_);
      const auto found = pending_.find(id);
      if (found == pending_.end() || (failure.ok() && !MayAnswer())) return;
      read = std::move(found->second);
      pending_.erase(found);
      ++running_;
    }
    if (!failure.ok()) {
      read.found = failure;
    } else if (read.sample) {
      TakeSample(&read);
    }
    read.done(std::move(read.found));
    read.done = nullptr;
    MutexLock lock(&mu_);
    --running_;
    ended_.SignalAll();
  }

  Executor& executor_;
  Mutex mu_;
  CondVar ended_;
  std::map<uint64_t, Pending> pending_ ABSL_GUARDED_BY(mu_);
  uint64_t next_id_ ABSL_GUARDED_BY(mu_) = 1;
  int64_t count_ ABSL_GUARDED_BY(mu_) = 0;
  int running_ ABSL_GUARDED_BY(mu_) = 0;
  bool connected_ ABSL_GUARDED_BY(mu_) = true;
  bool held_ ABSL_GUARDED_BY(mu_) = false;
  absl::Duration delay_ ABSL_GUARDED_BY(mu_);
  absl::Status failure_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_MEMORY_READS_H_
