#include "net/http_server.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "net/connection.h"
#include "net/listener.h"
#include "net/server_core.h"
#include "net/tls_transport.h"

namespace tidemark::net {
namespace {

constexpr absl::string_view kTooMany = "too many connections";
constexpr absl::string_view kTooManyOfOne = "too many connections from one address";

// Every connection is a file; the usual soft limit of 1,024 is there for programs that use select(). Returns how many
// files there may be.
uint64_t RaiseFileLimit() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return std::numeric_limits<uint64_t>::max();
  const rlimit raised = {.rlim_cur = files.rlim_max, .rlim_max = files.rlim_max};
  return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : files.rlim_cur;
}

int WorkerCount(int asked) {
  return asked > 0 ? asked : std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
}

// Looks at the files of TLS every ServerLimits::tls_reload_gap; they are read by a worker.
class TlsReloader : public EventLoop::Watched, public std::enable_shared_from_this<TlsReloader> {
 public:
  explicit TlsReloader(ServerCore* core) : core_(core) {}

  void OnReady(uint32_t) override {}
  void OnDeadline() override {
    core_->workers.Post([self = shared_from_this()] {
      self->core_->tls->Reload();
      self->Arm();
    });
  }
  void Arm() { core_->loop.SetDeadline(this, core_->clock.Now() + core_->limits.tls_reload_gap); }

 private:
  ServerCore* const core_;  // its loop and its workers hold this
};

// Counts a new connection, or says of what there is too much.
std::optional<absl::string_view> Admit(ServerCore* core, absl::string_view peer) {
  bool full = true;
  {
    MutexLock lock(&core->mu);
    full = core->connections >= core->limits.connections_max;
    if (!full && core->by_address.Add(peer, core->limits.connections_per_address_max)) {
      ++core->connections;
      return std::nullopt;
    }
  }
  (full ? core->metrics.refused_full : core->metrics.refused_address).Increment();
  uint64_t held_back = 0;
  if (full && core->full_gate.Open(core->clock.Now(), &held_back)) {
    Log(LogLevel::kWarning, "too many connections, refusing more",
        {{"connections_max", core->limits.connections_max}, {"suppressed", held_back}});
  }
  if (!full && core->address_gate.Open(core->clock.Now(), &held_back)) {
    Log(LogLevel::kWarning, "too many connections from one address, refusing more of it",
        {{"client", peer},
         {"connections_per_address_max", core->limits.connections_per_address_max},
         {"suppressed", held_back}});
  }
  return full ? kTooMany : kTooManyOfOne;
}

void RefuseClient(Transport* transport, absl::string_view reason) {
  std::string answer =
      absl::StrCat("HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 1\r\nContent-Length: ",
                   reason.size() + 1, "\r\nConnection: close\r\n\r\n", reason, "\n");
  const iovec part = {answer.data(), answer.size()};
  transport->Write(&part, 1);
}

// On the loop's thread.
void Accept(const std::shared_ptr<ServerCore>& core, int fd, std::string peer) {
  std::unique_ptr<Transport> transport = std::make_unique<SocketTransport>(fd);
  if (const auto too_many = Admit(core.get(), peer)) {
    // A handshake would cost what is too much now.
    if (core->tls == nullptr) RefuseClient(transport.get(), *too_many);
    return;
  }
  if (core->tls != nullptr) transport = std::make_unique<TlsTransport>(std::move(transport), core->tls, peer);
  core->metrics.accepted.Increment();
  core->metrics.connections.Add(1);
  core->loop.Add(std::make_shared<Connection>(core, std::move(transport), std::move(peer)), fd,
                 EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}

void SignalAll(ServerCore* core, uint32_t events) {
  core->loop.ForEach([events](EventLoop::Watched* watched) {
    if (auto* const connection = dynamic_cast<Connection*>(watched)) connection->Signal(events);
  });
}

// False when the deadline passed first.
bool WaitUntilClosed(ServerCore* core, absl::Time deadline) {
  MutexLock lock(&core->mu);
  while (core->accepting || core->connections > 0) {
    if (core->ended.WaitWithDeadline(&core->mu, deadline)) return !core->accepting && core->connections == 0;
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(ServerOptions options, Handler* handler) {
  ServerLimits& limits = options.limits;
  limits.connections_max = ConnectionsWithin(RaiseFileLimit(), limits.connections_max);
  if (limits.connections_per_address_max == 0) {
    limits.connections_per_address_max = ConnectionsOfOneAddress(limits.connections_max);
  }
  std::shared_ptr<TlsContext> tls;
  if (!options.tls.cert_file.empty()) {
    TM_ASSIGN_OR_RETURN(tls, TlsContext::Load(std::move(options.tls), *options.clock, options.metrics));
  }
  std::vector<std::shared_ptr<Listener>> listeners;
  for (const std::string& address : options.listen) {
    TM_ASSIGN_OR_RETURN(std::shared_ptr<Listener> listener, Listener::Open(address, *options.clock));
    listeners.push_back(std::move(listener));
  }
  auto core = std::make_shared<ServerCore>(handler, options.limits, *options.clock, options.metrics,
                                           WorkerCount(options.workers), std::move(tls));
  std::unique_ptr<HttpServer> server(new HttpServer(core));
  server->listeners_ = listeners;
  if (core->tls != nullptr) {
    core->loop.Post([core = core.get()] {
      const auto reloader = std::make_shared<TlsReloader>(core);
      core->loop.Add(reloader);
      reloader->Arm();
    });
  }
  core->loop.Post([core = core.get(), weak = std::weak_ptr<ServerCore>(core), listeners = std::move(listeners)] {
    for (const auto& listener : listeners) {
      listener->Start(&core->loop, [weak](int fd, std::string peer) { Accept(weak.lock(), fd, std::move(peer)); });
    }
  });
  return server;
}

HttpServer::~HttpServer() { Stop(); }

std::vector<std::string> HttpServer::addresses() const {
  std::vector<std::string> addresses;
  for (const auto& listener : listeners_) addresses.push_back(listener->address());
  return addresses;
}

void HttpServer::Post(absl::AnyInvocable<void()> task) { core_->workers.Post(std::move(task)); }

bool HttpServer::Draining() const { return core_->draining.load(); }

void HttpServer::Stop() {
  if (std::exchange(stopped_, true)) return;
  core_->draining.store(true);
  // All on the loop: a connection that was accepted before is seen by SignalAll, and none comes after.
  core_->loop.Post([core = core_.get(), listeners = listeners_] {
    for (const auto& listener : listeners) listener->Close();
    SignalAll(core, Connection::kDrain);
    MutexLock lock(&core->mu);
    core->accepting = false;
    core->ended.SignalAll();
  });
  if (!WaitUntilClosed(core_.get(), absl::Now() + core_->limits.drain_time)) {
    Log(LogLevel::kWarning, "cutting answers that did not end in time",
        {{"drain_time", absl::FormatDuration(core_->limits.drain_time)}});
    core_->loop.Post([core = core_.get()] { SignalAll(core, Connection::kCut); });
    WaitUntilClosed(core_.get(), absl::InfiniteFuture());
  }
  core_->workers.Stop();
  core_->loop.Stop();
}

}  // namespace tidemark::net
