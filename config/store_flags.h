// The flags of `tidemark store`, which are etcd's where etcd has one, and what they mean.
//
// Thread-safety: thread-compatible.
// Ownership:     outlives the FlagSet that it was registered with.
// Errors:        kInvalidArgument that names the flag.
// Source:        etcd 3.6's flags and defaults.
#ifndef TIDEMARK_CONFIG_STORE_FLAGS_H_
#define TIDEMARK_CONFIG_STORE_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "config/flags.h"
#include "config/options.h"

namespace tidemark::config {

class StoreFlags {
 public:
  // `store` alone also takes what etcd takes and one member has no use for.
  enum class For { kStore, kUp };

  explicit StoreFlags(For command);
  StoreFlags(const StoreFlags&) = delete;
  StoreFlags& operator=(const StoreFlags&) = delete;

  void Register(FlagSet* flags);
  // After flags.Parse(). Addresses beyond this machine need TLS or `allow_remote`. Does not set the log's options.
  absl::StatusOr<StoreOptions> Read(const FlagSet& flags, bool allow_remote) const;

 private:
  void RegisterEtcdOnly(FlagSet* flags);
  absl::Status ReadAddresses(const FlagSet& flags, bool allow_remote, StoreOptions* options) const;
  absl::Status ReadCluster(StoreOptions* options) const;
  absl::Status ReadCompaction(StoreOptions* options) const;
  absl::Status ReadTls(StoreOptions* options) const;

  const For command_;
  StoreOptions given_;  // the fields that need no reading
  std::vector<std::string> listen_client_urls_;
  std::vector<std::string> advertise_client_urls_;
  std::vector<std::string> listen_peer_urls_;
  std::vector<std::string> initial_advertise_peer_urls_;
  std::string initial_cluster_;
  std::string compaction_mode_ = "periodic";
  std::string compaction_retention_ = "0";
  // Targets of flags without effect in one member.
  std::vector<std::string> idle_names_;
  std::string idle_;
  std::string idle_state_ = "new";
  int64_t idle_number_ = 0;
  absl::Duration idle_duration_ = absl::Milliseconds(300);
  bool idle_bool_ = false;
};

// The key and the certificate of a listener or a client: both or neither, and files that can be read.
absl::Status CheckTlsFiles(absl::string_view cert_flag, absl::string_view key_flag, absl::string_view ca_flag,
                           const TlsFiles& files);
// OK when `address` stays on this machine, or `secured`, or `allow_remote`.
absl::Status CheckReach(absl::string_view flag, const Address& address, bool secured, bool allow_remote);

inline constexpr absl::string_view kAllowRemoteFlag = "allow-remote-access-without-tls-or-authentication";

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_STORE_FLAGS_H_
