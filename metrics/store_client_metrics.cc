#include "metrics/store_client_metrics.h"

#include "metrics/buckets.h"
#include "metrics/names.h"

namespace tidemark::metrics {

StoreClientMetrics::StoreClientMetrics(Registry* registry) {
  const auto operation = [registry](const char* name) {
    const Labels labels = {{"operation", name}};
    return Operation{
        .requests = registry->AddCounter(names::kEtcdRequests, "Requests to the store.", labels),
        .errors = registry->AddCounter(names::kEtcdRequestErrors, "Requests to the store that failed.", labels),
        .duration = registry->AddHistogram(names::kEtcdRequestDuration, "Time of requests to the store.", labels,
                                           RequestBuckets())};
  };
  const auto relists = [registry](const char* reason) {
    return registry->AddCounter(names::kRelists, "Lists made again, by reason.", {{"reason", reason}});
  };
  revision_read = operation("getCurrentResourceVersion");
  list = operation("list");
  get = operation("get");
  progress_requests = registry->AddCounter(names::kProgressRequests, "Progress requests sent on watch streams.", {});
  progress_notifications = registry->AddCounter(names::kProgressNotifications, "Progress notifications received.", {});
  stream_breaks = registry->AddCounter(names::kStreamBreaks, "Watch streams that broke.", {});
  resumes =
      registry->AddCounter(names::kWatchResumes, "Watches that went on from their last revision after a break.", {});
  relists_compacted = relists("compacted");
  relists_behind = relists("behind");
  relists_rewound = relists("rewound");
  endpoint_changes = registry->AddCounter(names::kEndpointChanges, "Changes from one store endpoint to another.", {});
  endpoints_refused = registry->AddGauge(names::kEndpointsRefused, "Store endpoints too old to carry a watch.", {});
  received_bytes = registry->AddCounter(names::kStoreBytesReceived, "Bytes of messages received from the store.", {});
}

}  // namespace tidemark::metrics
