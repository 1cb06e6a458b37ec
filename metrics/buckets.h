// The histograms' bucket bounds, in seconds unless said.
//
// Thread-safety: immutable.
// Source:        kube-apiserver 1.36 and etcd 3.6, for the metrics that carry their names.
#ifndef TIDEMARK_METRICS_BUCKETS_H_
#define TIDEMARK_METRICS_BUCKETS_H_

#include <vector>

namespace tidemark::metrics {

// apiserver_request_duration_seconds and etcd_request_duration_seconds.
std::vector<double> RequestBuckets();
// apiserver_watch_cache_read_wait_seconds: kube-apiserver's own, with finer ones below, where our waits lie.
std::vector<double> ReadWaitBuckets();
// apiserver_watch_cache_initialization_duration_seconds.
std::vector<double> InitializationBuckets();
// Waits that are meant to be short: 0.1 ms to 3 s.
std::vector<double> ShortWaitBuckets();
// apiserver_response_sizes, in bytes.
std::vector<double> ResponseSizeBuckets();
// etcd's disk histograms: 1 ms doubling to 8 s.
std::vector<double> DiskBuckets();

}  // namespace tidemark::metrics

#endif  // TIDEMARK_METRICS_BUCKETS_H_
