// EventLoop is one thread on epoll. It says when a watched file is ready and when a deadline has passed, and runs small
// tasks; it never reads, writes or computes for anybody, so that ten thousand idle connections cost it nothing.
//
//   loop.Post([&] { loop.Add(connection, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET); });
//   loop.SetDeadline(connection.get(), clock.Now() + limits.idle_time);
//
// Thread-safety: Post, Remove and SetDeadline are thread-safe; Add, Modify and ForEach are
//                confined to the loop's thread.
// Ownership:     holds a reference to what it watches, until Remove.
// Cost:          SetDeadline is one atomic store, unless the deadline is the earliest of all; deadlines are found by a
//                sweep over all watched, at most every kSweepGapNanos and only when one may have passed.
#ifndef TIDEMARK_NET_EVENT_LOOP_H_
#define TIDEMARK_NET_EVENT_LOOP_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace tidemark::net {

class EventLoop {
 public:
  class Watched {
   public:
    virtual ~Watched() = default;
    // Both on the loop's thread, and brief.
    virtual void OnReady(uint32_t epoll_events) = 0;
    // A deadline that was set has passed; it may have been moved since.
    virtual void OnDeadline() = 0;

   private:
    friend class EventLoop;
    std::atomic<int64_t> deadline_nanos_{kNever};
  };
  using Task = absl::AnyInvocable<void()>;

  EventLoop(std::string name, Clock& clock);
  ~EventLoop();

  void Add(std::shared_ptr<Watched> watched, int fd, uint32_t epoll_events);
  // One without a file, for its deadlines.
  void Add(std::shared_ptr<Watched> watched);
  void Modify(Watched* watched, int fd, uint32_t epoll_events);
  void ForEach(absl::FunctionRef<void(Watched*)> visit);

  // Lets go of `watched` soon. REQUIRES: its file is closed already, so that no event can name it again.
  void Remove(Watched* watched);
  // InfiniteFuture: none.
  void SetDeadline(Watched* watched, absl::Time deadline);
  void Post(Task task);
  // Joins; posted tasks that have not run are dropped. REQUIRES: not called on the loop's thread.
  void Stop();

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  void Run();
  // kNever: when nobody has a deadline.
  int64_t SweepDueNanos() const;
  int TimeoutMillis() const;
  void RunPosted();
  void SweepDeadlines();
  void LowerNextSweep(int64_t nanos);
  void Wake();

  const std::string name_;
  Clock& clock_;
  const int epoll_fd_;
  const int wake_fd_;

  std::atomic<bool> wake_pending_{false};
  std::atomic<bool> stopped_{false};
  // No deadline is earlier. Lowered by whoever sets one, renewed by the sweep.
  std::atomic<int64_t> next_sweep_nanos_{kNever};

  Mutex mu_;
  std::vector<Task> posted_ ABSL_GUARDED_BY(mu_);
  std::vector<Watched*> removed_ ABSL_GUARDED_BY(mu_);

  // Confined to the loop's thread.
  absl::flat_hash_map<Watched*, std::shared_ptr<Watched>> watched_;
  int64_t last_sweep_nanos_ = 0;

  std::thread thread_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_EVENT_LOOP_H_
