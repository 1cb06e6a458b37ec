// MirrorMetrics counts for one mirror (labels group and resource), FreshnessMetrics for the one coalescer that serves
// them all.
//
// Thread-safety: thread-safe.
// Ownership:     handles only; the registry outlives them. Default-constructed: counts nothing.
#ifndef TIDEMARK_METRICS_CACHE_METRICS_H_
#define TIDEMARK_METRICS_CACHE_METRICS_H_

#include "absl/strings/string_view.h"
#include "metrics/registry.h"

namespace tidemark::metrics {

struct MirrorMetrics {
  MirrorMetrics() = default;
  MirrorMetrics(Registry* registry, absl::string_view group, absl::string_view resource);

  Counter events_received;        // from the store
  Counter events_dispatched;      // handed to the history, and so to watchers
  Counter init_events;            // synthetic ADDED at the start of watches
  Gauge revision;                 // the mirror's
  Counter initializations;        // first lists and relists that were completed
  Counter initialization_errors;  // lists that broke
  Histogram initialization_duration;
  Histogram read_wait;            // reads that had to wait, and only those
  Counter consistent_from_cache;  // consistent reads answered by the mirror: success=true, fallback=skipped
  Counter consistent_failed;      // neither mirror nor store could answer: success=false, fallback=skipped
  Counter consistent_fell_back;   // answered by the store after a wait in vain: success=false, fallback=true
  Counter terminated_watchers;    // fell out of the history
  Counter decode_errors;          // values that could not be read
  Gauge objects;
  Gauge object_bytes;              // keys and values as stored
  Counter lists_by_range;          // walked in key order: tidemark_lists_total{plan="range"}
  Counter lists_by_index;          // walked a pair of an index: {plan="index"}
  Counter list_objects_evaluated;  // looked at
  Counter list_objects_returned;
  Gauge history_events;
  Gauge history_bytes;
  Gauge history_oldest_revision;
  Gauge snapshots_pinned;  // older snapshots that a reader still holds
  Gauge watchers;
  Counter watcher_wakes;
};

struct FreshnessMetrics {
  FreshnessMetrics() = default;
  explicit FreshnessMetrics(Registry* registry);

  Counter revision_reads;  // started
  Counter revision_read_errors;
  Histogram revision_read_duration;
  Counter consistent_readers;  // readers that those reads served
  Gauge waiting_reads;         // readers that wait now, for the revision or for the mirror
};

}  // namespace tidemark::metrics

#endif  // TIDEMARK_METRICS_CACHE_METRICS_H_
