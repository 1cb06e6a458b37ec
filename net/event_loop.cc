#include "net/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/executor.h"

namespace tidemark::net {
namespace {

// Deadlines are limits on time of seconds; a sweep over 10,000 connections takes about half a millisecond.
constexpr int64_t kSweepGapNanos = 100'000'000;
constexpr int kEventsPerWait = 256;

}  // namespace

EventLoop::EventLoop(std::string name, Clock& clock)
    : name_(std::move(name)),
      clock_(clock),
      epoll_fd_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  TM_CHECK(epoll_fd_ >= 0 && wake_fd_ >= 0) << "no epoll or eventfd: errno " << errno;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;
  TM_CHECK(::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event) == 0) << "errno " << errno;
  thread_ = std::thread([this] { Run(); });
}

EventLoop::~EventLoop() {
  Stop();
  ::close(wake_fd_);
  ::close(epoll_fd_);
}

void EventLoop::Add(std::shared_ptr<Watched> watched, int fd, uint32_t epoll_events) {
  Watched* const raw = watched.get();
  watched_.emplace(raw, std::move(watched));
  epoll_event event{};
  event.events = epoll_events;
  event.data.ptr = raw;
  TM_CHECK(::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) == 0) << "errno " << errno;
}

void EventLoop::Add(std::shared_ptr<Watched> watched) {
  Watched* const raw = watched.get();
  watched_.emplace(raw, std::move(watched));
}

void EventLoop::Modify(Watched* watched, int fd, uint32_t epoll_events) {
  epoll_event event{};
  event.events = epoll_events;
  event.data.ptr = watched;
  TM_CHECK(::epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, fd, &event) == 0) << "errno " << errno;
}

void EventLoop::ForEach(absl::FunctionRef<void(Watched*)> visit) {
  for (const auto& [raw, watched] : watched_) visit(raw);
}

void EventLoop::Remove(Watched* watched) {
  {
    MutexLock lock(&mu_);
    removed_.push_back(watched);
  }
  Wake();
}

void EventLoop::SetDeadline(Watched* watched, absl::Time deadline) {
  const int64_t nanos = deadline == absl::InfiniteFuture() ? kNever : absl::ToUnixNanos(deadline);
  watched->deadline_nanos_.store(nanos);
  if (nanos < next_sweep_nanos_.load()) {
    LowerNextSweep(nanos);
    Wake();
  }
}

void EventLoop::Post(Task task) {
  {
    MutexLock lock(&mu_);
    posted_.push_back(std::move(task));
  }
  Wake();
}

void EventLoop::Stop() {
  stopped_.store(true);
  Wake();
  if (thread_.joinable()) thread_.join();
  // What was removed too late for the loop to see; what it watched may hold the loop's owner.
  watched_.clear();
}

void EventLoop::Run() {
  SetThreadName(name_);
  std::array<epoll_event, kEventsPerWait> events;
  while (!stopped_.load()) {
    const int ready = ::epoll_wait(epoll_fd_, events.data(), kEventsPerWait, TimeoutMillis());
    TM_CHECK(ready >= 0 || errno == EINTR) << "epoll_wait: errno " << errno;
    for (int i = 0; i < ready; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      if (event.data.ptr == nullptr) {
        uint64_t count = 0;
        [[maybe_unused]] const ssize_t got = ::read(wake_fd_, &count, sizeof(count));
      } else {
        // What has been removed meanwhile is still held: RunPosted comes after the events.
        static_cast<Watched*>(event.data.ptr)->OnReady(event.events);
      }
    }
    RunPosted();
    if (absl::ToUnixNanos(clock_.Now()) >= SweepDueNanos()) SweepDeadlines();
  }
}

// However busy the loop is: deadlines that pass one by one share a sweep.
int64_t EventLoop::SweepDueNanos() const {
  const int64_t next = next_sweep_nanos_.load();
  return next == kNever ? kNever : std::max(next, last_sweep_nanos_ + kSweepGapNanos);
}

int EventLoop::TimeoutMillis() const {
  const int64_t due = SweepDueNanos();
  if (due == kNever) return -1;
  const int64_t wait = due - absl::ToUnixNanos(clock_.Now());
  return static_cast<int>(std::clamp<int64_t>(wait / 1'000'000 + 1, 0, 3'600'000));
}

void EventLoop::RunPosted() {
  // Cleared before the lists are taken: who adds to them later wakes the loop again.
  if (!wake_pending_.exchange(false)) return;
  std::vector<Task> tasks;
  std::vector<Watched*> removed;
  {
    MutexLock lock(&mu_);
    tasks.swap(posted_);
    removed.swap(removed_);
  }
  for (Watched* const watched : removed) watched_.erase(watched);
  for (Task& task : tasks) task();
}

void EventLoop::SweepDeadlines() {
  // First "never", then the deadlines: whoever sets one behind the sweep's back lowers it again.
  next_sweep_nanos_.store(kNever);
  const int64_t now = last_sweep_nanos_ = absl::ToUnixNanos(clock_.Now());
  int64_t earliest = kNever;
  for (const auto& [raw, watched] : watched_) {
    int64_t deadline = raw->deadline_nanos_.load();
    if (deadline > now) {
      earliest = std::min(earliest, deadline);
    } else if (raw->deadline_nanos_.compare_exchange_strong(deadline, kNever)) {
      raw->OnDeadline();
    } else {
      earliest = std::min(earliest, deadline);  // moved just now
    }
  }
  LowerNextSweep(earliest);
}

void EventLoop::LowerNextSweep(int64_t nanos) {
  int64_t current = next_sweep_nanos_.load();
  while (nanos < current && !next_sweep_nanos_.compare_exchange_weak(current, nanos)) {
  }
}

void EventLoop::Wake() {
  if (wake_pending_.exchange(true)) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_fd_, &one, sizeof(one));
}

}  // namespace tidemark::net
