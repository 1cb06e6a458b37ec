// Clock tells the time. Every part takes one, so that a test can hold time still: RealClock is the machine's, SimClock moves only
// when told to.
//
// Thread-safety: thread-safe.
// Units:         absl::Time; never goes back (RealClock follows the monotonic clock from its start).
#ifndef TIDEMARK_BASE_CLOCK_H_
#define TIDEMARK_BASE_CLOCK_H_

#include "absl/time/time.h"
#include "base/mutex.h"

namespace tidemark {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
};

// The machine's clock; lives as long as the process.
Clock& RealClock();

class SimClock : public Clock {
 public:
  explicit SimClock(absl::Time start = absl::UnixEpoch()) : now_(start) {}

  absl::Time Now() const override;
  // REQUIRES: step >= 0.
  void Advance(absl::Duration step);
  // Does nothing when `when` has passed already.
  void AdvanceTo(absl::Time when);

 private:
  mutable Mutex mu_;
  absl::Time now_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark

#endif  // TIDEMARK_BASE_CLOCK_H_
