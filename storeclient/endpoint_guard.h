// EndpointGuard keeps the version guard's decision while the program runs: versions are asked again when a connection was lost, and
// a member that is too old by then carries no watch.
//
// Thread-safety: thread-safe.
#ifndef TIDEMARK_STORECLIENT_ENDPOINT_GUARD_H_
#define TIDEMARK_STORECLIENT_ENDPOINT_GUARD_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "metrics/store_client_metrics.h"
#include "storeclient/version_guard.h"

namespace tidemark::storeclient {

class EndpointGuard {
 public:
  EndpointGuard(const std::vector<std::string>& endpoints, GuardMode mode, metrics::Gauge refused);

  // All versions at once, at the start: decides with the mode as it is configured, and logs.
  GuardDecision Start(const std::vector<absl::StatusOr<std::string>>& versions);

  // Whether the version has to be asked before a watch is opened there.
  bool NeedsCheck(size_t endpoint) const;
  // A connection to it was lost: it may come back as another version.
  void Doubt(size_t endpoint);
  // What it answered. An error leaves the version as it was.
  void Learn(size_t endpoint, const absl::StatusOr<std::string>& version);

  bool MayCarryWatch(size_t endpoint) const;
  // The one after `endpoint`, by turns, that may carry a watch; itself when there is no other.
  size_t NextForWatch(size_t endpoint) const;
  bool ProgressTrusted() const;

 private:
  void DecideLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const GuardMode mode_;
  mutable Mutex mu_;
  std::vector<EndpointVersion> versions_ ABSL_GUARDED_BY(mu_);
  std::vector<bool> doubted_ ABSL_GUARDED_BY(mu_);
  GuardDecision decision_ ABSL_GUARDED_BY(mu_);
  metrics::Gauge refused_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_ENDPOINT_GUARD_H_
