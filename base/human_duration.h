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

}  // namespace tidemark

#endif  // TIDEMARK_BASE_HUMAN_DURATION_H_
