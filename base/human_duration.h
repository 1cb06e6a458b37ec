// Ages as kubectl shows them: "5s", "3m2s", "4h", "2d3h", "7y".
//
// Thread-safety: pure.
// Source:        Kubernetes' duration.HumanDuration.
#ifndef TIDEMARK_BASE_HUMAN_DURATION_H_
#define TIDEMARK_BASE_HUMAN_DURATION_H_

#include <string>

#include "absl/time/time.h"

namespace tidemark {

// "<invalid>" for what lies two seconds and more in the future.
std::string HumanDuration(absl::Duration age);

// Go's zero time, which is none: 1 January of the year 1.
inline constexpr absl::Time kGoZeroTime = absl::FromUnixSeconds(-62135596800);
// The time that has passed; "<unknown>" for the zero time.
std::string TimeSince(absl::Time time, absl::Time now);

}  // namespace tidemark

#endif  // TIDEMARK_BASE_HUMAN_DURATION_H_
