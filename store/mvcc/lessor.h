// Lessor keeps the leases: what was granted, which keys hang on it, and on this member also when it falls due. Expiry
// is never an effect of a clock on the state: due leases are named by TakeExpired, and whoever leads proposes a revoke
// command for each.
//
//   for (int64_t id : lessor.TakeExpired(kRevokesPerTickMax)) Propose(LeaseRevokeRequest{id});   // every kExpiryTick
//
// Engine table kLease: id big-endian 8 bytes -> etcdserverpb.LeaseGrantRequest (TTL as granted).
//
// Thread-safety: Grant, Revoke, Attach and Detach have one caller at a time: inside the log's apply callback
//                (replicated_log.h). Everything else is thread-safe.
// Units:         TTLs in whole seconds, as on the wire; times by the given clock.
// Errors:        kLeaseNotFound, kLeaseExists, and "too large lease TTL", with etcd's texts.
// Cost:          all O(log n); Keys O(keys of the lease).
// Source:        etcd v3 server/lease.
#ifndef TIDEMARK_STORE_MVCC_LESSOR_H_
#define TIDEMARK_STORE_MVCC_LESSOR_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "store/kv/write_buffer.h"

namespace tidemark::mvcc {

inline constexpr int64_t kLeaseTtlMaxSeconds = 9'000'000'000;
// How often due leases are looked for, and how many are revoked at once (etcd: 500 ms, half of 1,000 a second).
inline constexpr absl::Duration kExpiryTick = absl::Milliseconds(500);
inline constexpr int kRevokesPerTickMax = 500;
// A proposed revoke that has not been applied by then is proposed again.
inline constexpr absl::Duration kRevokeRetry = absl::Seconds(3);
// A new leader spreads leases that would fall due together, so that at most this many do in one second (three quarters
// of what one second can revoke).
inline constexpr int kExpiriesPerSecondMax = 750;

struct LessorOptions {
  // Shorter TTLs are raised to this: ceil(1.5 x election timeout).
  int64_t ttl_min_seconds = 2;
};

struct LeaseInfo {
  int64_t id = 0;
  int64_t granted_ttl_seconds = 0;
  int64_t remaining_ttl_seconds = 0;
  std::vector<std::string> keys;  // in order; only when asked for
};

class Lessor {
 public:
  Lessor(LessorOptions options, Clock* clock);

  // Apply thread.

  // Grants a lease and persists it; returns the TTL in force; kLeaseNotFound for id 0.
  absl::StatusOr<int64_t> Grant(int64_t id, int64_t ttl_seconds, kv::WriteBuffer* buffer);
  // Forgets the lease. Its keys are to be deleted by the caller before.
  absl::Status Revoke(int64_t id, kv::WriteBuffer* buffer);
  bool Exists(int64_t id) const;
  // The keys that hang on it, in order; kLeaseNotFound.
  absl::StatusOr<std::vector<std::string>> Keys(int64_t id) const;
  // Hangs `key` on lease `id`, off the one it hung on; id 0 only takes it off. REQUIRES: id is 0 or exists.
  void Attach(absl::string_view key, int64_t id);
  void Detach(absl::string_view key) { Attach(key, 0); }
  // Puts a persisted lease back at start, with its full TTL ahead of it.
  absl::Status Restore(absl::string_view table_key, absl::string_view table_value);

  // Any thread.

  // Moves expiry to a full TTL from now and returns the TTL; kLeaseNotFound also for a lease that is due already.
  absl::StatusOr<int64_t> KeepAlive(int64_t id);
  // nullopt when there is no such lease.
  std::optional<LeaseInfo> TimeToLive(int64_t id, bool with_keys) const;
  std::vector<int64_t> Leases() const;
  // At most `limit` leases that are due; each is named again after kRevokeRetry unless it was revoked meanwhile.
  std::vector<int64_t> TakeExpired(int limit);
  // Becoming leader, also at start: every lease has its full TTL and `extend` ahead of it
  // again, spread (kExpiriesPerSecondMax).
  void Promote(absl::Duration extend);
  size_t size() const;

 private:
  struct Lease {
    int64_t ttl_seconds = 0;
    absl::Time due;     // when TakeExpired may name it next
    absl::Time expiry;  // when it expires; a keepalive moves both
    std::set<std::string, std::less<>> keys;
  };

  void AddLocked(int64_t id, int64_t ttl_seconds) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void SetDueLocked(int64_t id, Lease& lease, absl::Time due) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const LessorOptions options_;
  Clock* const clock_;

  mutable Mutex mu_;
  absl::flat_hash_map<int64_t, Lease> leases_ ABSL_GUARDED_BY(mu_);
  absl::btree_set<std::pair<absl::Time, int64_t>> by_due_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<std::string, int64_t> lease_of_key_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_LESSOR_H_
