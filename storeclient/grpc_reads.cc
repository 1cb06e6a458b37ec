#include "storeclient/grpc_reads.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "storeclient/store_errors.h"

namespace tidemark::storeclient {

struct GrpcReads::Pending {
  const char* method;
  std::string request;
  absl::Time deadline;
  Callback done;
  // Changed by one attempt after the other, never by two.
  size_t endpoint = 0;
  size_t failed = 0;               // endpoints, in this round
  std::shared_ptr<GrpcCall> call;  // guarded by GrpcReads::mu_
};

GrpcReads::GrpcReads(GrpcLoop* loop, const Endpoints* endpoints, Purpose purpose,
                     metrics::StoreClientMetrics::Operation metrics)
    : loop_(loop), endpoints_(endpoints), purpose_(purpose), metrics_(metrics) {}

GrpcReads::~GrpcReads() { Stop(); }

void GrpcReads::Read(const char* method, std::string request, absl::Time deadline, Callback done) {
  auto read = std::make_shared<Pending>();
  read->method = method;
  read->request = std::move(request);
  read->deadline = deadline;
  read->done = std::move(done);
  {
    MutexLock lock(&mu_);
    read->endpoint = preferred_;
    pending_.insert(read);
  }
  Attempt(read);
}

absl::Time GrpcReads::AttemptDeadline(const Pending& read) const {
  const absl::Time now = loop_->clock().Now();
  const absl::Duration left = read.deadline - now;
  const int64_t untried = static_cast<int64_t>(endpoints_->size() - read.failed);
  const absl::Duration share = std::clamp(left / untried, kAttemptMin, kAttemptMax);
  // gRPC's deadlines are of the machine's clock; only the distance counts.
  return absl::Now() + std::min(share, left);
}

void GrpcReads::Attempt(const PendingPtr& read) {
  const absl::Time now = loop_->clock().Now();
  const Endpoint& endpoint = (*endpoints_)[read->endpoint];
  const GrpcCallOptions options{.loop = loop_, .channel = endpoint.*purpose_, .endpoint = endpoint.name,
                                .method = read->method, .deadline = AttemptDeadline(*read)};
  absl::Status refused;
  {
    MutexLock lock(&mu_);
    if (stopping_) {
      refused = MakeError(ErrorKind::kStopped, "the client is shutting down");
    } else if (now >= read->deadline) {
      refused = MakeError(ErrorKind::kStoreUnavailable, "no endpoint answered before the deadline");
    } else {
      metrics_.requests.Increment();
      read->call = GrpcCall::Start(options, read->request, [this, read, now](const absl::Status& status, absl::string_view bytes) {
        OnAnswer(read, now, status, bytes);
      });
      return;
    }
  }
  loop_->Post([this, read, refused] { End(read, refused, ""); });
}

void GrpcReads::OnAnswer(const PendingPtr& read, absl::Time begun, const absl::Status& status, absl::string_view bytes) {
  const absl::Time now = loop_->clock().Now();
  bool stopping;
  {
    MutexLock lock(&mu_);
    metrics_.duration.Observe(now - begun);
    if (!status.ok()) metrics_.errors.Increment();
    if (status.ok()) preferred_ = read->endpoint;
    stopping = stopping_;
    read->call = nullptr;
  }
  if (!IsWorthRetrying(status)) return End(read, status, bytes);
  if (stopping) return End(read, MakeError(ErrorKind::kStopped, "the client is shutting down"), "");
  if (now >= read->deadline) return End(read, status, "");
  read->endpoint = (read->endpoint + 1) % endpoints_->size();
  if (++read->failed < endpoints_->size()) return Attempt(read);
  read->failed = 0;
  if (now + kRoundPause >= read->deadline) return End(read, status, "");
  loop_->PostAt(now + kRoundPause, [this, read] { Attempt(read); });
}

void GrpcReads::End(const PendingPtr& read, const absl::Status& status, absl::string_view bytes) {
  read->done(status, bytes);
  read->done = nullptr;
  MutexLock lock(&mu_);
  pending_.erase(read);
  if (pending_.empty()) ended_.SignalAll();
}

void GrpcReads::Stop() {
  MutexLock lock(&mu_);
  stopping_ = true;
  for (const PendingPtr& read : pending_) {
    if (read->call != nullptr) read->call->Cancel();
  }
  // Those between two attempts see `stopping_` at the next one, a kRoundPause away.
  while (!pending_.empty()) ended_.Wait(&mu_);
}

}  // namespace tidemark::storeclient
