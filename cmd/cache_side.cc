#include "cmd/cache_side.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cmd/program.h"
#include "crd/printer_columns.h"

namespace tidemark::cmd {
namespace {

storeclient::GuardMode GuardModeOf(config::ConsistentListFromCache mode) {
  switch (mode) {
    case config::ConsistentListFromCache::kAuto:
      return storeclient::GuardMode::kAuto;
    case config::ConsistentListFromCache::kRequire:
      return storeclient::GuardMode::kRequire;
    case config::ConsistentListFromCache::kOff:
      return storeclient::GuardMode::kOff;
  }
  return storeclient::GuardMode::kAuto;
}

storeclient::GrpcStoreClientOptions ClientOptions(const config::CacheOptions& options,
                                                  std::shared_ptr<grpc::Channel> channel, metrics::Registry* registry) {
  storeclient::GrpcStoreClientOptions client;
  for (const config::Address& server : options.etcd_servers) client.store.endpoints.push_back(server.ToString());
  client.store.ca_file = options.etcd_tls.ca_file;
  client.store.cert_file = options.etcd_tls.cert_file;
  client.store.key_file = options.etcd_tls.key_file;
  client.store.channel = std::move(channel);
  client.guard_mode = GuardModeOf(options.consistent_list);
  client.revision_key = absl::StrCat(options.etcd_prefix, "/");
  client.metrics = metrics::StoreClientMetrics(registry);
  return client;
}

constexpr absl::string_view kDefinitionsGroup = "apiextensions.k8s.io";
constexpr absl::string_view kDefinitions = "customresourcedefinitions";

const config::Resource* FindDefinitions(const std::vector<config::Resource>& resources) {
  for (const config::Resource& resource : resources) {
    if (resource.group == kDefinitionsGroup && resource.plural == kDefinitions) return &resource;
  }
  return nullptr;
}

cache::MirrorCache::Options MirrorOptions(const config::CacheOptions& options, Poster post, Executor* housekeeper) {
  cache::MirrorCache::Options mirrors;
  mirrors.resources = options.resources;
  if (options.selection.TakesCustom() && FindDefinitions(options.resources) == nullptr) {
    // Not served, but followed.
    mirrors.resources.push_back(*FindDefinitions(config::BuiltinResources()));
    if (options.encryption) {
      mirrors.resources.back().encryption = options.encryption->ProvidersOf(kDefinitionsGroup, kDefinitions);
    }
  }
  mirrors.etcd_prefix = options.etcd_prefix;
  mirrors.history = {.span = options.history_span, .bytes_max = static_cast<size_t>(options.history_bytes)};
  mirrors.read_wait_max = options.read_wait_max;
  mirrors.consistent_list = options.consistent_list;
  mirrors.stale_read_from_store = options.stale_read_from_store;
  mirrors.post = std::move(post);
  mirrors.housekeeper = housekeeper;
  return mirrors;
}

// What is mirrored, the other versions that are served from the same mirrors, and what no store has.
std::vector<config::Resource> Served(const config::CacheOptions& options) {
  std::vector<config::Resource> served = options.resources;
  for (config::Resource& other : config::OtherVersions(options.resources)) served.push_back(std::move(other));
  for (const config::Resource& unstored : config::UnstoredResources()) {
    if (options.selection.Takes(unstored.plural, unstored.GroupResource())) served.push_back(unstored);
  }
  for (config::Resource& resource : served) {
    if (resource.columns.empty()) continue;
    resource.object_columns = std::make_shared<crd::PrinterColumns>(resource.columns);
  }
  return served;
}

std::vector<const config::Resource*> Pointers(const std::vector<config::Resource>& resources) {
  std::vector<const config::Resource*> pointers;
  for (const config::Resource& resource : resources) pointers.push_back(&resource);
  return pointers;
}

net::TlsFiles TlsFilesOf(const config::CacheOptions& options) {
  return {.cert_file = options.http_tls.cert_file,
          .key_file = options.http_tls.key_file,
          .client_ca_file = options.http_tls.ca_file};
}

}  // namespace

absl::Status CacheSide::CheckFiles(const config::CacheOptions& options) {
  if (options.http_tls.cert_file.empty()) return absl::OkStatus();
  return net::TlsContext::Load(TlsFilesOf(options), RealClock()).status();
}

absl::StatusOr<std::unique_ptr<CacheSide>> CacheSide::Start(const config::CacheOptions& options, LocalStore store,
                                                            metrics::Registry* registry) {
  TM_ASSIGN_OR_RETURN(auto client,
                      storeclient::GrpcStoreClient::Create(ClientOptions(options, std::move(store.channel), registry)));
  const storeclient::GuardDecision decision = client->CheckVersions(RealClock().Now() + kVersionsWaitMax);
  if (decision.outcome == storeclient::GuardOutcome::kRefused) {
    return MakeError(ErrorKind::kStoreTooOld, "the store is too old for consistent lists from memory (see the log)");
  }
  auto side = std::unique_ptr<CacheSide>(new CacheSide(options, std::move(client), std::move(store.health), registry));
  side->FollowDefinitions();
  TM_RETURN_IF_ERROR(side->Listen(registry));
  side->cache_.Start();
  if (side->follower_ != nullptr) side->follower_->Start();
  return side;
}

CacheSide::CacheSide(const config::CacheOptions& options, std::unique_ptr<storeclient::GrpcStoreClient> client,
                     std::function<absl::Status()> store_health, metrics::Registry* registry)
    : options_(options),
      served_(Served(options_)),
      client_(std::move(client)),
      cache_loop_("cache"),
      housekeeping_loop_("housekeeping"),
      timer_loop_("http-timers"),
      slow_loop_("slow"),
      cache_(MirrorOptions(
                 options_, [this](Executor::Task task) { Post(std::move(task)); }, &housekeeping_loop_),
             client_.get(), &cache_loop_, registry),
      api_({.cache = &cache_,
            .resources = Pointers(served_),
            .registry = registry,
            .executor = &timer_loop_,
            .slow_executor = &slow_loop_,
            .post = [this](Executor::Task task) { Post(std::move(task)); },
            .version = kVersion,
            .store_health = std::move(store_health),
            .custom_resources_ready = [this] { return custom_resources_ready(); }}) {}

void CacheSide::FollowDefinitions() {
  if (!options_.selection.TakesCustom()) return;
  follower_ = std::make_unique<DefinitionFollower>(DefinitionFollower::Options{
      .cache = &cache_,
      .definitions = cache_.Find(kDefinitionsGroup, kDefinitions),
      .executor = &cache_loop_,
      .selection = options_.selection,
      .encryption = options_.encryption,
      .fixed = options_.resources,
      .publish = [this](std::vector<http::ServedRow> rows) { api_.SetCustomResources(std::move(rows)); }});
}

absl::Status CacheSide::Listen(metrics::Registry* registry) {
  net::ServerOptions server;
  server.listen = {options_.listen_http.HostPort()};
  server.tls = TlsFilesOf(options_);
  server.metrics = metrics::NetMetrics(registry);
  TM_ASSIGN_OR_RETURN(server_, net::HttpServer::Start(std::move(server), &api_));
  workers_ = server_.get();
  return absl::OkStatus();
}

void CacheSide::Post(Executor::Task task) {
  if (net::HttpServer* const workers = workers_.load()) {
    workers->Post(std::move(task));
  } else {
    timer_loop_.Post(std::move(task));
  }
}

std::string CacheSide::url() const {
  return absl::StrCat(options_.listen_http.tls() ? "https://" : "http://", server_->addresses().front());
}

void CacheSide::Stop() {
  if (stopped_) return;
  stopped_ = true;
  // Watches end with their streams, not with an error from mirrors that are gone; reads that wait have their answer within
  // the server's drain time.
  if (server_ != nullptr) server_->Stop();
  // What still waits has lost its client, and lets go of the mirrors.
  slow_loop_.Stop();
  if (follower_ != nullptr) follower_->Stop();
  cache_.Stop();
  timer_loop_.Stop();
  housekeeping_loop_.Stop();
  cache_loop_.Stop();
}

CacheSide::~CacheSide() { Stop(); }

}  // namespace tidemark::cmd
