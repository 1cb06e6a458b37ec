// StoreMetrics counts for one member of the bundled store, under etcd's names.
//
// Thread-safety: thread-safe.
// Ownership:     handles only; the registry outlives them. Default-constructed: counts nothing.
#ifndef TIDEMARK_METRICS_STORE_METRICS_H_
#define TIDEMARK_METRICS_STORE_METRICS_H_

#include "metrics/registry.h"

namespace tidemark::metrics {

struct StoreMetrics {
  StoreMetrics() = default;
  explicit StoreMetrics(Registry* registry);

  Counter puts, ranges, deletes, txns;
  Gauge revision, compact_revision;
  Gauge keys;
  Counter events;  // handed to watchers
  Gauge watch_streams, watchers, slow_watchers;
  Gauge db_bytes, db_bytes_in_use, quota_bytes;
  Histogram wal_sync_duration;
  Counter wal_bytes;
  Histogram backend_commit_duration;
  Gauge proposals_committed, proposals_applied, proposals_pending;
  Counter proposals_failed;
  Gauge has_leader, is_leader;
  Gauge leases;
  Counter leases_expired;
};

}  // namespace tidemark::metrics

#endif  // TIDEMARK_METRICS_STORE_METRICS_H_
