#include "storeclient/grpc_loop.h"

#include <grpc/support/time.h>

#include <chrono>
#include <utility>

#include "base/check.h"

#ifdef TIDEMARK_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace tidemark::storeclient {

#ifdef TIDEMARK_TSAN
void* GrpcTag::Hand() {
  __tsan_release(this);
  return this;
}
GrpcTag* GrpcTag::Take(void* tag) {
  __tsan_acquire(tag);
  return static_cast<GrpcTag*>(tag);
}
#else
void* GrpcTag::Hand() { return this; }
GrpcTag* GrpcTag::Take(void* tag) { return static_cast<GrpcTag*>(tag); }
#endif

// The alarm that ends one wait, and frees itself.
class GrpcLoop::WakeTag : public GrpcTag {
 public:
  explicit WakeTag(GrpcLoop* loop) : loop_(loop) {}
  // In the past: an alarm for now waits for gRPC's timer to pass the next millisecond.
  void Set() { alarm_.Set(&loop_->queue_, gpr_inf_past(GPR_CLOCK_REALTIME), Hand()); }
  void OnDone(bool) override {
    {
      MutexLock lock(&loop_->mu_);
      loop_->waking_ = false;
    }
    delete this;
  }

 private:
  GrpcLoop* const loop_;
  grpc::Alarm alarm_;
};

GrpcLoop::GrpcLoop(std::string name) : name_(std::move(name)), thread_([this] { Run(); }) {}

GrpcLoop::~GrpcLoop() { Stop(); }

void GrpcLoop::WakeLocked() {
  if (waking_) return;
  waking_ = true;
  (new WakeTag(this))->Set();
}

void GrpcLoop::PostAt(absl::Time when, Task task) {
  MutexLock lock(&mu_);
  if (stopped_) return;
  const bool earlier = when < tasks_.NextTime();
  tasks_.Push(when, std::move(task));
  // On its own thread the loop looks at the tasks before it waits.
  if (earlier && !IsCurrent()) WakeLocked();
}

void GrpcLoop::Hold() {
  MutexLock lock(&mu_);
  TM_CHECK(!stopped_) << name_;
  ++holds_;
}

void GrpcLoop::Release() {
  MutexLock lock(&mu_);
  TM_CHECK(holds_ > 0) << name_;
  --holds_;
  if (holds_ == 0) released_.SignalAll();
}

void GrpcLoop::Stop() {
  TM_CHECK(!IsCurrent()) << name_;
  {
    MutexLock lock(&mu_);
    if (stopped_) return;
    while (holds_ > 0) released_.Wait(&mu_);
    stopped_ = true;
  }
  queue_.Shutdown();
  thread_.join();
}

void GrpcLoop::RunDueTasks() {
  while (true) {
    Task task;
    {
      MutexLock lock(&mu_);
      if (stopped_ || tasks_.empty() || tasks_.NextTime() > clock().Now()) return;
      task = tasks_.Pop();
    }
    task();
  }
}

void GrpcLoop::Run() {
  SetThreadName(name_);
  while (true) {
    RunDueTasks();
    absl::Time next;
    {
      MutexLock lock(&mu_);
      next = tasks_.NextTime();
    }
    const auto deadline = next == absl::InfiniteFuture()
                              ? std::chrono::system_clock::time_point::max()
                              : std::chrono::system_clock::now() + absl::ToChronoNanoseconds(next - clock().Now());
    void* tag = nullptr;
    bool ok = false;
    switch (queue_.AsyncNext(&tag, &ok, deadline)) {
      case grpc::CompletionQueue::SHUTDOWN:
        return;
      case grpc::CompletionQueue::GOT_EVENT:
        GrpcTag::Take(tag)->OnDone(ok);
        break;
      case grpc::CompletionQueue::TIMEOUT:
        break;
    }
  }
}

}  // namespace tidemark::storeclient
