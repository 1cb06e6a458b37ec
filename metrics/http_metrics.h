// NetMetrics counts connections and bytes; HttpMetrics counts requests as kube-apiserver does, one RequestSeries for
// each kind, in tables: one for all that is served from start to end, one for each resource that may go.
//
//   RequestSeries* series = metrics->requests.Series({.verb = "LIST", .version = "v1", .resource = "pods", .scope = "cluster"});
//   series->Code(200).Increment();
//   series->duration.Observe(clock.Now() - start);
//
// Thread-safety: thread-safe.
// Ownership:     the registry outlives all of them. A table owns its series and takes them out of the registry when it goes, but
//                for those that another table has as well; a pointer to one stays valid as long as its table.
// Cost:          Series takes a lock and a map: keep the pointer where a kind of request is known beforehand.
#ifndef TIDEMARK_METRICS_HTTP_METRICS_H_
#define TIDEMARK_METRICS_HTTP_METRICS_H_

#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "base/mutex.h"
#include "metrics/registry.h"

namespace tidemark::metrics {

struct NetMetrics {
  NetMetrics() = default;
  explicit NetMetrics(Registry* registry);

  Gauge connections;      // open
  Gauge waiting_streams;  // answers that wait for their source: idle watches
  Gauge unsent_bytes;     // memory made for answers whose readers are behind (ServerLimits::unsent_bytes_max)
  Counter accepted;
  // Connections closed. After a last answer (a refusal is one) and at the server's end none of these counts.
  Counter refused_full;      // at once: the connection limit
  Counter refused_address;   // at once: that of one address
  Counter closed_by_client;  // or its socket broke
  Counter closed_idle;       // nothing came: neither a first request nor a next one
  Counter closed_slow;       // below the minimum rate
  Counter closed_error;      // a body that could not be completed
  Counter tls_failed_handshakes;
  Counter tls_reloads;        // new files in use
  Counter tls_reload_errors;  // each look at files that cannot be used; the old ones stay
  Counter requests;
  Counter refused_heads;  // answered 4xx or 5xx before any handler saw them
  Counter received_bytes;
  Counter sent_bytes;
};

struct RequestLabels {
  std::string verb;   // GET, LIST, WATCH, or the method
  std::string group;  // empty: core
  std::string version;
  std::string resource;  // empty: no resource (discovery, health)
  std::string subresource;
  std::string scope;  // "cluster", "namespace", "resource", or empty

  auto Key() const { return std::tie(verb, group, version, resource, subresource, scope); }
  bool operator<(const RequestLabels& other) const { return Key() < other.Key(); }
};

// One kind of request.
class RequestSeries {
 public:
  RequestSeries() = default;
  RequestSeries(Registry* registry, const RequestLabels& labels, Registry::Set* set = nullptr);

  // apiserver_request_total of this status.
  Counter Code(int status) const;

  Histogram duration;
  Histogram response_sizes;
  Gauge longrunning;     // open watches
  Counter watch_events;  // sent

 private:
  // The statuses that this server gives; any other is counted as 0.
  static constexpr std::array kCodes = {0, 200, 301, 304, 400, 401, 403, 404, 405, 406, 410, 415, 422, 429, 500, 503, 504};
  std::array<Counter, kCodes.size()> by_code_;
};

class RequestSeriesTable {
 public:
  explicit RequestSeriesTable(Registry* registry) : registry_(registry), set_(registry->NewSet()) {}

  // REQUIRES: labels come from a bounded set: names of known resources, never a client's text.
  RequestSeries* Series(const RequestLabels& labels);

 private:
  Registry* const registry_;
  const std::shared_ptr<Registry::Set> set_;
  Mutex mu_;
  std::map<RequestLabels, std::unique_ptr<RequestSeries>> series_ ABSL_GUARDED_BY(mu_);
};

struct HttpMetrics {
  explicit HttpMetrics(Registry* registry);

  RequestSeriesTable requests;
  Gauge inflight_reads;  // apiserver_current_inflight_requests{request_kind="readOnly"}
  Gauge slow_answers_waiting;
  Counter slow_answers_refused;
};

}  // namespace tidemark::metrics

#endif  // TIDEMARK_METRICS_HTTP_METRICS_H_
