#include "config/options.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "config/cache_flags.h"
#include "config/store_flags.h"
#include "config/text_file.h"

namespace tidemark::config {
namespace {

// A manifest or a made object is at most what a store takes in one request.
constexpr int64_t kObjectBytesMax = 1 << 20;
constexpr int64_t kObjectsMax = 10'000'000;

class LogFlags {
 public:
  explicit LogFlags(absl::string_view format) : format_(format) {}

  // etcd's words are accepted too.
  void Register(FlagSet* flags) {
    flags->Choice("log-format", &format_, {"text", "json", "console"}, "form of the log on stderr");
    flags->Choice("log-level", &level_, {"debug", "info", "warn", "error", "dpanic", "panic", "fatal"},
                  "lowest level that is logged");
  }
  LogOptions Read() const {
    LogOptions options;
    options.format = format_ == "json" ? LogFormat::kJson : LogFormat::kText;
    options.level = level_ == "debug"  ? LogLevel::kDebug
                    : level_ == "info" ? LogLevel::kInfo
                    : level_ == "warn" ? LogLevel::kWarning
                                       : LogLevel::kError;
    return options;
  }

 private:
  std::string format_;
  std::string level_ = "info";
};

void RegisterAllowRemote(FlagSet* flags, bool* allow) {
  flags->Bool(kAllowRemoteFlag, allow,
              "listen beyond this machine although anybody who reaches the port can then read or write everything");
}

absl::Status CheckDataDir(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0 || ::access(path.c_str(), R_OK | W_OK | X_OK) == 0) return absl::OkStatus();
  return FlagError("data-dir", absl::StrCat("cannot use ", path));
}

}  // namespace

absl::StatusOr<Invocation<StoreOptions>> ParseStore(const std::vector<std::string>& arguments,
                                                    const Environment& environment) {
  FlagSet flags("store", "one member of the bundled store, which speaks etcd v3");
  flags.AlsoEnvironment("ETCD_");
  StoreFlags store(StoreFlags::For::kStore);
  LogFlags log("json");
  bool allow_remote = false;
  store.Register(&flags);
  log.Register(&flags);
  RegisterAllowRemote(&flags, &allow_remote);
  TM_RETURN_IF_ERROR(flags.Parse(arguments, environment));
  Invocation<StoreOptions> invocation;
  if (flags.help_requested()) return invocation.help = flags.Help(), invocation;
  TM_ASSIGN_OR_RETURN(invocation.options, store.Read(flags, allow_remote));
  TM_RETURN_IF_ERROR(CheckDataDir(invocation.options.data_dir));
  invocation.options.log = log.Read();
  return invocation;
}

absl::StatusOr<Invocation<CacheOptions>> ParseCache(const std::vector<std::string>& arguments,
                                                    const Environment& environment) {
  FlagSet flags("cache", "the sidecar: mirrors a store and answers LIST, GET and WATCH");
  ClientFlags client;
  CacheFlags cache({"*", "-secrets"});
  LogFlags log("text");
  bool allow_remote = false;
  client.Register(&flags);
  cache.Register(&flags);
  log.Register(&flags);
  RegisterAllowRemote(&flags, &allow_remote);
  TM_RETURN_IF_ERROR(flags.Parse(arguments, environment));
  Invocation<CacheOptions> invocation;
  if (flags.help_requested()) return invocation.help = flags.Help(), invocation;
  TM_ASSIGN_OR_RETURN(invocation.options, cache.Read(allow_remote));
  TM_RETURN_IF_ERROR(client.Read(&invocation.options.etcd_servers, &invocation.options.etcd_tls));
  invocation.options.log = log.Read();
  return invocation;
}

absl::StatusOr<Invocation<UpOptions>> ParseUp(const std::vector<std::string>& arguments,
                                              const Environment& environment) {
  FlagSet flags("up", "store and cache in one process");
  StoreFlags store(StoreFlags::For::kUp);
  CacheFlags cache({"*"});
  LogFlags log("text");
  bool allow_remote = false;
  store.Register(&flags);
  cache.Register(&flags);
  log.Register(&flags);
  RegisterAllowRemote(&flags, &allow_remote);
  TM_RETURN_IF_ERROR(flags.Parse(arguments, environment));
  Invocation<UpOptions> invocation;
  if (flags.help_requested()) return invocation.help = flags.Help(), invocation;
  TM_ASSIGN_OR_RETURN(invocation.options.store, store.Read(flags, allow_remote));
  TM_ASSIGN_OR_RETURN(invocation.options.cache, cache.Read(allow_remote));
  TM_RETURN_IF_ERROR(CheckDataDir(invocation.options.store.data_dir));
  invocation.options.store.log = invocation.options.cache.log = log.Read();
  return invocation;
}

absl::StatusOr<Invocation<LoadOptions>> ParseLoad(const std::vector<std::string>& arguments,
                                                  const Environment& environment) {
  FlagSet flags("load", "writes manifests, or made pods and nodes, into a store");
  Invocation<LoadOptions> invocation;
  LoadOptions& options = invocation.options;
  options.size_bytes = 1000;
  options.seed = 1;
  ClientFlags client;
  LogFlags log("text");
  std::string prefix = "/registry";
  std::string definitions;
  flags.Positional("[FILE...]", &options.files);
  client.Register(&flags);
  flags.String("etcd-prefix", &prefix, "path under which the objects lie in the store");
  flags.String("resource-definitions", &definitions, "JSON file with more resources that a manifest may name");
  flags.Int("pods", &options.pods, 0, kObjectsMax, "pods to make");
  flags.Int("nodes", &options.nodes, 0, kObjectsMax, "nodes to make, and to spread the pods over");
  flags.Bytes("size", &options.size_bytes, 0, kObjectBytesMax, "bytes to fill each made pod up to");
  flags.Int("seed", &options.seed, 0, INT64_MAX, "the same seed makes the same objects");
  log.Register(&flags);
  TM_RETURN_IF_ERROR(flags.Parse(arguments, environment));
  if (flags.help_requested()) return invocation.help = flags.Help(), invocation;
  if (options.files.empty() && options.pods == 0 && options.nodes == 0) {
    return absl::InvalidArgumentError("nothing to load: files, --pods or --nodes are wanted");
  }
  for (const std::string& file : options.files) {
    if (file != "-") TM_RETURN_IF_ERROR(CheckReadableFile(file));
  }
  TM_ASSIGN_OR_RETURN(options.etcd_prefix, ReadPrefix(prefix));
  TM_RETURN_IF_ERROR(client.Read(&options.etcd_servers, &options.etcd_tls));
  TM_ASSIGN_OR_RETURN(options.resources, ReadResourceTable(definitions));
  options.log = log.Read();
  return invocation;
}

}  // namespace tidemark::config
