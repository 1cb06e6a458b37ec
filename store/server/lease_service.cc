#include "store/server/lease_service.h"

#include <optional>
#include <random>
#include <string>
#include <utility>

#include "absl/functional/bind_front.h"
#include "base/status.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/lessor.h"
#include "store/server/answer.h"
#include "store/server/kv_service.h"
#include "store/server/quota.h"

namespace tidemark::store {
namespace {

// Positive, and unlikely to be in use: the log refuses one that is.
int64_t PickLeaseId() {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  return std::uniform_int_distribution<int64_t>(1, INT64_MAX)(random);
}

// Each renewal is answered before the next is read, so that a stream never holds more than one.
class KeepAliveSession : public StreamSession {
 public:
  KeepAliveSession(const ServiceParts& parts, std::shared_ptr<StreamCall> call)
      : parts_(parts), call_(std::move(call)) {
    call_->Read();
  }

  void OnMessage(absl::string_view bytes) override {
    etcdserverpb::LeaseKeepAliveRequest request;
    if (const absl::Status status = ParseRequest(bytes, &request); !status.ok()) {
      call_->Finish(status);
      return;
    }
    etcdserverpb::LeaseKeepAliveResponse response;
    // Before the renewal: the revision is a lower bound (etcd).
    parts_.header->Fill(parts_.state->store().current_revision(), response.mutable_header());
    response.set_id(request.id());
    const absl::StatusOr<int64_t> ttl = parts_.state->lessor().KeepAlive(request.id());
    response.set_ttl(ttl.ok() ? *ttl : 0);
    call_->Write(response.SerializeAsString());
  }
  void OnHalfClosed() override { call_->Finish(absl::OkStatus()); }
  void OnWritten() override { call_->Read(); }
  void OnClosed() override {}

 private:
  const ServiceParts& parts_;
  const std::shared_ptr<StreamCall> call_;
};

}  // namespace

void LeaseService::AddTo(MethodTable* methods) {
  methods->AddUnary("/etcdserverpb.Lease/LeaseGrant", kFewCalls, absl::bind_front(&LeaseService::Grant, this));
  methods->AddUnary("/etcdserverpb.Lease/LeaseRevoke", kFewCalls, absl::bind_front(&LeaseService::Revoke, this));
  methods->AddUnary("/etcdserverpb.Lease/LeaseTimeToLive", kFewCalls,
                    absl::bind_front(&LeaseService::TimeToLive, this));
  methods->AddUnary("/etcdserverpb.Lease/LeaseLeases", kFewCalls, absl::bind_front(&LeaseService::Leases, this));
  methods->AddStream("/etcdserverpb.Lease/LeaseKeepAlive", absl::bind_front(&LeaseService::KeepAlive, this));
}

void LeaseService::Grant(absl::string_view bytes, Reply reply) {
  mvcc::Command command;
  auto& request = command.request.emplace<etcdserverpb::LeaseGrantRequest>();
  absl::Status status = ParseRequest(bytes, &request);
  if (status.ok()) status = parts_.quota->Admit(kLeaseCost);
  if (!status.ok()) return reply.Fail(status);
  // Chosen here, so that every member and every replay grants the same lease.
  while (request.id() == 0) request.set_id(PickLeaseId());
  parts_.proposer->Propose(std::move(command), [header = parts_.header, reply = std::move(reply)](auto result) mutable {
    Answer(std::move(result), *header, std::move(reply));
  });
}

void LeaseService::Revoke(absl::string_view bytes, Reply reply) {
  mvcc::Command command;
  const absl::Status status = ParseRequest(bytes, &command.request.emplace<etcdserverpb::LeaseRevokeRequest>());
  if (!status.ok()) return reply.Fail(status);
  parts_.proposer->Propose(std::move(command), [header = parts_.header, reply = std::move(reply)](auto result) mutable {
    Answer(std::move(result), *header, std::move(reply));
  });
}

void LeaseService::TimeToLive(absl::string_view bytes, Reply reply) {
  etcdserverpb::LeaseTimeToLiveRequest request;
  const absl::Status status = ParseRequest(bytes, &request);
  if (!status.ok()) return reply.Fail(status);
  ReadLinearizably(
      parts_, request.keys(),
      [this, id = request.id(), keys = request.keys(), reply = std::move(reply)](absl::Status ready) mutable {
        if (!ready.ok()) return reply.Fail(ready);
        etcdserverpb::LeaseTimeToLiveResponse response;
        response.set_id(id);
        response.set_ttl(-1);
        const auto info = parts_.state->lessor().TimeToLive(id, keys);
        if (info.has_value()) {
          response.set_ttl(info->remaining_ttl_seconds);
          response.set_grantedttl(info->granted_ttl_seconds);
          for (const std::string& key : info->keys) response.add_keys(key);
        }
        AnswerAt(parts_.state->store().current_revision(), *parts_.header, std::move(response), std::move(reply));
      });
}

void LeaseService::Leases(absl::string_view bytes, Reply reply) {
  etcdserverpb::LeaseLeasesRequest request;
  const absl::Status status = ParseRequest(bytes, &request);
  if (!status.ok()) return reply.Fail(status);
  ReadLinearizably(parts_, /*long_running=*/true, [this, reply = std::move(reply)](absl::Status ready) mutable {
    if (!ready.ok()) return reply.Fail(ready);
    etcdserverpb::LeaseLeasesResponse response;
    for (const int64_t id : parts_.state->lessor().Leases()) response.add_leases()->set_id(id);
    AnswerAt(parts_.state->store().current_revision(), *parts_.header, std::move(response), std::move(reply));
  });
}

std::shared_ptr<StreamSession> LeaseService::KeepAlive(std::shared_ptr<StreamCall> call) {
  return std::make_shared<KeepAliveSession>(parts_, std::move(call));
}

}  // namespace tidemark::store
