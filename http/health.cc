#include "http/health.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/go_quote.h"

namespace tidemark::http {

HealthAnswer AnswerHealth(absl::string_view endpoint, absl::Span<const HealthCheck> checks,
                          std::vector<absl::string_view> excluded, bool verbose) {
  std::sort(excluded.begin(), excluded.end());
  excluded.erase(std::unique(excluded.begin(), excluded.end()), excluded.end());
  std::vector<absl::string_view> unknown = excluded;
  std::string lines;
  bool healthy = true;
  for (const HealthCheck& check : checks) {
    unknown.erase(std::remove(unknown.begin(), unknown.end(), check.name), unknown.end());
    if (std::binary_search(excluded.begin(), excluded.end(), absl::string_view(check.name))) {
      absl::StrAppend(&lines, "[+]", check.name, " excluded: ok\n");
    } else if (check.status.ok()) {
      absl::StrAppend(&lines, "[+]", check.name, " ok\n");
    } else {
      healthy = false;
      absl::StrAppend(&lines, "[-]", check.name, " failed: ", check.status.message(), "\n");
    }
  }
  if (healthy && !verbose) return {.text = "ok"};
  if (!unknown.empty()) {
    const auto quoted = [](std::string* out, absl::string_view name) { *out += GoQuote(name); };
    absl::StrAppend(&lines, "warn: some health checks cannot be excluded: no matches for ",
                    absl::StrJoin(unknown, ",", quoted), "\n");
  }
  absl::StrAppend(&lines, endpoint, " check ", healthy ? "passed\n" : "failed\n");
  return {.code = healthy ? 200 : 500, .text = std::move(lines)};
}

HealthAnswer AnswerHealth(const HealthCheck& check) {
  if (check.status.ok()) return {.text = "ok"};
  return {.code = 500, .text = absl::StrCat("internal server error: ", check.status.message(), "\n")};
}

}  // namespace tidemark::http
