// LogGate lets one line a second through, and counts those that it holds back: what a client can cause at any rate must
// not fill the log.
//
//   if (uint64_t held_back = 0; gate.Open(clock.Now(), &held_back)) {
//     Log(LogLevel::kWarning, "...", {{"suppressed", held_back}});
//   }
//
// Thread-safety: thread-safe.
#ifndef TIDEMARK_NET_LOG_GATE_H_
#define TIDEMARK_NET_LOG_GATE_H_

#include <cstdint>

#include "absl/time/time.h"
#include "base/mutex.h"

namespace tidemark::net {

class LogGate {
 public:
  static constexpr absl::Duration kGap = absl::Seconds(1);

  // Whether to log now. *held_back: lines not logged since the last one that was.
  bool Open(absl::Time now, uint64_t* held_back) {
    MutexLock lock(&mu_);
    if (now < next_) {
      ++held_back_;
      return false;
    }
    next_ = now + kGap;
    *held_back = held_back_;
    held_back_ = 0;
    return true;
  }

 private:
  Mutex mu_;
  absl::Time next_ ABSL_GUARDED_BY(mu_) = absl::InfinitePast();
  uint64_t held_back_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_LOG_GATE_H_
