// Backoff says how long to wait before the next attempt: nothing before the first, then doubling up to a limit, with
// jitter, so that those who lost the same store do not come back in step.
//
// Thread-safety: thread-compatible.
// Units:         absl::Duration.
#ifndef TIDEMARK_STORECLIENT_BACKOFF_H_
#define TIDEMARK_STORECLIENT_BACKOFF_H_

#include <cstdint>
#include <random>

#include "absl/time/time.h"

namespace tidemark::storeclient {

class Backoff {
 public:
  // Short enough that a restarted member is found at once, long enough that a failing one costs nothing.
  static constexpr absl::Duration kFirst = absl::Milliseconds(100);
  // The longest that a store which is back waits for its first reader.
  static constexpr absl::Duration kMax = absl::Seconds(5);

  explicit Backoff(uint64_t seed) : random_(seed) {}

  // Zero for the first attempt after a success; then between half and all of kFirst, 2 kFirst, ... kMax.
  absl::Duration Next();
  void Succeeded() { failures_ = 0; }

 private:
  std::minstd_rand random_;
  int failures_ = 0;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_BACKOFF_H_
