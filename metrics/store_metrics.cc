#include "metrics/store_metrics.h"

#include "metrics/buckets.h"
#include "metrics/names.h"

namespace tidemark::metrics {

StoreMetrics::StoreMetrics(Registry* registry) {
  const auto counter = [registry](absl::string_view name, absl::string_view help) {
    return registry->AddCounter(name, help, {});
  };
  const auto gauge = [registry](absl::string_view name, absl::string_view help) {
    return registry->AddGauge(name, help, {});
  };
  puts = counter(names::kStorePuts, "Puts applied.");
  ranges = counter(names::kStoreRanges, "Ranges served.");
  deletes = counter(names::kStoreDeletes, "Deletes applied.");
  txns = counter(names::kStoreTxns, "Transactions applied.");
  revision = gauge(names::kStoreRevision, "Current revision.");
  compact_revision = gauge(names::kStoreCompactRevision, "Revision of the last compaction.");
  keys = gauge(names::kStoreKeys, "Keys, with those deleted since the last compaction.");
  events = counter(names::kStoreEvents, "Events handed to watchers.");
  watch_streams = gauge(names::kStoreWatchStreams, "Open watch streams.");
  watchers = gauge(names::kStoreWatchers, "Open watches.");
  slow_watchers = gauge(names::kStoreSlowWatchers, "Watches that are not caught up.");
  db_bytes = gauge(names::kStoreDbBytes, "Size of the database file.");
  db_bytes_in_use = gauge(names::kStoreDbBytesInUse, "Bytes of the database file that hold data.");
  quota_bytes = gauge(names::kStoreQuotaBytes, "Size at which writes are refused.");
  wal_sync_duration = registry->AddHistogram(names::kWalSyncDuration, "Time of syncs of the log.", {}, DiskBuckets());
  wal_bytes = counter(names::kWalBytes, "Bytes written to the log.");
  backend_commit_duration =
      registry->AddHistogram(names::kBackendCommitDuration, "Time of commits of the database.", {}, DiskBuckets());
  proposals_committed = gauge(names::kProposalsCommitted, "Index of the last committed proposal.");
  proposals_applied = gauge(names::kProposalsApplied, "Index of the last applied proposal.");
  proposals_pending = gauge(names::kProposalsPending, "Proposals not yet applied.");
  proposals_failed = counter(names::kProposalsFailed, "Proposals that failed.");
  has_leader = gauge(names::kHasLeader, "1 if a leader is known.");
  is_leader = gauge(names::kIsLeader, "1 if this member leads.");
  leases = gauge(names::kLeases, "Leases that have not expired.");
  leases_expired = counter(names::kLeasesExpired, "Leases that expired.");
}

}  // namespace tidemark::metrics
