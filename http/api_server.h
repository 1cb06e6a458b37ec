// ApiServer is the Kubernetes REST surface for reads: it finds what a path names, decides how fresh the answer has to
// be, and writes it from the mirrors.
//
//   ApiServer api({.cache = &cache, .resources = resources, .registry = &registry, .executor = &loop, .slow_executor = &slow_loop,
//                  .post = [&](Executor::Task task) { workers.Post(std::move(task)); }});
//   net::HttpServer server(..., &api);
//
// What it serves can be extended while it runs: SetCustomResources.
//
// Thread-safety: thread-safe. Nothing blocks: a read that has to wait goes on in a task that is posted.
// Ownership:     the caller keeps cache, resources, registry and executors alive, and first ends the HTTP
//                server's connections, then slow_executor.
// Source:        kube-apiserver 1.36.3; what differs by choice is in the README.
#ifndef TIDEMARK_HTTP_API_SERVER_H_
#define TIDEMARK_HTTP_API_SERVER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "base/executor.h"
#include "cache/cache.h"
#include "config/resource.h"
#include "http/catalogue.h"
#include "http/discovery.h"
#include "http/health.h"
#include "http/openapi_handler.h"
#include "http/read_handler.h"
#include "http/responder.h"
#include "http/router.h"
#include "http/slow_lane.h"
#include "http/watch_handler.h"
#include "http/watch_timers.h"
#include "http/yaml_lists.h"
#include "metrics/http_metrics.h"
#include "metrics/registry.h"
#include "net/exchange.h"

namespace tidemark::http {

struct ApiServerOptions {
  cache::Cache* cache = nullptr;
  // What is mirrored for as long as this server lives; a resource that is not in here, or that the cache does not have, is
  // answered 404.
  std::vector<const config::Resource*> resources;
  metrics::Registry* registry = nullptr;
  // For the time limits and bookmarks of watches.
  Executor* executor = nullptr;
  size_t watches_max = kWatchesMax;
  // Writes what takes long, one after the other (http/slow_lane.h); each may take seconds. Stopped before this server goes.
  Executor* slow_executor = nullptr;
  // Runs a task soon on a thread where an answer may be written.
  Poster post;
  Clock& clock = RealClock();
  absl::string_view version;
  // Of a store in this process, a check of /readyz: not OK once it refuses every write. Thread-safe.
  std::function<absl::Status()> store_health;
  // Whether the custom resources that the store has announced are all served; a check of /readyz. Thread-safe.
  std::function<bool()> custom_resources_ready;
};

class ApiServer : public net::Handler {
 public:
  explicit ApiServer(ApiServerOptions options);

  void Handle(std::shared_ptr<net::Exchange> exchange) override;

  // Serves these rows beside options.resources, in place of those of the call before. What is under way goes on with the rows
  // it began with.
  void SetCustomResources(std::vector<ServedRow> rows);

 private:
  using ResponderPtr = std::shared_ptr<Responder>;

  metrics::RequestSeries* SeriesOf(const Route& route, const ServedResource* row, const net::Request& request);
  void Dispatch(const Route& route, const Catalogue& catalogue, const ResponderPtr& responder);
  // The routes that name no resource; false when `route` is none of them.
  bool DispatchPlain(const Route& route, const Catalogue& catalogue, const ResponderPtr& responder);
  void DispatchResource(const Route& route, cache::Mirror* mirror, const ResponderPtr& responder);
  // Discovery. `aggregated`: what /api and /apis give beside the document itself.
  void ServeDocument(const Route& route, const Discovery::Document* document, const Discovery::Document* aggregated,
                     const ResponderPtr& responder);
  std::vector<HealthCheck> ReadyChecks(const Catalogue& catalogue) const;
  void ServeHealth(const Route& route, const Catalogue& catalogue, const ResponderPtr& responder);
  void ServeRoot(const ResponderPtr& responder);
  void ServeVersion(const ResponderPtr& responder);

  const ApiServerOptions options_;
  const std::vector<ServedRow> fixed_;  // options.resources
  CurrentCatalogue catalogue_;
  metrics::HttpMetrics metrics_;
  WatchTimers timers_;
  SlowLane slow_lane_;
  YamlLists yaml_lists_;
  OpenApiHandler openapi_;
  ReadHandler reads_;
  WatchHandler watches_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_API_SERVER_H_
