#include "storeclient/backoff.h"

#include <algorithm>

namespace tidemark::storeclient {

absl::Duration Backoff::Next() {
  // 2^16 times the first is far beyond the limit: more doublings would say nothing new.
  constexpr int kDoublingsMax = 16;
  const int failure = failures_++;
  if (failure == 0) return absl::ZeroDuration();
  const absl::Duration whole = std::min(kFirst * (int64_t{1} << std::min(failure - 1, kDoublingsMax)), kMax);
  return whole * std::uniform_real_distribution<double>(0.5, 1.0)(random_);
}

}  // namespace tidemark::storeclient
