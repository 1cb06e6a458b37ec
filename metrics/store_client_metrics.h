// StoreClientMetrics counts what is asked of the store behind the mirrors, and what comes back.
//
// Thread-safety: thread-safe.
// Ownership:     handles only; the registry outlives them. Default-constructed: counts nothing.
#ifndef TIDEMARK_METRICS_STORE_CLIENT_METRICS_H_
#define TIDEMARK_METRICS_STORE_CLIENT_METRICS_H_

#include "metrics/registry.h"

namespace tidemark::metrics {

struct StoreClientMetrics {
  // One kind of request: etcd_requests_total and its fellows, by operation.
  struct Operation {
    Counter requests;
    Counter errors;
    Histogram duration;
  };

  StoreClientMetrics() = default;
  explicit StoreClientMetrics(Registry* registry);

  Operation revision_read;         // operation="getCurrentResourceVersion"
  Operation list;                  // one page: operation="list"
  Operation get;                   // operation="get"
  Counter progress_requests;       // sent on a watch stream, after merging
  Counter progress_notifications;  // received
  Counter stream_breaks;           // watch streams that ended other than by our will
  Counter resumes;                 // watches that went on from their last revision after a break
  Counter relists_compacted;       // the start had been compacted
  Counter relists_behind;          // too far behind to catch up by watching
  Counter relists_rewound;         // the store went back
  Counter endpoint_changes;
  Gauge endpoints_refused;  // members too old to be trusted with a watch
  Counter received_bytes;
};

}  // namespace tidemark::metrics

#endif  // TIDEMARK_METRICS_STORE_CLIENT_METRICS_H_
