#include "http/api_server.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/go_json_string.h"
#include "base/go_quote.h"
#include "http/accept.h"
#include "http/go_text.h"
#include "http/list_options.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kNotAllowed = "the server does not allow this method on the requested resource";
constexpr absl::string_view kWriteElsewhere =
    ": this server only reads; send writes to the Kubernetes API server of this store, or to the store itself";
constexpr absl::string_view kUnknownPath = "404 page not found\n";

// The release whose reads this server follows: clients compare it with their own.
constexpr absl::string_view kKubernetesMajor = "1";
constexpr absl::string_view kKubernetesMinor = "36";
constexpr absl::string_view kKubernetesVersion = "v1.36.3";

// Plain names need no escaping, which is what a scraper is told by the last part.
constexpr absl::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

// What kube-apiserver says of this resource with every answer, errors and watches included.
absl::string_view DeprecationOf(const config::Resource& resource) {
  const bool endpoints = resource.group.empty() && resource.plural == "endpoints";
  return endpoints ? R"(299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")" : "";
}

bool IsWatch(const Route& route, const net::Request& request) {
  if (route.watch_path) return true;
  return route.kind == Route::Kind::kCollection && QueryFlag(request, "watch");
}

// Whether a Kubernetes API server would take this write: then the answer says where it belongs.
bool IsWriteElsewhere(const Route& route, absl::string_view method) {
  if (route.watch_path) return false;
  if (route.kind == Route::Kind::kCollection) return method == "POST" || method == "DELETE";
  if (route.kind == Route::Kind::kWriteOnly) return method != "GET";
  if (route.kind != Route::Kind::kObject) return false;
  if (method == "PUT" || method == "PATCH") return true;
  return method == "DELETE" && route.subresource.empty();
}

std::string VerbOf(const Route& route, const net::Request& request) {
  constexpr absl::string_view kOthers[] = {"POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"};
  if (request.method == "GET") {
    if (route.resource == nullptr) return "GET";
    if (IsWatch(route, request)) return "WATCH";
    return route.kind == Route::Kind::kCollection ? "LIST" : "GET";
  }
  const bool known = std::find(std::begin(kOthers), std::end(kOthers), request.method) != std::end(kOthers);
  return known ? request.method : "other";
}

std::string ScopeLabel(const Route& route) {
  if (route.resource == nullptr) return "";
  if (!route.name.empty()) return "resource";
  return route.namespace_name.empty() ? "cluster" : "namespace";
}

bool ServesAnyMethod(const Route& route) {
  // kube-apiserver looks at no method here, and probes are of all kinds.
  return route.kind == Route::Kind::kHealth || route.kind == Route::Kind::kApis ||
         route.kind == Route::Kind::kUnknownPath || route.kind == Route::Kind::kNotFound ||
         route.kind == Route::Kind::kBrokenWatchPath;
}

}  // namespace

ApiServer::ApiServer(ApiServerOptions options)
    : options_(std::move(options)),
      router_(options_.resources),
      discovery_(options_.resources),
      metrics_(options_.registry),
      timers_(options_.executor),
      reads_(options_.cache, options_.post, options_.clock),
      watches_(options_.cache, options_.post, &timers_, options_.clock) {}

void ApiServer::Handle(std::shared_ptr<net::Exchange> exchange) {
  const net::Request& request = exchange->request();
  const Route route = router_.Find(request.path);
  metrics::RequestSeries* series = SeriesOf(route, request);
  auto responder = std::make_shared<Responder>(std::move(exchange), &metrics_, series, options_.clock);
  if (route.resource != nullptr) responder->set_warning(DeprecationOf(*route.resource));
  Dispatch(route, responder);
}

metrics::RequestSeries* ApiServer::SeriesOf(const Route& route, const net::Request& request) {
  metrics::RequestLabels labels{.verb = VerbOf(route, request), .scope = ScopeLabel(route)};
  if (route.resource != nullptr) {
    labels.group = route.resource->group;
    labels.version = route.resource->version;
    labels.resource = route.resource->plural;
    // Of the subresources only those that are served are a bounded set.
    if (route.kind == Route::Kind::kObject) labels.subresource = route.subresource;
  }
  return metrics_.Series(labels);
}

void ApiServer::Dispatch(const Route& route, const ResponderPtr& responder) {
  const net::Request& request = responder->request();
  if (request.method != "GET" && !ServesAnyMethod(route)) {
    const bool elsewhere = IsWriteElsewhere(route, request.method);
    responder->Fail(MethodNotAllowed(absl::StrCat(kNotAllowed, elsewhere ? kWriteElsewhere : "")));
    return;
  }
  const bool watch = route.resource != nullptr && IsWatch(route, request);
  const auto timeout = request.Query("timeout");
  if (timeout.has_value() && !watch) {
    const absl::StatusOr<absl::Duration> duration = ParseGoDuration(*timeout);
    if (!timeout->empty() && !duration.ok()) {
      responder->Fail(
          BadRequest(absl::StrCat("invalid timeout specified in the request URL - ", duration.status().message())));
      return;
    }
  }
  if (!DispatchPlain(route, responder)) DispatchResource(route, responder);
}

bool ApiServer::DispatchPlain(const Route& route, const ResponderPtr& responder) {
  const bool aggregated = PrefersAggregatedDiscovery(responder->request());
  const absl::string_view type = aggregated ? Discovery::kAggregatedType : kJsonType;
  switch (route.kind) {
    case Route::Kind::kRoot:
      ServeRoot(responder);
      return true;
    case Route::Kind::kVersion:
      ServeVersion(responder);
      return true;
    case Route::Kind::kHealth:
      ServeHealth(route, responder);
      return true;
    case Route::Kind::kMetrics:
      responder->Text(200, options_.registry->Text(), kMetricsType);
      return true;
    case Route::Kind::kApi:
      ServeDocument(aggregated ? &discovery_.core_aggregated() : &discovery_.core_versions(), type, responder);
      return true;
    case Route::Kind::kApis:
      ServeDocument(aggregated ? &discovery_.groups_aggregated() : &discovery_.groups(), type, responder);
      return true;
    case Route::Kind::kGroup:
      ServeDocument(discovery_.Group(route.group), kJsonType, responder);
      return true;
    case Route::Kind::kGroupVersion:
      ServeDocument(discovery_.GroupVersion(route.group, route.version), kJsonType, responder);
      return true;
    case Route::Kind::kNotFound:
      responder->Fail(ResourceNotFound());
      return true;
    case Route::Kind::kUnknownPath:
      responder->Text(404, std::string(kUnknownPath));
      return true;
    case Route::Kind::kBrokenWatchPath: {
      const std::string& path = responder->request().path;
      responder->Text(
          500, absl::StrCat("Internal Server Error: ", GoQuote(path),
                            ": failed to create RequestInfo: unable to determine kind and namespace from url, ", path,
                            "\n"));
      return true;
    }
    default:
      return false;
  }
}

void ApiServer::DispatchResource(const Route& route, const ResponderPtr& responder) {
  const config::Resource& resource = *route.resource;
  if (route.kind == Route::Kind::kWriteOnly) return responder->Fail(MethodNotAllowed(kNotAllowed));
  if (route.kind == Route::Kind::kNoSubresource) return responder->Fail(ObjectNotFound(resource, route.name));
  cache::Mirror* mirror = options_.cache->Find(resource.group, resource.plural);
  if (mirror == nullptr) return responder->Fail(ResourceNotFound());
  const bool watch = IsWatch(route, responder->request());
  if (const auto refusal = RefuseUnlessJson(responder->request(), watch)) return responder->Fail(*refusal);
  if (watch) return watches_.Watch(route, mirror, responder);
  if (route.kind == Route::Kind::kCollection) return reads_.List(route, mirror, responder);
  reads_.Get(route, mirror, responder);
}

void ApiServer::ServeDocument(const Discovery::Document* document, absl::string_view type,
                              const ResponderPtr& responder) {
  if (document == nullptr) return responder->Fail(ResourceNotFound());
  const bool aggregated = type == Discovery::kAggregatedType;
  if (!aggregated) {
    if (const auto refusal = RefuseUnlessJson(responder->request())) return responder->Fail(*refusal);
  }
  if (responder->request().Header("if-none-match") == document->etag) return responder->NotModified(document->etag);
  responder->Json(document->json, {{"ETag", document->etag}, {"Vary", "Accept"}}, type);
}

void ApiServer::ServeHealth(const Route& route, const ResponderPtr& responder) {
  const bool wants_ready = route.name != "livez" && route.subresource.empty();
  std::vector<std::string> checks = {"[+]ping ok"};
  bool ready = true;
  for (cache::Mirror* mirror : options_.cache->mirrors()) {
    if (!wants_ready) break;
    const std::string name = mirror->resource().GroupResource();
    checks.push_back(mirror->ready() ? absl::StrCat("[+]mirror/", name, " ok")
                                     : absl::StrCat("[-]mirror/", name, " failed: its first list is not complete"));
    ready = ready && mirror->ready();
  }
  ready = ready && (!wants_ready || options_.cache->ready());
  if (wants_ready && options_.store_health) {
    const absl::Status health = options_.store_health();
    checks.push_back(health.ok() ? "[+]store ok" : absl::StrCat("[-]store failed: ", health.message()));
    ready = ready && health.ok();
  }
  const bool verbose = responder->request().Query("verbose").has_value() || !ready;
  if (!verbose) return responder->Text(200, "ok");
  responder->Text(ready ? 200 : 500, absl::StrCat(absl::StrJoin(checks, "\n"), "\n", route.name, " check ",
                                                  ready ? "passed" : "failed", "\n"));
}

void ApiServer::ServeVersion(const ResponderPtr& responder) {
  std::string json = absl::StrCat(
      "{\"major\":\"", kKubernetesMajor, "\",\"minor\":\"", kKubernetesMinor, "\",\"emulationMajor\":\"",
      kKubernetesMajor, "\",\"emulationMinor\":\"", kKubernetesMinor, "\",\"minCompatibilityMajor\":\"",
      kKubernetesMajor, "\",\"minCompatibilityMinor\":\"", kKubernetesMinor,
      "\",\"gitVersion\":", GoJsonString(absl::StrCat(kKubernetesVersion, "+tidemark.", options_.version)),
      R"(,"gitCommit":"","gitTreeState":"","buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"g++",)",
      R"("platform":"linux/amd64"})");
  responder->Json(std::move(json));
}

void ApiServer::ServeRoot(const ResponderPtr& responder) {
  std::string text =
      absl::StrCat("Tidemark ", options_.version, ": consistent reads of Kubernetes objects, from memory\n\n");
  for (cache::Mirror* mirror : options_.cache->mirrors()) {
    const config::Resource& resource = mirror->resource();
    absl::StrAppend(&text, "  ", resource.group.empty() ? "/api/" : "/apis/", resource.ApiVersion(), "/",
                    resource.plural, mirror->ready() ? absl::StrCat("  at ", mirror->revision().value()) : "  loading",
                    "\n");
  }
  absl::StrAppend(&text,
                  "\n  /api, /apis   discovery\n"
                  "  /readyz       200 once every resource is loaded; ?verbose lists them\n"
                  "  /livez        200 while the process answers\n"
                  "  /metrics      Prometheus text\n"
                  "  /version      the Kubernetes release whose reads are followed\n");
  responder->Text(200, std::move(text));
}

}  // namespace tidemark::http
