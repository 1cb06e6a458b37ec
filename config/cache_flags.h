// The flags of `tidemark cache`: those of kube-apiserver where it has one for the thing. ClientFlags are those of
// whoever talks to a store; `load` takes them too.
//
// Thread-safety: thread-compatible.
// Ownership:     outlives the FlagSet that it was registered with.
// Errors:        kInvalidArgument that names the flag.
#ifndef TIDEMARK_CONFIG_CACHE_FLAGS_H_
#define TIDEMARK_CONFIG_CACHE_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "config/flags.h"
#include "config/options.h"

namespace tidemark::config {

class ClientFlags {
 public:
  void Register(FlagSet* flags);
  absl::Status Read(std::vector<Address>* servers, TlsFiles* tls) const;

 private:
  std::vector<std::string> etcd_servers_ = {"http://127.0.0.1:2379"};
  TlsFiles tls_;
};

class CacheFlags {
 public:
  // `up` mirrors everything; `cache` leaves secrets out unless they are named.
  explicit CacheFlags(std::vector<std::string> resources) : resources_(std::move(resources)) {}
  CacheFlags(const CacheFlags&) = delete;
  CacheFlags& operator=(const CacheFlags&) = delete;

  void Register(FlagSet* flags);
  // After flags.Parse(). Does not set the log's options nor the servers.
  absl::StatusOr<CacheOptions> Read(bool allow_remote) const;

 private:
  CacheOptions given_;  // the fields that need no reading
  std::string etcd_prefix_ = "/registry";
  std::string listen_http_ = "127.0.0.1:8080";
  std::vector<std::string> resources_;
  std::string resource_definitions_;
  std::string encryption_config_;
  std::string consistent_list_ = "auto";
};

// The built-in resources, with those of the file at `definitions_path` unless that is empty.
absl::StatusOr<std::vector<Resource>> ReadResourceTable(const std::string& definitions_path);

// Gives each resource what the file at `path` says of it; without a path nothing.
absl::Status ReadEncryption(const std::string& path, CacheOptions* options);

// "/registry" from "registry", "/registry/"; nothing but a path is accepted.
absl::StatusOr<std::string> ReadPrefix(absl::string_view text);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_CACHE_FLAGS_H_
