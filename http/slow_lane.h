// SlowLane is the way of answers that take long to write: YAML of long lists, OpenAPI documents that are not made yet. They are
// written by an executor of their own, one at a time: seconds of a processor are taken once, and the workers go on with other
// clients.
//
//   if (!lane.Post([responder] { ... })) responder->Fail(SlowLane::Refusal());
//
// Thread-safety: thread-safe.
// Ownership:     the executor owns what waits. It is stopped while the lane is still there; what has not run by then is destroyed.
// Limits:        kWaitingMax.
#ifndef TIDEMARK_HTTP_SLOW_LANE_H_
#define TIDEMARK_HTTP_SLOW_LANE_H_

#include "base/executor.h"
#include "base/mutex.h"
#include "http/status.h"
#include "metrics/http_metrics.h"

namespace tidemark::http {

class SlowLane {
 public:
  // The one that is being written does not count. The longest take 2 s each: whoever comes last is still answered within the
  // minute after which kube-apiserver gives a request up.
  static constexpr int kWaitingMax = 16;

  SlowLane(Executor* executor, metrics::HttpMetrics* metrics) : executor_(executor), metrics_(metrics) {}

  // False when all places are taken: then the task is destroyed.
  bool Post(Executor::Task task);
  // What is told to whom it refused: 429.
  static ApiStatus Refusal();

 private:
  class Place;

  Executor* const executor_;
  metrics::HttpMetrics* const metrics_;
  Mutex mu_;
  int waiting_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_SLOW_LANE_H_
