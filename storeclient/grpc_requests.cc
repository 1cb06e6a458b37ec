#include "storeclient/grpc_requests.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "storeclient/store_errors.h"

namespace tidemark::storeclient {

struct GrpcRequests::Pending {
  const char* method;
  std::string bytes;
  absl::Time deadline;
  Callback done;
  // Changed by one attempt after the other, never by two.
  size_t endpoint = 0;
  size_t failed = 0;               // endpoints, in this round
  std::shared_ptr<GrpcCall> call;  // guarded by GrpcRequests::mu_
};

GrpcRequests::GrpcRequests(GrpcLoop* loop, const Endpoints* endpoints, Purpose purpose,
                           metrics::StoreClientMetrics::Operation metrics)
    : loop_(loop), endpoints_(endpoints), purpose_(purpose), metrics_(metrics) {}

GrpcRequests::~GrpcRequests() { Stop(); }

void GrpcRequests::Send(const char* method, std::string bytes, absl::Time deadline, Callback done) {
  SendAfter(absl::ZeroDuration(), method, std::move(bytes), deadline, std::move(done));
}

void GrpcRequests::SendAfter(absl::Duration pause, const char* method, std::string bytes, absl::Time deadline,
                             Callback done) {
  auto request = std::make_shared<Pending>();
  request->method = method;
  request->bytes = std::move(bytes);
  request->deadline = deadline;
  request->done = std::move(done);
  {
    MutexLock lock(&mu_);
    request->endpoint = preferred_;
    pending_.insert(request);
  }
  if (pause == absl::ZeroDuration()) return Attempt(request);
  // At the deadline it is refused.
  loop_->PostAt(std::min(loop_->clock().Now() + pause, deadline), [this, request] { Attempt(request); });
}

absl::Time GrpcRequests::AttemptDeadline(const Pending& request) const {
  const absl::Time now = loop_->clock().Now();
  const absl::Duration left = request.deadline - now;
  const int64_t untried = static_cast<int64_t>(endpoints_->size() - request.failed);
  const absl::Duration share = std::clamp(left / untried, kAttemptMin, kAttemptMax);
  // gRPC's deadlines are of the machine's clock; only the distance counts.
  return absl::Now() + std::min(share, left);
}

void GrpcRequests::Attempt(const PendingPtr& request) {
  const absl::Time now = loop_->clock().Now();
  const Endpoint& endpoint = (*endpoints_)[request->endpoint];
  const GrpcCallOptions options{.loop = loop_,
                                .channel = endpoint.*purpose_,
                                .endpoint = endpoint.name,
                                .method = request->method,
                                .deadline = AttemptDeadline(*request)};
  absl::Status refused;
  {
    MutexLock lock(&mu_);
    if (stopping_) {
      refused = MakeError(ErrorKind::kStopped, "the client is shutting down");
    } else if (now >= request->deadline) {
      refused = MakeError(ErrorKind::kStoreUnavailable, "no endpoint answered before the deadline");
    } else {
      metrics_.requests.Increment();
      request->call = GrpcCall::Start(options, request->bytes,
                                      [this, request, now](const absl::Status& status, absl::string_view bytes) {
                                        OnAnswer(request, now, status, bytes);
                                      });
      return;
    }
  }
  loop_->Post([this, request, refused] { End(request, refused, ""); });
}

void GrpcRequests::OnAnswer(const PendingPtr& request, absl::Time begun, const absl::Status& status,
                            absl::string_view bytes) {
  const absl::Time now = loop_->clock().Now();
  const size_t next = (request->endpoint + 1) % endpoints_->size();
  bool stopping;
  {
    MutexLock lock(&mu_);
    metrics_.duration.Observe(now - begun);
    if (!status.ok()) metrics_.errors.Increment();
    if (status.ok()) preferred_ = request->endpoint;
    // Even when no time is left for this call: the next one must not begin where this one failed.
    if (IsWorthRetrying(status) && preferred_ == request->endpoint) preferred_ = next;
    stopping = stopping_;
    request->call = nullptr;
  }
  if (!IsWorthRetrying(status)) return End(request, status, bytes);
  if (stopping) return End(request, MakeError(ErrorKind::kStopped, "the client is shutting down"), "");
  if (now >= request->deadline) return End(request, status, "");
  request->endpoint = next;
  if (++request->failed < endpoints_->size()) return Attempt(request);
  request->failed = 0;
  if (now + kRoundPause >= request->deadline) return End(request, status, "");
  loop_->PostAt(now + kRoundPause, [this, request] { Attempt(request); });
}

void GrpcRequests::End(const PendingPtr& request, const absl::Status& status, absl::string_view bytes) {
  request->done(status, bytes);
  request->done = nullptr;
  MutexLock lock(&mu_);
  pending_.erase(request);
  if (pending_.empty()) ended_.SignalAll();
}

void GrpcRequests::Stop() {
  MutexLock lock(&mu_);
  stopping_ = true;
  for (const PendingPtr& request : pending_) {
    if (request->call != nullptr) request->call->Cancel();
  }
  // Those that pause see `stopping_` at the next attempt: a kRoundPause away, or SendAfter's.
  while (!pending_.empty()) ended_.Wait(&mu_);
}

}  // namespace tidemark::storeclient
