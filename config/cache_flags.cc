#include "config/cache_flags.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "config/encryption_config.h"
#include "config/resource_definitions.h"
#include "config/resource_selection.h"
#include "config/store_flags.h"

namespace tidemark::config {
namespace {

ConsistentListFromCache ReadConsistentList(absl::string_view text) {
  if (text == "require") return ConsistentListFromCache::kRequire;
  return text == "off" ? ConsistentListFromCache::kOff : ConsistentListFromCache::kAuto;
}

absl::Status CheckHttpTls(const TlsFiles& files) {
  TM_RETURN_IF_ERROR(CheckTlsFiles("tls-cert-file", "tls-private-key-file", "client-ca-file", files));
  if (files.ca_file.empty() || !files.cert_file.empty()) return absl::OkStatus();
  return FlagError("client-ca-file", "it needs --tls-cert-file and --tls-private-key-file");
}

}  // namespace

void ClientFlags::Register(FlagSet* flags) {
  flags->List("etcd-servers", &etcd_servers_, "URLs of the store's members");
  flags->String("etcd-cafile", &tls_.ca_file, "authority that signs the store's certificate (PEM)");
  flags->String("etcd-certfile", &tls_.cert_file, "certificate shown to the store (PEM)");
  flags->String("etcd-keyfile", &tls_.key_file, "its private key (PEM)");
}

absl::Status ClientFlags::Read(std::vector<Address>* servers, TlsFiles* tls) const {
  absl::StatusOr<std::vector<Address>> endpoints = ParseEndpoints(etcd_servers_);
  if (!endpoints.ok()) return FlagError("etcd-servers", endpoints.status().message());
  for (const Address& server : *endpoints) {
    if (server.host.empty()) return FlagError("etcd-servers", absl::StrCat(server.ToString(), " has no host"));
    if (server.port == 0) return FlagError("etcd-servers", absl::StrCat(server.ToString(), " has no port"));
    if (server.tls() != endpoints->front().tls()) return FlagError("etcd-servers", "http and https cannot be mixed");
  }
  TM_RETURN_IF_ERROR(CheckTlsFiles("etcd-certfile", "etcd-keyfile", "etcd-cafile", tls_));
  *servers = *std::move(endpoints);
  *tls = tls_;
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadPrefix(absl::string_view text) {
  absl::ConsumePrefix(&text, "/");
  absl::ConsumeSuffix(&text, "/");
  const bool more_slashes = absl::StartsWith(text, "/") || absl::EndsWith(text, "/") || absl::StrContains(text, "//");
  if (text.empty() || more_slashes) return FlagError("etcd-prefix", "a path such as /registry is wanted");
  return absl::StrCat("/", text);
}

absl::StatusOr<std::vector<Resource>> ReadResourceTable(const std::string& definitions_path) {
  if (definitions_path.empty()) return BuiltinResources();
  absl::StatusOr<std::vector<Resource>> definitions = ReadResourceDefinitions(definitions_path);
  if (!definitions.ok()) return FlagError("resource-definitions", definitions.status().message());
  std::vector<Resource> table = MergeResources(BuiltinResources(), *definitions);
  const absl::Status prefixes = CheckPrefixes(table);
  if (!prefixes.ok()) return FlagError("resource-definitions", prefixes.message());
  return table;
}

absl::Status ReadEncryption(const std::string& path, CacheOptions* options) {
  if (path.empty()) return absl::OkStatus();
  absl::StatusOr<EncryptionConfig> config = ReadEncryptionConfig(path);
  if (!config.ok()) return FlagError("encryption-provider-config", config.status().message());
  options->encryption = *std::move(config);
  for (Resource& resource : options->resources) {
    resource.encryption = options->encryption->ProvidersOf(resource.group, resource.plural);
  }
  return absl::OkStatus();
}

void CacheFlags::Register(FlagSet* flags) {
  flags->String("etcd-prefix", &etcd_prefix_, "path under which the objects lie in the store");
  flags->String("listen-http", &listen_http_, "HOST:PORT for HTTP clients");
  flags->String("tls-cert-file", &given_.http_tls.cert_file, "certificate for HTTP clients, who then need https (PEM)");
  flags->String("tls-private-key-file", &given_.http_tls.key_file, "its private key (PEM)");
  flags->String("client-ca-file", &given_.http_tls.ca_file,
                "authority that signs the certificates of HTTP clients, for those who show one (PEM)");
  flags->List("resources", &resources_, "what is mirrored: *, NAME, NAME.GROUP, -NAME takes one out");
  flags->String("resource-definitions", &resource_definitions_, "JSON file with more resources");
  flags->String("encryption-provider-config", &encryption_config_,
                "kube-apiserver's file of keys, for what it encrypted at rest (YAML or JSON)");
  flags->Choice("consistent-list-from-cache", &consistent_list_, {"auto", "require", "off"},
                "whether consistent lists come from memory; require refuses to start on a store too old for it");
  flags->Duration("read-wait-max", &given_.read_wait_max, absl::Milliseconds(1), kReadWaitMax,
                  "longest wait of a read until its mirror is fresh enough");
  flags->Bool("stale-read-from-store", &given_.stale_read_from_store,
              "after a wait in vain list from the store, instead of answering 429");
  flags->Duration("history-span", &given_.history_span, absl::Seconds(1), absl::Hours(24),
                  "how far back a watch can start, in each resource's history");
  flags->Bytes("history-bytes", &given_.history_bytes, 1 << 20, int64_t{1} << 40, "size of each resource's history");
}

absl::StatusOr<CacheOptions> CacheFlags::Read(bool allow_remote) const {
  CacheOptions options = given_;
  TM_ASSIGN_OR_RETURN(options.etcd_prefix, ReadPrefix(etcd_prefix_));
  absl::StatusOr<Address> listen = ParseHostPort(listen_http_);
  if (!listen.ok()) return FlagError("listen-http", listen.status().message());
  TM_RETURN_IF_ERROR(CheckHttpTls(options.http_tls));
  if (!options.http_tls.cert_file.empty()) listen->scheme = "https";
  // A client without a certificate is served, too.
  TM_RETURN_IF_ERROR(CheckReach("listen-http", *listen, /*secured=*/false, allow_remote));
  options.listen_http = *std::move(listen);
  TM_ASSIGN_OR_RETURN(const std::vector<Resource> table, ReadResourceTable(resource_definitions_));
  absl::StatusOr<std::vector<Resource>> resources = SelectResources(resources_, table);
  if (!resources.ok()) return FlagError("resources", resources.status().message());
  options.resources = *std::move(resources);
  TM_RETURN_IF_ERROR(ReadEncryption(encryption_config_, &options));
  options.selection = ResourceSelection(resources_);
  options.consistent_list = ReadConsistentList(consistent_list_);
  return options;
}

}  // namespace tidemark::config
