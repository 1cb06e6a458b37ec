// HttpServer speaks HTTP/1 on its listeners: strict heads, pipelining, streamed answers that wait without a thread,
// limits on everything. What is answered is the Handler's business (net/exchange.h).
//
//   TM_ASSIGN_OR_RETURN(std::unique_ptr<HttpServer> server, HttpServer::Start({.listen = {"127.0.0.1:8080"}}, &handler));
//   ...
//   server->Stop();
//
// Threads: net-loop (epoll: who is ready, whose time is up, who comes in), net-worker-N (parse, handler, Pull, write).
//
// Thread-safety: thread-safe; Stop is called by one thread.
// Ownership:     the handler, the clock and the registry behind the metrics outlive the server. An Exchange or a Waker
//                may outlive it; they do nothing then.
// Errors:        Start says in one line which address cannot be bound, or what is wrong with a file of TLS.
#ifndef TIDEMARK_NET_HTTP_SERVER_H_
#define TIDEMARK_NET_HTTP_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "metrics/http_metrics.h"
#include "net/exchange.h"
#include "net/limits.h"
#include "net/tls_context.h"

namespace tidemark::net {

struct ServerCore;
class Listener;

struct ServerOptions {
  std::vector<std::string> listen;  // "127.0.0.1:8080"; port 0: any
  TlsFiles tls;                     // without a certificate: plain HTTP
  ServerLimits limits;
  int workers = 0;  // 0: one for each CPU, two at least
  Clock* clock = &RealClock();
  metrics::NetMetrics metrics;
};

class HttpServer {
 public:
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(ServerOptions options, Handler* handler);
  ~HttpServer();

  // What is bound, with the true ports, in the order of ServerOptions::listen.
  std::vector<std::string> addresses() const;

  // Runs `task` on a worker: for what goes on with an exchange after a wait. Dropped once the server has stopped.
  void Post(absl::AnyInvocable<void()> task);

  // Whether Stop has begun.
  bool Draining() const;
  // Accepts no more, lets running answers end (BodySource::Drain) for ServerLimits::drain_time, cuts the rest, and
  // joins. REQUIRES: not called from a worker.
  void Stop();

 private:
  explicit HttpServer(std::shared_ptr<ServerCore> core) : core_(std::move(core)) {}

  const std::shared_ptr<ServerCore> core_;
  std::vector<std::shared_ptr<Listener>> listeners_;
  bool stopped_ = false;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_HTTP_SERVER_H_
