// ServerCore is what the connections of one server share. It outlives the server by as long as somebody holds an
// Exchange or a Waker; its threads have ended by then.
//
// Thread-safety: thread-safe.
#ifndef TIDEMARK_NET_SERVER_CORE_H_
#define TIDEMARK_NET_SERVER_CORE_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "metrics/http_metrics.h"
#include "net/address_counts.h"
#include "net/event_loop.h"
#include "net/exchange.h"
#include "net/limits.h"
#include "net/log_gate.h"
#include "net/request_parser.h"
#include "net/tls_context.h"
#include "net/worker_pool.h"

namespace tidemark::net {

struct ServerCore {
  ServerCore(Handler* handler, const ServerLimits& limits, Clock& clock, const metrics::NetMetrics& metrics,
             int worker_count, std::shared_ptr<TlsContext> tls)
      : handler(handler),
        limits(limits),
        clock(clock),
        metrics(metrics),
        tls(std::move(tls)),
        workers("net-worker-", worker_count),
        loop("net-loop", clock) {}

  Handler* const handler;
  const ServerLimits limits;
  Clock& clock;
  metrics::NetMetrics metrics;
  const RequestParser parser;
  const std::shared_ptr<TlsContext> tls;  // nullptr: plain HTTP

  std::atomic<bool> draining{false};
  std::atomic<size_t> exchanges{0};      // handed to the handler, unanswered
  std::atomic<size_t> unread_bytes{0};   // of requests that have not come whole
  std::atomic<size_t> unsent_bytes{0};   // made for answers that their sockets did not take at once
  std::atomic<bool> after_burst{false};  // these two have been more than kBurstBytes, and their memory is still kept

  LogGate full_gate, address_gate, exchanges_gate, unread_gate, unsent_gate, slow_gate;

  Mutex mu;
  CondVar ended;                                 // one of these two has become 0 or false
  bool accepting ABSL_GUARDED_BY(mu) = true;     // until the loop has closed the listeners
  size_t connections ABSL_GUARDED_BY(mu) = 0;    // accepted and not closed
  AddressCounts by_address ABSL_GUARDED_BY(mu);  // the same, of each address

  // Last: their threads end before the rest goes.
  WorkerPool workers;
  EventLoop loop;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_SERVER_CORE_H_
