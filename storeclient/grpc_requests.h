// GrpcRequests makes unary calls of one kind over all endpoints: a call that fails because of its endpoint is made again on the
// next one, until one answers or the deadline passes. So a call must do no harm when it is made twice.
//
// Thread-safety: thread-safe. Callbacks run on the loop's thread.
// Ownership:     the loop and the endpoints outlive it; Stop comes before their end.
// Errors:        kStoreUnavailable when no endpoint answered in time; kStopped; what an endpoint decided is passed on.
#ifndef TIDEMARK_STORECLIENT_GRPC_REQUESTS_H_
#define TIDEMARK_STORECLIENT_GRPC_REQUESTS_H_

#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "metrics/store_client_metrics.h"
#include "storeclient/endpoints.h"
#include "storeclient/grpc_call.h"
#include "storeclient/grpc_loop.h"

namespace tidemark::storeclient {

class GrpcRequests {
 public:
  using Callback = absl::AnyInvocable<void(const absl::Status&, absl::string_view)>;
  using Purpose = std::shared_ptr<grpc::Channel> Endpoint::*;

  // One attempt takes a fair share of the time that is left, but not less: an endpoint under load is not a dead one.
  static constexpr absl::Duration kAttemptMin = absl::Milliseconds(500);
  // Nor more: a dead one must not take it all.
  static constexpr absl::Duration kAttemptMax = absl::Seconds(15);
  // After all endpoints have failed.
  static constexpr absl::Duration kRoundPause = absl::Milliseconds(50);

  GrpcRequests(GrpcLoop* loop, const Endpoints* endpoints, Purpose purpose,
               metrics::StoreClientMetrics::Operation metrics);
  ~GrpcRequests();

  void Send(const char* method, std::string bytes, absl::Time deadline, Callback done);
  // The same, not before a pause: short, since Stop waits for it.
  void SendAfter(absl::Duration pause, const char* method, std::string bytes, absl::Time deadline, Callback done);
  // Ends what is under way with kStopped, and waits for it. REQUIRES: not on the loop's thread.
  void Stop();

 private:
  struct Pending;
  using PendingPtr = std::shared_ptr<Pending>;

  void Attempt(const PendingPtr& request);
  void OnAnswer(const PendingPtr& request, absl::Time begun, const absl::Status& status, absl::string_view bytes);
  void End(const PendingPtr& request, const absl::Status& status, absl::string_view bytes);
  absl::Time AttemptDeadline(const Pending& request) const;

  GrpcLoop* const loop_;
  const Endpoints* const endpoints_;
  const Purpose purpose_;
  Mutex mu_;
  CondVar ended_;
  metrics::StoreClientMetrics::Operation metrics_;
  std::set<PendingPtr> pending_ ABSL_GUARDED_BY(mu_);
  size_t preferred_ ABSL_GUARDED_BY(mu_) = 0;  // the endpoint that answered last, and has not failed since
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_GRPC_REQUESTS_H_
