#include "http/api_server.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"
#include "base/go_quote.h"
#include "config/kubernetes_release.h"
#include "http/accept.h"
#include "http/component_statuses.h"
#include "http/go_text.h"
#include "http/indent.h"
#include "http/list_options.h"
#include "http/server_document.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kNotAllowed = "the server does not allow this method on the requested resource";
constexpr absl::string_view kWriteElsewhere =
    ": this server only reads; send writes to the Kubernetes API server of this store, or to the store itself";
constexpr absl::string_view kUnknownPath = "404 page not found\n";

// Plain names need no escaping, which is what a scraper is told by the last part.
constexpr absl::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

// As the text of a header: quotes and backslashes escaped, nothing that ends a line.
std::string QuotedHeaderText(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    if (!absl::ascii_iscntrl(static_cast<unsigned char>(c))) quoted.push_back(c);
  }
  return quoted + "\"";
}

// What kube-apiserver says of this resource with every answer, errors and watches included: a Warning header.
std::string DeprecationOf(const config::Resource& resource) {
  const bool endpoints = resource.group.empty() && resource.plural == "endpoints";
  if (endpoints) return R"(299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")";
  return resource.warning.empty() ? "" : absl::StrCat("299 - ", QuotedHeaderText(resource.warning));
}

// The rows of what is there from the beginning; the caller keeps it alive.
std::vector<ServedRow> FixedRows(const ApiServerOptions& options) {
  std::vector<ServedRow> rows;
  for (const config::Resource* resource : options.resources) {
    const auto unowned = [](const auto*) {};
    ServedResource row{.resource = {resource, unowned}};
    if (cache::Mirror* const mirror = options.cache->Find(resource->MirrorGroup(), resource->plural))
      row.mirror = {mirror, unowned};
    rows.push_back(std::make_shared<const ServedResource>(std::move(row)));
  }
  return rows;
}

bool IsWatch(const Route& route, const net::Request& request) {
  if (route.watch_path) return true;
  return route.kind == Route::Kind::kCollection && QueryFlag(request, "watch");
}

// Whether a Kubernetes API server would take this write: then the answer says where it belongs.
bool IsWriteElsewhere(const Route& route, absl::string_view method) {
  if (route.watch_path) return false;
  if (route.kind == Route::Kind::kCollection)
    return route.resource->stored() && (method == "POST" || method == "DELETE");
  if (route.kind == Route::Kind::kWriteOnly) return route.subresource.empty() ? method == "POST" : method != "GET";
  if (route.kind != Route::Kind::kObject || !route.resource->stored()) return false;
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
  return route.kind == Route::Kind::kHealth || route.kind == Route::Kind::kOpenApi ||
         route.kind == Route::Kind::kApis || route.kind == Route::Kind::kUnknownPath ||
         route.kind == Route::Kind::kNotFound || route.kind == Route::Kind::kBrokenWatchPath;
}

}  // namespace

ApiServer::ApiServer(ApiServerOptions options)
    : options_(std::move(options)),
      fixed_(FixedRows(options_)),
      catalogue_(std::make_shared<const Catalogue>(fixed_)),
      metrics_(options_.registry),
      timers_(options_.executor),
      slow_lane_(options_.slow_executor, &metrics_),
      yaml_lists_(&slow_lane_),
      openapi_(&slow_lane_, options_.clock),
      reads_(options_.cache, options_.post, &yaml_lists_, options_.clock),
      watches_(options_.cache, options_.post, &timers_, options_.watches_max, options_.clock) {}

void ApiServer::SetCustomResources(std::vector<ServedRow> rows) {
  std::map<const cache::Mirror*, std::shared_ptr<metrics::RequestSeriesTable>> tables;
  const CataloguePtr before = catalogue_.Get();
  for (const ServedRow& row : before->rows()) tables.emplace(row->mirror.get(), row->requests);
  for (ServedRow& row : rows) {
    std::shared_ptr<metrics::RequestSeriesTable>& table = tables[row->mirror.get()];
    if (table == nullptr) table = std::make_shared<metrics::RequestSeriesTable>(options_.registry);
    ServedResource counted = *row;
    counted.requests = table;
    row = std::make_shared<const ServedResource>(std::move(counted));
  }
  rows.insert(rows.begin(), fixed_.begin(), fixed_.end());
  catalogue_.Set(std::make_shared<const Catalogue>(std::move(rows)));
}

void ApiServer::Handle(std::shared_ptr<net::Exchange> exchange) {
  const net::Request& request = exchange->request();
  const CataloguePtr catalogue = catalogue_.Get();
  const Route route = catalogue->router().Find(request.path);
  const ServedRow row = route.resource == nullptr ? nullptr : catalogue->RowOf(route.resource);
  metrics::RequestSeries* const series = SeriesOf(route, row.get(), request);
  auto responder = std::make_shared<Responder>(std::move(exchange), &metrics_, series, options_.clock);
  if (route.resource != nullptr) {
    responder->set_warning(DeprecationOf(*route.resource));
    responder->Hold(row);
  }
  Dispatch(route, *catalogue, responder);
}

metrics::RequestSeries* ApiServer::SeriesOf(const Route& route, const ServedResource* row,
                                            const net::Request& request) {
  metrics::RequestLabels labels{.verb = VerbOf(route, request), .scope = ScopeLabel(route)};
  if (route.resource != nullptr) {
    labels.group = route.resource->group;
    labels.version = route.resource->version;
    labels.resource = route.resource->plural;
    // Of the subresources only those that are served are a bounded set.
    if (route.kind == Route::Kind::kObject) labels.subresource = route.subresource;
  }
  const bool may_go = row != nullptr && row->requests != nullptr;
  return (may_go ? *row->requests : metrics_.requests).Series(labels);
}

void ApiServer::Dispatch(const Route& route, const Catalogue& catalogue, const ResponderPtr& responder) {
  const net::Request& request = responder->request();
  if (request.method != "GET" && !ServesAnyMethod(route)) {
    const bool elsewhere = IsWriteElsewhere(route, request.method);
    responder->set_warning("");  // there is no such route to warn of
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
  if (DispatchPlain(route, catalogue, responder)) return;
  DispatchResource(route, catalogue.RowOf(route.resource)->mirror.get(), responder);
}

bool ApiServer::DispatchPlain(const Route& route, const Catalogue& catalogue, const ResponderPtr& responder) {
  const Discovery& discovery = catalogue.discovery();
  switch (route.kind) {
    case Route::Kind::kRoot:
      ServeRoot(responder);
      return true;
    case Route::Kind::kVersion:
      ServeVersion(responder);
      return true;
    case Route::Kind::kHealth:
      ServeHealth(route, catalogue, responder);
      return true;
    case Route::Kind::kMetrics:
      responder->Text(200, options_.registry->Text(), kMetricsType);
      return true;
    case Route::Kind::kApi:
      ServeDocument(route, &discovery.core_versions(), &discovery.core_aggregated(), responder);
      return true;
    case Route::Kind::kApis:
      ServeDocument(route, &discovery.groups(), &discovery.groups_aggregated(), responder);
      return true;
    case Route::Kind::kGroup:
      ServeDocument(route, discovery.Group(route.group), nullptr, responder);
      return true;
    case Route::Kind::kGroupVersion:
      ServeDocument(route, discovery.GroupVersion(route.group, route.version), nullptr, responder);
      return true;
    case Route::Kind::kOpenApi:
      openapi_.Answer(route.name, catalogue.openapi(), responder);
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

void ApiServer::DispatchResource(const Route& route, cache::Mirror* mirror, const ResponderPtr& responder) {
  const config::Resource& resource = *route.resource;
  if (route.kind == Route::Kind::kWriteOnly) return responder->Fail(MethodNotAllowed(kNotAllowed));
  if (route.kind == Route::Kind::kNoSubresource) return responder->Fail(ObjectNotFound(resource, route.name));
  if (mirror == nullptr && resource.stored()) return responder->Fail(ResourceNotFound());
  if (resource.form != nullptr) {
    if (const absl::Status servable = resource.form->Servable(); !servable.ok()) {
      return responder->Fail(InternalFailure(servable.message()));
    }
  }
  const bool watch = IsWatch(route, responder->request());
  if (watch && !resource.stored()) return responder->Fail(MethodNotAllowed(kNotAllowed));
  const bool list = route.kind == Route::Kind::kCollection;
  const AnswerVerb verb = watch ? AnswerVerb::kWatch : list ? AnswerVerb::kList : AnswerVerb::kGet;
  ApiStatusOr<Negotiation> asked = Negotiate(responder->request(), verb, resource);
  if (!asked.ok()) {
    // Who takes nothing that this route has gets no further, and so hears of no deprecation.
    if (asked.status().details.has_value()) responder->set_warning("");
    return responder->Fail(asked.status());
  }
  // Of what is not stored nothing else can be read: the router has no such route.
  if (!resource.stored()) return AnswerComponentStatuses(route, asked->form, options_.clock, responder.get());
  if (watch) return watches_.Watch(route, *asked, mirror, responder);
  if (list) return reads_.List(route, *asked, mirror, responder);
  reads_.Get(route, *asked, mirror, responder);
}

void ApiServer::ServeDocument(const Route& route, const Discovery::Document* document,
                              const Discovery::Document* aggregated, const ResponderPtr& responder) {
  if (document == nullptr) return responder->Fail(ResourceNotFound());
  const net::Request& request = responder->request();
  // kube-apiserver's aggregator answers for these itself.
  const bool routed = route.kind != Route::Kind::kApis && route.kind != Route::Kind::kGroup;
  ApiStatusOr<DocumentForm> form = NegotiateDocument(request, aggregated != nullptr, routed);
  if (!form.ok()) return responder->Fail(form.status());
  if (form->aggregated) document = aggregated;
  if (request.Header("if-none-match") == document->etag) return responder->NotModified({{"ETag", document->etag}});
  absl::StatusOr<std::string> body =
      EncodeDocument({.api_version = document->api_version, .kind = document->kind, .json = document->json},
                     form->encoding, form->indent);
  if (!body.ok()) return responder->Fail(PlainError(body.status().message()));
  responder->Whole(*std::move(body), form->ContentType(), {{"ETag", document->etag}, {"Vary", "Accept"}});
}

std::vector<HealthCheck> ApiServer::ReadyChecks(const Catalogue& catalogue) const {
  const auto unless = [](bool ok, absl::string_view why) {
    return ok ? absl::OkStatus() : absl::UnavailableError(why);
  };
  std::vector<HealthCheck> checks;
  bool served = true;
  for (const cache::Mirror* const mirror : catalogue.mirrors()) {
    const bool ready = mirror->ready();
    served = served && ready;
    checks.push_back(
        {absl::StrCat("mirror/", mirror->resource().GroupResource()), unless(ready, "its first list is not complete")});
  }
  // What the mirrors above do not say of themselves, so that one of them can be left out.
  checks.push_back({"cache", unless(!served || options_.cache->ready(), "what is followed unserved is not loaded")});
  if (options_.custom_resources_ready) {
    checks.push_back(
        {"custom-resources", unless(options_.custom_resources_ready(), "not all that the store announces are loaded")});
  }
  if (options_.store_health) checks.push_back({"store", options_.store_health()});
  return checks;
}

void ApiServer::ServeHealth(const Route& route, const Catalogue& catalogue, const ResponderPtr& responder) {
  std::vector<HealthCheck> checks = {{"ping", absl::OkStatus()}};
  if (route.name != "livez") {
    for (HealthCheck& check : ReadyChecks(catalogue)) checks.push_back(std::move(check));
  }
  if (!route.subresource.empty()) {
    const auto is_it = [&route](const HealthCheck& check) { return check.name == route.subresource; };
    const auto found = std::find_if(checks.begin(), checks.end(), is_it);
    if (found == checks.end()) return responder->Text(404, std::string(kUnknownPath));
    const HealthAnswer answer = AnswerHealth(*found);
    return responder->Text(answer.code, answer.text);
  }
  const net::Request& request = responder->request();
  std::vector<absl::string_view> excluded;
  for (const auto& [name, value] : request.query) {
    if (name == "exclude") excluded.push_back(value);
  }
  const HealthAnswer answer =
      AnswerHealth(route.name, checks, std::move(excluded), request.Query("verbose").has_value());
  responder->Text(answer.code, answer.text);
}

void ApiServer::ServeVersion(const ResponderPtr& responder) {
  if (const auto refusal = RefuseUnlessJsonIsNamed(responder->request())) return responder->Fail(*refusal);
  std::string json = absl::StrCat(
      "{\"major\":\"", config::kKubernetesMajor, "\",\"minor\":\"", config::kKubernetesMinor,
      "\",\"emulationMajor\":\"", config::kKubernetesMajor, "\",\"emulationMinor\":\"", config::kKubernetesMinor,
      "\",\"minCompatibilityMajor\":\"", config::kKubernetesMajor, "\",\"minCompatibilityMinor\":\"",
      config::kKubernetesMinor,
      "\",\"gitVersion\":", GoJsonString(absl::StrCat(config::kKubernetesVersion, "+tidemark.", options_.version)),
      R"(,"gitCommit":"","gitTreeState":"","buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"g++",)",
      R"("platform":"linux/amd64"})");
  // No document of the API: indented for everybody, and JSON alone.
  responder->Text(200, Indented(json), kJsonType);
}

void ApiServer::ServeRoot(const ResponderPtr& responder) {
  std::string text =
      absl::StrCat("Tidemark ", options_.version, ": consistent reads of Kubernetes objects, from memory\n\n");
  const CataloguePtr catalogue = catalogue_.Get();
  for (const ServedRow& row : catalogue->rows()) {
    const config::Resource& resource = *row->resource;
    const cache::Mirror* const mirror = row->mirror.get();
    if (mirror == nullptr) continue;
    absl::StrAppend(&text, "  ", resource.group.empty() ? "/api/" : "/apis/", resource.ApiVersion(), "/",
                    resource.plural, mirror->ready() ? absl::StrCat("  at ", mirror->revision().value()) : "  loading",
                    "\n");
  }
  absl::StrAppend(&text,
                  "\n  /api, /apis   discovery\n"
                  "  /readyz       200 once every resource is loaded; ?verbose lists them\n"
                  "  /openapi/v3   OpenAPI, also /openapi/v2\n"
                  "  /livez        200 while the process answers\n"
                  "  /metrics      Prometheus text\n"
                  "  /version      the Kubernetes release whose reads are followed\n");
  responder->Text(200, std::move(text));
}

}  // namespace tidemark::http
