#include "http/slow_lane.h"

#include <memory>
#include <utility>

#include "base/status.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kTooManySlow = "too many answers that take long to write wait already";

}  // namespace

// One of kWaitingMax, until it goes.
class SlowLane::Place {
 public:
  explicit Place(SlowLane* lane) : lane_(lane) { lane_->metrics_->slow_answers_waiting.Add(1); }
  ~Place() {
    lane_->metrics_->slow_answers_waiting.Add(-1);
    MutexLock lock(&lane_->mu_);
    --lane_->waiting_;
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  SlowLane* const lane_;
};

bool SlowLane::Post(Executor::Task task) {
  {
    MutexLock lock(&mu_);
    if (waiting_ == kWaitingMax) {
      metrics_->slow_answers_refused.Increment();
      return false;
    }
    ++waiting_;
  }
  executor_->Post([place = std::make_unique<Place>(this), task = std::move(task)]() mutable {
    place.reset();
    task();
  });
  return true;
}

ApiStatus SlowLane::Refusal() { return FromReadError(MakeError(ErrorKind::kOverloaded, kTooManySlow), {}); }

}  // namespace tidemark::http
