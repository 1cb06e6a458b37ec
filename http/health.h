// Health is what /livez, /readyz and /healthz answer: one word, or a line for each check. A client may leave checks out
// (`?exclude=store`), or ask for one alone (/readyz/store).
//
//   AnswerHealth("readyz", {{"ping", absl::OkStatus()}, {"store", health}}, {"store"}, /*verbose=*/true).text
//   ->  "[+]ping ok\n[+]store excluded: ok\nreadyz check passed\n"
//
// Thread-safety: pure functions.
// Source:        kube-apiserver, which withholds the reasons.
#ifndef TIDEMARK_HTTP_HEALTH_H_
#define TIDEMARK_HTTP_HEALTH_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tidemark::http {

struct HealthCheck {
  std::string name;
  absl::Status status;
};

struct HealthAnswer {
  int code = 200;
  std::string text;
};

// All of them. What fails is told also to those who did not ask.
HealthAnswer AnswerHealth(absl::string_view endpoint, absl::Span<const HealthCheck> checks,
                          std::vector<absl::string_view> excluded, bool verbose);
HealthAnswer AnswerHealth(const HealthCheck& check);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_HEALTH_H_
