#include "base/clock.h"

#include <chrono>

#include "absl/time/clock.h"
#include "base/check.h"

namespace tidemark {
namespace {

class MonotonicClock : public Clock {
 public:
  MonotonicClock() : wall_start_(absl::Now()), steady_start_(std::chrono::steady_clock::now()) {}

  absl::Time Now() const override {
    return wall_start_ + absl::FromChrono(std::chrono::steady_clock::now() - steady_start_);
  }

 private:
  const absl::Time wall_start_;
  const std::chrono::steady_clock::time_point steady_start_;
};

}  // namespace

Clock& RealClock() {
  static MonotonicClock* const clock = new MonotonicClock;
  return *clock;
}

absl::Time SimClock::Now() const {
  MutexLock lock(&mu_);
  return now_;
}

void SimClock::Advance(absl::Duration step) {
  TM_CHECK(step >= absl::ZeroDuration());
  MutexLock lock(&mu_);
  now_ += step;
}

void SimClock::AdvanceTo(absl::Time when) {
  MutexLock lock(&mu_);
  if (when > now_) now_ = when;
}

}  // namespace tidemark
