// VersionGuard decides from the versions of a store's members whether their progress notifications can be trusted, and which of
// them may carry a watch.
//
// Progress notifications overtake events before 3.4.25 and in 3.5.0 to 3.5.7, and events are lost on starved streams before 3.4.31
// and in 3.5.0 to 3.5.12: a mirror on such a member would be wrong without a sign of it.
//
//   all fine                          kTrusted    consistent lists from the mirror
//   a version cannot be read          kUnknown    warn, and go on as if fine
//   some too old and none fine, auto  kFromStore  warn, and serve consistent lists from the store
//   off                               kFromStore
//   any member too old, require       kRefused    do not start
//
// With a fine member, auto, and some too old, these carry no watch, and the others decide.
//
// Thread-safety: the functions are pure.
// Source:        etcd issues 15220 (progress before its events), 17507 and 17529; kube-apiserver has the same floor.
#ifndef TIDEMARK_STORECLIENT_VERSION_GUARD_H_
#define TIDEMARK_STORECLIENT_VERSION_GUARD_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/log.h"

namespace tidemark::storeclient {

// --consistent-list-from-cache.
enum class GuardMode { kAuto, kRequire, kOff };

enum class GuardOutcome { kTrusted, kUnknown, kFromStore, kRefused };

enum class VersionVerdict { kFine, kUnknown, kTooOld };

// What Status said, or why it said nothing.
struct EndpointVersion {
  std::string endpoint;
  absl::StatusOr<std::string> version;
};

struct GuardLine {
  LogLevel level;
  std::string message;
  std::string endpoint;  // empty: the line concerns them all
  std::string version;   // empty when unknown
};

struct GuardDecision {
  GuardOutcome outcome = GuardOutcome::kUnknown;
  std::vector<VersionVerdict> verdicts;  // of each endpoint
  std::vector<GuardLine> lines;          // for the log

  // Of the members that may carry a watch.
  bool ProgressTrusted() const { return outcome == GuardOutcome::kTrusted || outcome == GuardOutcome::kUnknown; }
  bool IsTooOld(size_t endpoint) const { return verdicts[endpoint] == VersionVerdict::kTooOld; }
  // Where no member is known to be fine there is none better.
  bool MayCarryWatch(size_t endpoint) const { return outcome == GuardOutcome::kFromStore || !IsTooOld(endpoint); }
};

// "3.5.13", "3.6.0-rc.1" or "3.4.31+build"; anything else is unknown.
VersionVerdict JudgeVersion(absl::string_view version);
GuardDecision DecideGuard(absl::Span<const EndpointVersion> endpoints, GuardMode mode);
void LogGuard(const GuardDecision& decision);

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_VERSION_GUARD_H_
