// GrpcStoreClient is the StoreClient of a real store: an etcd cluster, the bundled store, or the one in this process.
//
//   auto client = GrpcStoreClient::Create({.store = {.endpoints = {"http://127.0.0.1:2379"}}});
//   if ((*client)->CheckVersions(clock.Now() + absl::Seconds(10)).outcome == GuardOutcome::kRefused) return 3;
//   auto follow = (*client)->Follow({.prefix = "/registry/pods/", .name = "pods"}, &observer);
//
// Threads (all joined by the destructor):
//   store-watch-N    pages and events of the Follows, and the calls of their observers; each Follow keeps to one
//   store-revision   reads of the revision and their callbacks
//   store-range      other ranges and their callbacks
//
// Thread-safety: thread-safe.
// Ownership:     owns connections and threads. Handles are destroyed before it. Reads under way end with kStopped.
// Errors:        as in store_client.h; kRewound from a revision read while a Follow still holds what a restored store no
//                longer has.
// Cost:          three connections per endpoint that is used.
#ifndef TIDEMARK_STORECLIENT_GRPC_STORE_CLIENT_H_
#define TIDEMARK_STORECLIENT_GRPC_STORE_CLIENT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "metrics/store_client_metrics.h"
#include "storeclient/store_address.h"
#include "storeclient/store_client.h"
#include "storeclient/version_guard.h"

namespace tidemark::storeclient {

struct GrpcStoreClientOptions {
  StoreAddress store;
  GuardMode guard_mode = GuardMode::kAuto;
  // Read for the store's revision; needs not exist. A store with authorisation must let us read it.
  std::string revision_key = "/registry/";
  // Follows are shared out over them.
  int watch_threads = 2;
  // Their registry outlives the client, which counts to its end.
  metrics::StoreClientMetrics metrics;
};

class GrpcStoreClient : public StoreClient {
 public:
  // InvalidArgument for a wrong address or TLS file. Connects to nobody yet.
  static absl::StatusOr<std::unique_ptr<GrpcStoreClient>> Create(const GrpcStoreClientOptions& options);
  ~GrpcStoreClient() override;
  GrpcStoreClient(const GrpcStoreClient&) = delete;
  GrpcStoreClient& operator=(const GrpcStoreClient&) = delete;

  // Asks every endpoint for its version, waits for the answers until `deadline`, decides and logs. With guard mode off nobody is
  // asked. Call it before the first Follow.
  GuardDecision CheckVersions(absl::Time deadline);

  void ReadRevision(absl::Time deadline, RevisionCallback done) override;
  void Range(const RangeRequest& request, absl::Time deadline, RangeCallback done) override;
  std::unique_ptr<FollowHandle> Follow(FollowOptions options, FollowObserver* observer) override;
  bool ProgressTrusted() const override;

 private:
  class Core;
  class Handle;

  explicit GrpcStoreClient(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_GRPC_STORE_CLIENT_H_
