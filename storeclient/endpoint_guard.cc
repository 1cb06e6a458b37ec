#include "storeclient/endpoint_guard.h"

#include <algorithm>

#include "absl/status/status.h"
#include "base/check.h"

namespace tidemark::storeclient {

EndpointGuard::EndpointGuard(const std::vector<std::string>& endpoints, GuardMode mode, metrics::Gauge refused)
    : mode_(mode),
      doubted_(endpoints.size(), true),
      asked_at_(endpoints.size(), absl::InfinitePast()),
      refused_(refused) {
  TM_CHECK(!endpoints.empty());
  for (const std::string& endpoint : endpoints) versions_.push_back({endpoint, absl::UnknownError("not asked yet")});
  MutexLock lock(&mu_);
  DecideLocked();
}

void EndpointGuard::DecideLocked() {
  // Refusing is for the start. Afterwards a member that is too old is passed over, as with auto.
  decision_ = DecideGuard(versions_, mode_ == GuardMode::kRequire ? GuardMode::kAuto : mode_);
  refused_.Set(
      static_cast<double>(std::count(decision_.verdicts.begin(), decision_.verdicts.end(), VersionVerdict::kTooOld)));
}

GuardDecision EndpointGuard::Start(const std::vector<absl::StatusOr<std::string>>& versions, absl::Time now) {
  GuardDecision decision;
  {
    MutexLock lock(&mu_);
    TM_CHECK(versions.size() == versions_.size());
    for (size_t i = 0; i < versions.size(); ++i) {
      versions_[i].version = versions[i];
      doubted_[i] = !versions[i].ok();
      asked_at_[i] = now;
    }
    DecideLocked();
    decision = DecideGuard(versions_, mode_);
  }
  LogGuard(decision);
  return decision;
}

bool EndpointGuard::NeedsCheck(size_t endpoint) const {
  MutexLock lock(&mu_);
  return mode_ != GuardMode::kOff && doubted_[endpoint];
}

void EndpointGuard::Doubt(size_t endpoint) {
  MutexLock lock(&mu_);
  doubted_[endpoint] = true;
}

bool EndpointGuard::Learn(size_t endpoint, const absl::StatusOr<std::string>& version, absl::Time now) {
  GuardDecision changed;
  {
    MutexLock lock(&mu_);
    asked_at_[endpoint] = now;
    if (!version.ok()) return false;
    doubted_[endpoint] = false;
    EndpointVersion& known = versions_[endpoint];
    if (known.version.ok() && *known.version == *version) return false;
    known.version = version;
    DecideLocked();
    changed.lines.push_back(decision_.lines[endpoint]);
  }
  LogGuard(changed);
  return true;
}

bool EndpointGuard::IsTooOld(size_t endpoint) const {
  MutexLock lock(&mu_);
  return decision_.IsTooOld(endpoint);
}

bool EndpointGuard::MayCarryWatch(size_t endpoint) const {
  MutexLock lock(&mu_);
  return decision_.MayCarryWatch(endpoint);
}

size_t EndpointGuard::NextForWatch(size_t endpoint, absl::Time now) {
  MutexLock lock(&mu_);
  for (size_t step = 1; step <= versions_.size(); ++step) {
    const size_t candidate = (endpoint + step) % versions_.size();
    if (decision_.MayCarryWatch(candidate)) return candidate;
    if (now - asked_at_[candidate] < kAskAgainAfter) continue;
    // To one watch, not to all that have lost their member with it.
    asked_at_[candidate] = now;
    doubted_[candidate] = true;
    return candidate;
  }
  return endpoint;
}

bool EndpointGuard::ProgressTrusted() const {
  MutexLock lock(&mu_);
  return decision_.ProgressTrusted();
}

bool EndpointGuard::ProgressTrusted(size_t endpoint) const {
  MutexLock lock(&mu_);
  return decision_.ProgressTrusted() && !decision_.IsTooOld(endpoint);
}

}  // namespace tidemark::storeclient
