#include "config/store_flags.h"

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "config/text_file.h"

namespace tidemark::config {
namespace {

// etcd's default when the quota is given as 0.
constexpr int64_t kDefaultQuotaBytes = int64_t{2} << 30;
// The map of addresses that LMDB needs has to fit beside everything else.
constexpr int64_t kQuotaBytesMax = int64_t{1} << 40;
constexpr int64_t kStreamsMax = 0xffffffff;

// Accepted from etcd's command lines; each concerns peers, elections, log files or checks that
// one member does not have.
constexpr absl::string_view kIdleFlags[] = {"initial-cluster-token", "logger", "log-outputs", "metrics"};
// With etcd's defaults.
constexpr std::pair<absl::string_view, int64_t> kIdleNumbers[] = {
    {"snapshot-count", 10000},
    {"snapshot-catchup-entries", 5000},
    {"heartbeat-interval", 100},
    {"election-timeout", 1000},
    {"max-snapshots", 5},
    {"max-wals", 5},
    {"compaction-batch-limit", 1000},
};
constexpr absl::string_view kIdleHelp = "taken from etcd's command lines, without effect in one member";
constexpr absl::string_view kIdleSwitches[] = {"strict-reconfig-check", "pre-vote", "enable-pprof",
                                               "experimental-initial-corrupt-check"};

absl::StatusOr<std::vector<Address>> ReadUrls(absl::string_view flag, const std::vector<std::string>& texts) {
  absl::StatusOr<std::vector<Address>> urls = ParseUrls(texts);
  if (!urls.ok()) return FlagError(flag, urls.status().message());
  return urls;
}

absl::Status CheckReadable(absl::string_view flag, const std::string& path) {
  if (path.empty()) return absl::OkStatus();
  const absl::Status status = CheckReadableFile(path);
  return status.ok() ? status : FlagError(flag, status.message());
}

}  // namespace

absl::Status CheckTlsFiles(absl::string_view cert_flag, absl::string_view key_flag, absl::string_view ca_flag,
                           const TlsFiles& files) {
  if (files.cert_file.empty() != files.key_file.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--", cert_flag, " and --", key_flag, " go together"));
  }
  TM_RETURN_IF_ERROR(CheckReadable(cert_flag, files.cert_file));
  TM_RETURN_IF_ERROR(CheckReadable(key_flag, files.key_file));
  return CheckReadable(ca_flag, files.ca_file);
}

absl::Status CheckReach(absl::string_view flag, const Address& address, bool secured, bool allow_remote) {
  if (address.loopback() || secured || allow_remote) return absl::OkStatus();
  return FlagError(
      flag, absl::StrCat(address.ToString(), " can be reached by others, without ", address.tls() ? "" : "TLS or ",
                         "authentication; --", kAllowRemoteFlag, " accepts that"));
}

StoreFlags::StoreFlags(For command) : command_(command) {
  given_.data_dir = command == For::kUp ? "./tidemark-data" : "";
  listen_client_urls_ = {command == For::kUp ? "http://127.0.0.1:2379" : "http://localhost:2379"};
  initial_advertise_peer_urls_ = {"http://localhost:2380"};
  listen_peer_urls_ = initial_advertise_peer_urls_;
  given_.max_txn_ops = 128;
  given_.max_request_bytes = 1536 << 10;
  given_.max_concurrent_streams = kStreamsMax;
  given_.watch_progress_notify_interval = absl::Minutes(10);
}

void StoreFlags::Register(FlagSet* flags) {
  flags->String("name", &given_.name, "name of this member");
  flags->String(
      "data-dir", &given_.data_dir,
      command_ == For::kUp ? "directory of the store" : "directory of the store; NAME.etcd when it is not given");
  flags->List("listen-client-urls", &listen_client_urls_, "URLs to listen on for etcd clients");
  flags->List("advertise-client-urls", &advertise_client_urls_,
              "URLs that clients are told to use; those listened on when it is not given");
  flags->Bytes("quota-backend-bytes", &given_.quota_backend_bytes, 0, kQuotaBytesMax,
               "size at which the store refuses writes; 0 is 2GB");
  flags->Choice("auto-compaction-mode", &compaction_mode_, {"periodic", "revision"}, "what the retention counts");
  flags->String("auto-compaction-retention", &compaction_retention_,
                "how much history is kept: hours or a duration, or a number of revisions; 0 keeps all");
  flags->Int("max-txn-ops", &given_.max_txn_ops, 1, 1 << 20, "operations in one transaction");
  flags->Bytes("max-request-bytes", &given_.max_request_bytes, 1024, 64 << 20, "size of one request");
  flags->Int("max-concurrent-streams", &given_.max_concurrent_streams, 1, kStreamsMax,
             "streams of one client connection");
  flags->Duration("watch-progress-notify-interval", &given_.watch_progress_notify_interval, absl::Milliseconds(10),
                  absl::Hours(24), "how often a silent watch that asked for it is told the revision");
  flags->String("cert-file", &given_.client_tls.cert_file, "certificate for etcd clients (PEM)");
  flags->String("key-file", &given_.client_tls.key_file, "its private key (PEM)");
  flags->String("trusted-ca-file", &given_.client_tls.ca_file,
                "authority that signs the certificates of etcd clients (PEM)");
  flags->Bool("client-cert-auth", &given_.client_cert_auth, "refuse etcd clients without a certificate");
  if (command_ == For::kStore) RegisterEtcdOnly(flags);
}

void StoreFlags::RegisterEtcdOnly(FlagSet* flags) {
  flags->List("listen-peer-urls", &listen_peer_urls_, "URLs for other members; one member listens on none");
  flags->List("initial-advertise-peer-urls", &initial_advertise_peer_urls_, "URLs that identify this member");
  flags->String("initial-cluster", &initial_cluster_, "NAME=URL of every member: one");
  for (const absl::string_view name : kIdleFlags) {
    flags->String(name, &idle_, kIdleHelp);
    idle_names_.emplace_back(name);
  }
  for (const auto& [name, default_value] : kIdleNumbers) {
    idle_number_ = default_value;
    flags->Int(name, &idle_number_, 0, INT64_MAX, kIdleHelp);
    idle_names_.emplace_back(name);
  }
  flags->Choice("initial-cluster-state", &idle_state_, {"new", "existing"}, kIdleHelp);
  flags->Duration("warning-unary-request-duration", &idle_duration_, absl::ZeroDuration(), absl::Hours(24), kIdleHelp);
  idle_names_.insert(idle_names_.end(), {"initial-cluster-state", "warning-unary-request-duration"});
  for (const absl::string_view name : kIdleSwitches) {
    flags->Bool(name, &idle_bool_, kIdleHelp);
    idle_names_.emplace_back(name);
  }
}

absl::StatusOr<StoreOptions> StoreFlags::Read(const FlagSet& flags, bool allow_remote) const {
  StoreOptions options = given_;
  if (options.name.empty()) return FlagError("name", "it is empty");
  // etcd's rule for its default; `up` has one of its own, and an empty value is a mistake.
  if (options.data_dir.empty() && command_ == For::kUp) return FlagError("data-dir", "it is empty");
  if (options.data_dir.empty()) options.data_dir = absl::StrCat(options.name, ".etcd");
  if (options.quota_backend_bytes == 0) options.quota_backend_bytes = kDefaultQuotaBytes;
  TM_RETURN_IF_ERROR(ReadTls(&options));
  TM_RETURN_IF_ERROR(ReadAddresses(flags, allow_remote, &options));
  TM_RETURN_IF_ERROR(ReadCluster(&options));
  TM_RETURN_IF_ERROR(ReadCompaction(&options));
  for (const std::string& name : idle_names_) {
    if (flags.IsSet(name)) options.idle_flags.push_back(name);
  }
  return options;
}

absl::Status StoreFlags::ReadTls(StoreOptions* options) const {
  TM_RETURN_IF_ERROR(CheckTlsFiles("cert-file", "key-file", "trusted-ca-file", options->client_tls));
  // etcd: an authority alone asks for client certificates too.
  options->client_cert_auth = options->client_cert_auth || !options->client_tls.ca_file.empty();
  if (options->client_cert_auth && options->client_tls.ca_file.empty()) {
    return FlagError("client-cert-auth", "it needs --trusted-ca-file");
  }
  return absl::OkStatus();
}

absl::Status StoreFlags::ReadAddresses(const FlagSet& flags, bool allow_remote, StoreOptions* options) const {
  TM_ASSIGN_OR_RETURN(options->listen_client_urls, ReadUrls("listen-client-urls", listen_client_urls_));
  for (const Address& address : options->listen_client_urls) {
    if (address.tls() && options->client_tls.cert_file.empty()) {
      return FlagError("listen-client-urls", absl::StrCat(address.ToString(), " needs --cert-file and --key-file"));
    }
    const bool secured = address.tls() && options->client_cert_auth;
    TM_RETURN_IF_ERROR(CheckReach("listen-client-urls", address, secured, allow_remote));
  }
  options->advertise_client_urls = options->listen_client_urls;
  if (flags.IsSet("advertise-client-urls")) {
    TM_ASSIGN_OR_RETURN(options->advertise_client_urls, ReadUrls("advertise-client-urls", advertise_client_urls_));
  }
  TM_ASSIGN_OR_RETURN(options->initial_advertise_peer_urls,
                      ReadUrls("initial-advertise-peer-urls", initial_advertise_peer_urls_));
  return ReadUrls("listen-peer-urls", listen_peer_urls_).status();
}

absl::Status StoreFlags::ReadCluster(StoreOptions* options) const {
  std::set<std::string> members;
  for (const absl::string_view entry : absl::StrSplit(initial_cluster_, ',', absl::SkipWhitespace())) {
    const std::pair<std::string, std::string> member = absl::StrSplit(entry, absl::MaxSplits('=', 1));
    if (member.first.empty() || !ParseUrl(member.second).ok()) {
      return FlagError("initial-cluster", absl::StrCat("\"", entry, "\" is not NAME=URL"));
    }
    members.insert(member.first);
  }
  if (members.size() > 1) {
    return FlagError("initial-cluster", absl::StrCat("it names ", members.size(), " members; this store runs as one"));
  }
  if (!members.empty() && *members.begin() != options->name) {
    return FlagError("initial-cluster", absl::StrCat("it names ", *members.begin(), ", but --name is ", options->name));
  }
  return absl::OkStatus();
}

absl::Status StoreFlags::ReadCompaction(StoreOptions* options) const {
  const absl::string_view text = compaction_retention_;
  int64_t number = 0;
  const bool plain = absl::SimpleAtoi(text, &number);
  if (plain && number == 0) return absl::OkStatus();
  if (plain && number > 0 && compaction_mode_ == "revision") {
    options->compaction_mode = CompactionMode::kRevision;
    options->compaction_revisions = number;
    return absl::OkStatus();
  }
  absl::Duration period = absl::Hours(plain ? number : 0);
  if (compaction_mode_ == "revision" || (!plain && !absl::ParseDuration(text, &period)) ||
      period < absl::ZeroDuration()) {
    return FlagError("auto-compaction-retention",
                     absl::StrCat("\"", text, "\" cannot be read in mode ", compaction_mode_));
  }
  if (period == absl::ZeroDuration()) return absl::OkStatus();
  options->compaction_mode = CompactionMode::kPeriodic;
  options->compaction_period = period;
  return absl::OkStatus();
}

}  // namespace tidemark::config
