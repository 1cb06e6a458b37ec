#include "storeclient/endpoints.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace tidemark::storeclient {
namespace {

// Twice etcd's shortest permitted interval (5 s): a dead connection is found within kKeepaliveTime + kKeepaliveTimeout.
constexpr int kKeepaliveTimeMs = 10'000;
constexpr int kKeepaliveTimeoutMs = 5'000;
// A restarted member is found again soon; gRPC's own limit is two minutes.
constexpr int kReconnectFirstMs = 100;
constexpr int kReconnectMaxMs = 2'000;
// Of one attempt to connect, TLS included.
constexpr int kConnectTimeoutMs = 5'000;

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  // A page of a list, or the events of one transaction, may have any size; etcd bounds a message by 2 GB.
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectFirstMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kReconnectMaxMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectTimeoutMs);
  // Channels of the same address would share a connection otherwise.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Retries are GrpcRequests' and Follower's: they go on with the next endpoint.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_CENSUS, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);
  return arguments;
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return absl::InvalidArgumentError(absl::StrCat("cannot read ", path));
  return text.str();
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> TlsCredentials(const StoreAddress& store) {
  if (store.cert_file.empty() != store.key_file.empty()) {
    return absl::InvalidArgumentError("a client certificate needs its key, and a key its certificate");
  }
  grpc::SslCredentialsOptions options;
  if (!store.ca_file.empty()) {
    TM_ASSIGN_OR_RETURN(options.pem_root_certs, ReadFile(store.ca_file));
  }
  if (!store.cert_file.empty()) {
    TM_ASSIGN_OR_RETURN(options.pem_cert_chain, ReadFile(store.cert_file));
    TM_ASSIGN_OR_RETURN(options.pem_private_key, ReadFile(store.key_file));
  }
  return grpc::SslCredentials(options);
}

absl::StatusOr<Endpoint> MakeEndpoint(const std::string& url, const StoreAddress& store) {
  absl::string_view address = url;
  const bool secure = absl::ConsumePrefix(&address, "https://");
  if (!secure) absl::ConsumePrefix(&address, "http://");
  absl::ConsumeSuffix(&address, "/");
  if (address.empty() || absl::StrContains(address, "/")) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", url, "\" is no address of a store: http://host:port is expected"));
  }
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (secure) {
    TM_ASSIGN_OR_RETURN(credentials, TlsCredentials(store));
  }
  const auto connect = [&] { return grpc::CreateCustomChannel(std::string(address), credentials, Arguments()); };
  return Endpoint{.name = url, .watch = connect(), .bulk = connect(), .revision = connect()};
}

}  // namespace

absl::StatusOr<Endpoints> MakeEndpoints(const StoreAddress& store) {
  if (store.channel != nullptr) {
    return Endpoints{{.name = "in-process", .watch = store.channel, .bulk = store.channel, .revision = store.channel}};
  }
  if (store.endpoints.empty()) return absl::InvalidArgumentError("a store needs an address");
  Endpoints endpoints;
  for (const std::string& url : store.endpoints) {
    TM_ASSIGN_OR_RETURN(Endpoint endpoint, MakeEndpoint(url, store));
    endpoints.push_back(std::move(endpoint));
  }
  return endpoints;
}

}  // namespace tidemark::storeclient
