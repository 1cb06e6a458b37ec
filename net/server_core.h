// ServerCore is what the connections of one server share. It outlives the server by as long as somebody holds an
// Exchange or a Waker; its threads have ended by then.
//
// Thread-safety: thread-safe.
#ifndef TIDEMARK_NET_SERVER_CORE_H_
#define TIDEMARK_NET_SERVER_CORE_H_

#include <atomic>
#include <cstddef>

#include "base/clock.h"
#include "base/mutex.h"
#include "metrics/http_metrics.h"
#include "net/event_loop.h"
#include "net/exchange.h"
#include "net/limits.h"
#include "net/log_gate.h"
#include "net/request_parser.h"
#include "net/worker_pool.h"

namespace tidemark::net {

struct ServerCore {
  ServerCore(Handler* handler, const ServerLimits& limits, Clock& clock, const metrics::NetMetrics& metrics,
             int worker_count)
      : handler(handler),
        limits(limits),
        clock(clock),
        metrics(metrics),
        workers("net-worker-", worker_count),
        loop("net-loop", clock) {}

  Handler* const handler;
  const ServerLimits limits;
  Clock& clock;
  metrics::NetMetrics metrics;
  const RequestParser parser;

  std::atomic<bool> draining{false};
  std::atomic<size_t> exchanges{0};     // handed to the handler, unanswered
  std::atomic<size_t> unread_bytes{0};  // of requests that have not come whole

  LogGate full_gate, exchanges_gate, unread_gate, slow_gate;

  Mutex mu;
  CondVar ended;                               // one of these two has become 0 or false
  bool accepting ABSL_GUARDED_BY(mu) = true;   // until the loop has closed the listeners
  size_t connections ABSL_GUARDED_BY(mu) = 0;  // accepted and not closed

  // Last: their threads end before the rest goes.
  WorkerPool workers;
  EventLoop loop;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_SERVER_CORE_H_
