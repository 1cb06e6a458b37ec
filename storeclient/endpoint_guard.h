// EndpointGuard keeps the version guard's decision while the program runs: versions are asked again when a connection was lost, and
// a member that is too old by then carries no watch. One that was too old is offered again from time to time: it may have been
// upgraded. In a rolling upgrade old and fine members live side by side, so progress is trusted per endpoint.
//
// Thread-safety: thread-safe.
#ifndef TIDEMARK_STORECLIENT_ENDPOINT_GUARD_H_
#define TIDEMARK_STORECLIENT_ENDPOINT_GUARD_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "metrics/store_client_metrics.h"
#include "storeclient/version_guard.h"

namespace tidemark::storeclient {

class EndpointGuard {
 public:
  // A member that is too old is asked again this seldom: each time one watch waits for the answer before it goes elsewhere.
  static constexpr absl::Duration kAskAgainAfter = absl::Seconds(30);

  EndpointGuard(const std::vector<std::string>& endpoints, GuardMode mode, metrics::Gauge refused);

  // All versions at once, at the start: decides with the mode as it is configured, and logs.
  GuardDecision Start(const std::vector<absl::StatusOr<std::string>>& versions, absl::Time now);

  // Whether the version has to be asked before a watch is opened there.
  bool NeedsCheck(size_t endpoint) const;
  // A connection to it was lost: it may come back as another version.
  void Doubt(size_t endpoint);
  // What it answered. An error leaves the version as it was. True when it is another version: watches may have to move.
  bool Learn(size_t endpoint, const absl::StatusOr<std::string>& version, absl::Time now);

  bool IsTooOld(size_t endpoint) const;
  bool MayCarryWatch(size_t endpoint) const;
  // The one after `endpoint`, by turns, that may carry a watch, or is too old and due to be asked again: that one is doubted
  // then. Itself when there is no other.
  size_t NextForWatch(size_t endpoint, absl::Time now);
  // Whether consistent reads can rely on progress, as long as watches keep to the members that may carry them.
  bool ProgressTrusted() const;
  // Whether a progress message of a watch there can be believed.
  bool ProgressTrusted(size_t endpoint) const;

 private:
  void DecideLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const GuardMode mode_;
  mutable Mutex mu_;
  std::vector<EndpointVersion> versions_ ABSL_GUARDED_BY(mu_);
  std::vector<bool> doubted_ ABSL_GUARDED_BY(mu_);
  std::vector<absl::Time> asked_at_ ABSL_GUARDED_BY(mu_);  // or offered to be asked; of use for those that are too old
  GuardDecision decision_ ABSL_GUARDED_BY(mu_);
  metrics::Gauge refused_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_ENDPOINT_GUARD_H_
