#include "metrics/cache_metrics.h"

#include "metrics/buckets.h"
#include "metrics/names.h"

namespace tidemark::metrics {

MirrorMetrics::MirrorMetrics(Registry* registry, absl::string_view group, absl::string_view resource) {
  reads.series = registry->NewSet();
  Registry::Set* const set = reads.series.get();
  const Labels labels = {{"group", std::string(group)}, {"resource", std::string(resource)}};
  const auto with = [&labels](Labels more) {
    more.insert(labels.begin(), labels.end());
    return more;
  };
  const auto consistent = [&](const char* success, const char* fallback) {
    return registry->AddCounter(names::kConsistentReads, "Consistent reads by how they ended.",
                                with({{"success", success}, {"fallback", fallback}}), set);
  };
  const auto lists = [&](const char* plan) {
    return registry->AddCounter(names::kListsServed, "Lists served from the mirror, by what was walked.",
                                with({{"plan", plan}}), set);
  };
  const Labels list_labels = with({{"storage", "watchcache"}});

  events_received = registry->AddCounter(names::kEventsReceived, "Events taken from the store.", labels, set);
  events_dispatched =
      registry->AddCounter(names::kEventsDispatched, "Events handed to watchers' history.", labels, set);
  reads.init_events =
      registry->AddCounter(names::kInitEvents, "Synthetic initial events built for watches.", labels, set);
  revision = registry->AddGauge(names::kCacheRevision, "Revision that the mirror has reached.", labels, set);
  initializations =
      registry->AddCounter(names::kInitializations, "Lists from the store that were completed.", labels, set);
  initialization_errors =
      registry->AddCounter(names::kInitializationErrors, "Lists from the store that broke.", labels, set);
  initialization_duration = registry->AddHistogram(
      names::kInitializationDuration, "Time of a completed list from the store.", labels, InitializationBuckets(), set);
  read_wait = registry->AddHistogram(names::kReadWait, "Time that reads waited for the mirror to become fresh enough.",
                                     labels, ReadWaitBuckets(), set);
  consistent_from_cache = consistent("true", "false");
  consistent_stale = consistent("false", "skipped");
  consistent_failed = consistent("false", "false");
  consistent_fell_back = consistent("true", "true");
  consistent_fallback_failed = consistent("false", "true");
  terminated_watchers =
      registry->AddCounter(names::kTerminatedWatchers, "Watches ended because they fell behind.", labels, set);
  decode_errors = registry->AddCounter(names::kDecodeErrors, "Stored values that could not be read.", labels, set);
  stray_keys = registry->AddCounter(names::kStrayKeys,
                                    "Keys from the store that are no object's and were left out, each time they came.",
                                    labels, set);
  objects = registry->AddGauge(names::kResourceObjects, "Objects in the mirror.", labels, set);
  object_bytes = registry->AddGauge(names::kObjectBytes, "Stored bytes of the mirrored keys and values.", labels, set);
  reads.lists_by_range = lists("range");
  reads.lists_by_index = lists("index");
  reads.list_objects_evaluated =
      registry->AddCounter(names::kListEvaluatedObjects, "Objects tested while serving lists.", list_labels, set);
  reads.list_objects_returned =
      registry->AddCounter(names::kListReturnedObjects, "Objects returned by lists.", list_labels, set);
  history_events = registry->AddGauge(names::kHistoryEvents, "Events in the history.", labels, set);
  history_bytes = registry->AddGauge(names::kHistoryBytes, "Bytes that the history keeps alive.", labels, set);
  history_oldest_revision =
      registry->AddGauge(names::kHistoryOldestRevision, "Oldest revision from which a watch can start.", labels, set);
  snapshots_pinned =
      registry->AddGauge(names::kSnapshotsPinned, "Older snapshots that readers still hold.", labels, set);
  watchers = registry->AddGauge(names::kWatchers, "Open watches.", labels, set);
  watcher_wakes = registry->AddCounter(names::kWatcherWakes, "Times that an event woke a watcher.", labels, set);
}

FreshnessMetrics::FreshnessMetrics(Registry* registry) {
  revision_reads =
      registry->AddCounter(names::kRevisionReads, "Quorum reads of the store's revision that were started.", {});
  revision_read_errors = registry->AddCounter(names::kRevisionReadErrors, "Those of them that failed.", {});
  revision_read_duration =
      registry->AddHistogram(names::kRevisionReadDuration, "Time of a revision read.", {}, ShortWaitBuckets());
  consistent_readers = registry->AddCounter(names::kConsistentReaders, "Readers served by revision reads.", {});
  waiting_reads = registry->AddGauge(names::kWaitingReads, "Reads that wait to become fresh.", {});
}

}  // namespace tidemark::metrics
