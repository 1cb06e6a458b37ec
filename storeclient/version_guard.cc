#include "storeclient/version_guard.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tidemark::storeclient {
namespace {

using Version = std::array<int, 3>;

constexpr Version kFloor34 = {3, 4, 31};
constexpr Version kFirst35 = {3, 5, 0};
constexpr Version kFloor35 = {3, 5, 13};
constexpr char kNeeded[] = "3.4.31 or 3.5.13";

std::optional<Version> ParseVersion(absl::string_view text) {
  const std::vector<absl::string_view> numbers = absl::StrSplit(text.substr(0, text.find_first_of("-+")), '.');
  Version version{};
  if (numbers.size() != version.size()) return std::nullopt;
  for (size_t i = 0; i < version.size(); ++i) {
    if (!absl::SimpleAtoi(numbers[i], &version[i]) || version[i] < 0) return std::nullopt;
  }
  return version;
}

VersionVerdict Judge(const EndpointVersion& endpoint) {
  return endpoint.version.ok() ? JudgeVersion(*endpoint.version) : VersionVerdict::kUnknown;
}

// What the log says of one endpoint.
GuardLine LineOf(const EndpointVersion& endpoint, VersionVerdict verdict, GuardMode mode) {
  const std::string version = endpoint.version.ok() ? *endpoint.version : "";
  switch (verdict) {
    case VersionVerdict::kFine:
      return {LogLevel::kInfo, "store version", endpoint.endpoint, version};
    case VersionVerdict::kUnknown: {
      const std::string why =
          endpoint.version.ok() ? "it is no etcd version" : std::string(endpoint.version.status().message());
      return {LogLevel::kWarning, absl::StrCat("the store's version is unknown, going on as if it were fine: ", why),
              endpoint.endpoint, version};
    }
    case VersionVerdict::kTooOld:
      return {
          mode == GuardMode::kRequire ? LogLevel::kError : LogLevel::kWarning,
          absl::StrCat("the store is too old for its progress notifications to be trusted: ", kNeeded, " is needed"),
          endpoint.endpoint, version};
  }
  return {};
}

GuardOutcome Outcome(const std::vector<VersionVerdict>& verdicts, GuardMode mode) {
  const auto has = [&](VersionVerdict verdict) {
    return std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end();
  };
  if (mode == GuardMode::kOff) return GuardOutcome::kFromStore;
  if (mode == GuardMode::kRequire && has(VersionVerdict::kTooOld)) return GuardOutcome::kRefused;
  // One that does not answer must not be the only one left to carry watches.
  if (!has(VersionVerdict::kFine) && has(VersionVerdict::kTooOld)) return GuardOutcome::kFromStore;
  return has(VersionVerdict::kUnknown) ? GuardOutcome::kUnknown : GuardOutcome::kTrusted;
}

}  // namespace

VersionVerdict JudgeVersion(absl::string_view text) {
  const std::optional<Version> version = ParseVersion(text);
  if (!version.has_value()) return VersionVerdict::kUnknown;
  if (*version < kFloor34 || (*version >= kFirst35 && *version < kFloor35)) return VersionVerdict::kTooOld;
  return VersionVerdict::kFine;
}

GuardDecision DecideGuard(absl::Span<const EndpointVersion> endpoints, GuardMode mode) {
  GuardDecision decision;
  for (const EndpointVersion& endpoint : endpoints) {
    decision.verdicts.push_back(Judge(endpoint));
    decision.lines.push_back(LineOf(endpoint, decision.verdicts.back(), mode));
  }
  decision.outcome = Outcome(decision.verdicts, mode);
  const bool some_too_old = std::count(decision.verdicts.begin(), decision.verdicts.end(), VersionVerdict::kTooOld) > 0;
  switch (decision.outcome) {
    case GuardOutcome::kFromStore:
      decision.lines.push_back({mode == GuardMode::kOff ? LogLevel::kInfo : LogLevel::kWarning,
                                "consistent lists are served from the store", "", ""});
      break;
    case GuardOutcome::kRefused:
      decision.lines.push_back(
          {LogLevel::kError, "consistent lists from the cache are required: refusing to start", "", ""});
      break;
    case GuardOutcome::kTrusted:
    case GuardOutcome::kUnknown:
      if (some_too_old) {
        decision.lines.push_back({LogLevel::kWarning, "the endpoints that are too old carry no watch", "", ""});
      }
      break;
  }
  return decision;
}

void LogGuard(const GuardDecision& decision) {
  for (const GuardLine& line : decision.lines) {
    if (line.endpoint.empty()) {
      Log(line.level, line.message);
    } else {
      Log(line.level, line.message,
          {{"endpoint", line.endpoint}, {"version", line.version.empty() ? "unknown" : line.version}});
    }
  }
}

}  // namespace tidemark::storeclient
