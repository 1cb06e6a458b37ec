#include "metrics/http_metrics.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "metrics/buckets.h"
#include "metrics/names.h"

namespace tidemark::metrics {

NetMetrics::NetMetrics(Registry* registry) {
  const auto closed = [registry](const char* reason) {
    return registry->AddCounter(names::kConnectionsClosed, "HTTP connections closed, by reason.", {{"reason", reason}});
  };
  const auto reloads = [registry](const char* outcome) {
    return registry->AddCounter(names::kTlsReloads, "Looks at the TLS files that found new ones, by outcome.",
                                {{"outcome", outcome}});
  };
  connections = registry->AddGauge(names::kConnections, "Open HTTP connections.", {});
  waiting_streams = registry->AddGauge(names::kStreams, "Streamed answers that wait for their next bytes.", {});
  unsent_bytes =
      registry->AddGauge(names::kHttpUnsentBytes, "Bytes made for HTTP answers whose readers are behind.", {});
  accepted = registry->AddCounter(names::kConnectionsAccepted, "HTTP connections accepted.", {});
  refused_full = closed("limit");
  refused_address = closed("address_limit");
  closed_by_client = closed("client");
  closed_idle = closed("timeout");
  closed_slow = closed("slow");
  closed_error = closed("error");
  tls_failed_handshakes = registry->AddCounter(names::kTlsFailedHandshakes, "TLS handshakes that failed.", {});
  tls_reloads = reloads("success");
  tls_reload_errors = reloads("error");
  requests = registry->AddCounter(names::kHttpRequests, "HTTP requests handed to a handler.", {});
  refused_heads = registry->AddCounter(names::kRefusedHeads, "HTTP requests refused for their head or body.", {});
  received_bytes = registry->AddCounter(names::kHttpReceivedBytes, "Bytes received on HTTP connections.", {});
  sent_bytes = registry->AddCounter(names::kHttpSentBytes, "Bytes sent on HTTP connections.", {});
}

RequestSeries::RequestSeries(Registry* registry, const RequestLabels& labels, Registry::Set* set) {
  const Labels common = {{"verb", labels.verb},
                         {"group", labels.group},
                         {"version", labels.version},
                         {"resource", labels.resource},
                         {"subresource", labels.subresource},
                         {"scope", labels.scope},
                         {"component", "apiserver"}};
  Labels with_dry_run = common;
  with_dry_run["dry_run"] = "";
  const Labels by_resource = {{"group", labels.group}, {"version", labels.version}, {"resource", labels.resource}};

  duration = registry->AddHistogram(names::kRequestDuration, "Time of requests; of a watch, until its answer began.",
                                    with_dry_run, RequestBuckets(), set);
  response_sizes =
      registry->AddHistogram(names::kResponseSizes, "Bytes of whole answers.", common, ResponseSizeBuckets(), set);
  longrunning = registry->AddGauge(names::kLongrunning, "Open watches.", common, set);
  watch_events = registry->AddCounter(names::kWatchEvents, "Events sent to watches.", by_resource, set);
  for (size_t i = 0; i < kCodes.size(); ++i) {
    Labels with_code = with_dry_run;
    with_code["code"] = absl::StrCat(kCodes[i]);
    by_code_[i] = registry->AddCounter(names::kRequests, "Requests, by answer.", with_code, set);
  }
}

Counter RequestSeries::Code(int status) const {
  const auto* const found = std::find(kCodes.begin(), kCodes.end(), status);
  return by_code_[found == kCodes.end() ? 0 : static_cast<size_t>(found - kCodes.begin())];
}

HttpMetrics::HttpMetrics(Registry* registry)
    : requests(registry),
      inflight_reads(
          registry->AddGauge(names::kInflight, "Requests being answered now.", {{"request_kind", "readOnly"}})),
      slow_answers_waiting(registry->AddGauge(names::kSlowAnswersWaiting,
                                              "Answers that take long to write, waiting for their turn.", {})),
      slow_answers_refused(registry->AddCounter(
          names::kSlowAnswersRefused, "Answers that take long to write, refused since too many waited.", {})) {}

RequestSeries* RequestSeriesTable::Series(const RequestLabels& labels) {
  MutexLock lock(&mu_);
  std::unique_ptr<RequestSeries>& series = series_[labels];
  if (series == nullptr) series = std::make_unique<RequestSeries>(registry_, labels, set_.get());
  return series.get();
}

}  // namespace tidemark::metrics
