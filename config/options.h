// What each command was told to do: read from flags, environment and file (config/flags.h), checked as far as that goes
// without opening anything, and const from then on.
//
//   absl::StatusOr<Invocation<UpOptions>> up = ParseUp(arguments, ProcessEnvironment());
//
// Thread-safety: immutable value.
// Units:         _bytes, absl::Duration; addresses are parsed (config/address.h).
// Errors:        kInvalidArgument with one clear line: the program prints it and ends with 2.
#ifndef TIDEMARK_CONFIG_OPTIONS_H_
#define TIDEMARK_CONFIG_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/log.h"
#include "config/address.h"
#include "config/encryption_config.h"
#include "config/flags.h"
#include "config/resource.h"
#include "config/resource_selection.h"

namespace tidemark::config {

struct LogOptions {
  LogFormat format = LogFormat::kText;
  LogLevel level = LogLevel::kInfo;
};

// PEM files of one side of a connection; empty: not given.
struct TlsFiles {
  std::string cert_file;
  std::string key_file;
  std::string ca_file;  // signs the other side's certificate
};

enum class CompactionMode { kOff, kPeriodic, kRevision };

// One member of the bundled store.
struct StoreOptions {
  LogOptions log;
  std::string name = "default";
  std::string data_dir;
  std::vector<Address> listen_client_urls;
  std::vector<Address> advertise_client_urls;  // what `member list` shows
  std::vector<Address> initial_advertise_peer_urls;
  int64_t quota_backend_bytes = 0;
  CompactionMode compaction_mode = CompactionMode::kOff;
  absl::Duration compaction_period;  // kPeriodic
  int64_t compaction_revisions = 0;  // kRevision
  int64_t max_txn_ops = 0;
  int64_t max_request_bytes = 0;
  int64_t max_concurrent_streams = 0;
  absl::Duration watch_progress_notify_interval;
  TlsFiles client_tls;
  bool client_cert_auth = false;
  // Given, and without effect in one member.
  std::vector<std::string> idle_flags;
};

// How long a read waits for its mirror, at most: kube-apiserver's limit, which clients know.
inline constexpr absl::Duration kReadWaitMax = absl::Seconds(3);

enum class ConsistentListFromCache { kAuto, kRequire, kOff };

// The mirror and its HTTP side.
struct CacheOptions {
  LogOptions log;
  std::vector<Address> etcd_servers;
  TlsFiles etcd_tls;
  std::string etcd_prefix;  // begins with a slash, ends without: "/registry"
  Address listen_http;  // its scheme is https with http_tls, otherwise empty
  TlsFiles http_tls;
  std::vector<Resource> resources;
  std::optional<EncryptionConfig> encryption;  // of all resources, also those that are announced later
  ResourceSelection selection;  // what of the custom resources that definitions announce is mirrored, too
  ConsistentListFromCache consistent_list = ConsistentListFromCache::kAuto;
  absl::Duration read_wait_max = kReadWaitMax;
  bool stale_read_from_store = false;
  int64_t history_bytes = 128 << 20;
  absl::Duration history_span = absl::Minutes(5);
};

struct UpOptions {
  StoreOptions store;
  CacheOptions cache;  // etcd_servers is empty: the store is in this process
};

struct LoadOptions {
  LogOptions log;
  std::vector<Address> etcd_servers;
  TlsFiles etcd_tls;
  std::string etcd_prefix;
  std::vector<Resource> resources;  // every kind that a manifest may name
  std::vector<std::string> files;   // manifests; "-" is stdin
  int64_t pods = 0;
  int64_t nodes = 0;
  int64_t size_bytes = 0;
  int64_t seed = 0;
};

// A command line, read: either the text that --help wants, or options.
template <typename Options>
struct Invocation {
  std::string help;  // not empty: print it and do nothing else
  Options options;
};

absl::StatusOr<Invocation<StoreOptions>> ParseStore(const std::vector<std::string>& arguments,
                                                    const Environment& environment);
absl::StatusOr<Invocation<CacheOptions>> ParseCache(const std::vector<std::string>& arguments,
                                                    const Environment& environment);
absl::StatusOr<Invocation<UpOptions>> ParseUp(const std::vector<std::string>& arguments,
                                              const Environment& environment);
absl::StatusOr<Invocation<LoadOptions>> ParseLoad(const std::vector<std::string>& arguments,
                                                  const Environment& environment);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_OPTIONS_H_
