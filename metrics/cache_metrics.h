// MirrorMetrics counts for one mirror (labels group and resource), with ReadMetrics for whoever reads its snapshots;
// FreshnessMetrics counts for the one coalescer that serves all mirrors.
//
// Thread-safety: thread-safe.
// Ownership:     handles only; the registry outlives them. The series of a mirror go with the last copy of its metrics: one
//                counter taken out of them is not used longer than the mirror lives. Default-constructed: counts nothing.
#ifndef TIDEMARK_METRICS_CACHE_METRICS_H_
#define TIDEMARK_METRICS_CACHE_METRICS_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "metrics/registry.h"

namespace tidemark::metrics {

// What whoever answers from a mirror's snapshots counts. A list counts once however many batches it is taken in, the
// state that a watch begins with not at all.
struct ReadMetrics {
  Counter lists_by_range;          // walked in key order: tidemark_lists_total{plan="range"}
  Counter lists_by_index;          // walked members of an index: {plan="index"}
  Counter list_objects_evaluated;  // candidates looked at, selected or not
  Counter list_objects_returned;
  Counter init_events;                    // synthetic ADDED at the start of watches
  std::shared_ptr<Registry::Set> series;  // what these and the mirror's others belong to
};

struct MirrorMetrics {
  MirrorMetrics() = default;
  MirrorMetrics(Registry* registry, absl::string_view group, absl::string_view resource);

  Counter events_received;        // from the store
  Counter events_dispatched;      // handed to the history, and so to watchers
  Gauge revision;                 // the mirror's
  Counter initializations;        // first lists and relists that were completed
  Counter initialization_errors;  // lists that broke
  Histogram initialization_duration;
  Histogram read_wait;  // reads that had to wait, and only those
  // Consistent reads that were to be answered by the mirror, by success and fallback as kube-apiserver counts them.
  Counter consistent_from_cache;       // true, false: it answered
  Counter consistent_stale;            // false, skipped: it did not get there in time, and the store was spared
  Counter consistent_failed;           // false, false: anything else went wrong
  Counter consistent_fell_back;        // true, true: the store answered after a wait in vain
  Counter consistent_fallback_failed;  // false, true: nor did the store
  Counter terminated_watchers;         // fell out of the history
  Counter decode_errors;               // values that could not be read
  Counter stray_keys;                  // lists and events of keys that are no object's
  Gauge objects;
  Gauge object_bytes;  // keys and values as stored
  Gauge history_events;
  Gauge history_bytes;
  Gauge history_oldest_revision;
  Gauge snapshots_pinned;  // older snapshots that a reader still holds
  Gauge watchers;
  Counter watcher_wakes;
  ReadMetrics reads;
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
