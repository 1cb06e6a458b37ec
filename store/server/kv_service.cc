#include "store/server/kv_service.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/functional/bind_front.h"
#include "base/status.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/request_check.h"
#include "store/server/answer.h"
#include "store/server/quota.h"

namespace tidemark::store {
namespace {

using etcdserverpb::CompactionRequest;
using etcdserverpb::DeleteRangeRequest;
using etcdserverpb::PutRequest;
using etcdserverpb::RangeRequest;
using etcdserverpb::TxnRequest;

bool IsSingleKey(const RangeRequest& request) { return request.range_end().empty(); }

// A read-only transaction of single keys only.
bool ReadsSingleKeys(const TxnRequest& request) {
  for (const auto* branch : {&request.success(), &request.failure()}) {
    for (const auto& operation : *branch) {
      if (!IsSingleKey(operation.request_range())) return false;
    }
  }
  for (const auto& compare : request.compare()) {
    if (!compare.range_end().empty()) return false;
  }
  return true;
}

absl::Status Overloaded() { return mvcc::StoreStatus(mvcc::StoreError::kTooManyRequests); }

}  // namespace

void ReadSerializably(const ServiceParts& parts, bool long_running, ReadTask read) {
  if (!long_running) {
    read(absl::OkStatus());
    return;
  }
  auto shared = std::make_shared<ReadTask>(std::move(read));
  if (!parts.read_pool->Post([shared] { (*shared)(absl::OkStatus()); })) (*shared)(Overloaded());
}

void ReadLinearizably(const ServiceParts& parts, bool long_running, ReadTask read) {
  if (parts.state->alarms().IsActive(mvcc::AlarmKind::kCorrupt)) {
    read(mvcc::StoreStatus(mvcc::StoreError::kCorrupt));
    return;
  }
  parts.log->ReadBarrier([&parts, long_running, read = std::move(read)](absl::Status status) mutable {
    if (!status.ok()) {
      read(status);
    } else {
      ReadSerializably(parts, long_running, std::move(read));
    }
  });
}

void KvService::AddTo(MethodTable* methods) {
  methods->AddUnary("/etcdserverpb.KV/Range", kManyCalls, absl::bind_front(&KvService::Range, this));
  methods->AddUnary("/etcdserverpb.KV/Put", kManyCalls, absl::bind_front(&KvService::Put, this));
  methods->AddUnary("/etcdserverpb.KV/DeleteRange", kManyCalls, absl::bind_front(&KvService::DeleteRange, this));
  methods->AddUnary("/etcdserverpb.KV/Txn", kManyCalls, absl::bind_front(&KvService::Txn, this));
  methods->AddUnary("/etcdserverpb.KV/Compact", kFewCalls, absl::bind_front(&KvService::Compact, this));
}

void KvService::Range(absl::string_view bytes, Reply reply) {
  RangeRequest request;
  absl::Status status = ParseRequest(bytes, &request);
  if (status.ok()) status = mvcc::CheckRange(request);
  if (!status.ok()) return reply.Fail(status);
  parts_.metrics->ranges.Increment();
  const bool long_running = !IsSingleKey(request);
  const auto read = request.serializable() ? ReadSerializably : ReadLinearizably;
  read(parts_, long_running,
       [this, request = std::move(request), reply = std::move(reply)](const absl::Status& ready) mutable {
         if (!ready.ok()) return reply.Fail(ready);
         AnswerRange(request, std::move(reply));
       });
}

void KvService::AnswerRange(const RangeRequest& request, Reply reply) {
  std::string body;
  const absl::StatusOr<Revision> revision = parts_.state->store().RangeEncoded(request, &body);
  if (!revision.ok()) return reply.Fail(revision.status());
  reply.Send(parts_.header->Encode(*revision), std::move(body));
}

void KvService::Put(absl::string_view bytes, Reply reply) {
  mvcc::Command command;
  auto& request = command.request.emplace<PutRequest>();
  absl::Status status = ParseRequest(bytes, &request);
  if (status.ok()) status = mvcc::CheckPut(request);
  if (status.ok()) status = parts_.quota->Admit(CostOf(request));
  if (!status.ok()) return reply.Fail(status);
  parts_.metrics->puts.Increment();
  ProposeAndAnswer(std::move(command), bytes, std::move(reply));
}

void KvService::DeleteRange(absl::string_view bytes, Reply reply) {
  mvcc::Command command;
  auto& request = command.request.emplace<DeleteRangeRequest>();
  absl::Status status = ParseRequest(bytes, &request);
  if (status.ok()) status = mvcc::CheckDeleteRange(request);
  if (!status.ok()) return reply.Fail(status);
  parts_.metrics->deletes.Increment();
  ProposeAndAnswer(std::move(command), bytes, std::move(reply));
}

void KvService::Txn(absl::string_view bytes, Reply reply) {
  mvcc::Command command;
  auto& request = command.request.emplace<TxnRequest>();
  absl::Status status = ParseRequest(bytes, &request);
  if (status.ok()) status = mvcc::CheckTxn(request, parts_.txn_ops_max);
  if (!status.ok()) return reply.Fail(status);
  if (mvcc::IsReadOnly(request)) return ReadOnlyTxn(std::move(request), std::move(reply));
  status = parts_.quota->Admit(CostOf(request));
  if (!status.ok()) return reply.Fail(status);
  parts_.metrics->txns.Increment();
  ProposeAndAnswer(std::move(command), bytes, std::move(reply));
}

void KvService::ReadOnlyTxn(TxnRequest request, Reply reply) {
  const bool long_running = !ReadsSingleKeys(request);
  const auto read = mvcc::IsSerializable(request) ? ReadSerializably : ReadLinearizably;
  read(parts_, long_running,
       [this, request = std::move(request), reply = std::move(reply)](const absl::Status& ready) mutable {
         if (!ready.ok()) return reply.Fail(ready);
         etcdserverpb::TxnResponse response;
         const absl::Status done = parts_.state->ReadTxn(request, &response);
         if (!done.ok()) return reply.Fail(done);
         const Revision revision(response.header().revision());
         AnswerAt(revision, *parts_.header, std::move(response), std::move(reply));
       });
}

void KvService::Compact(absl::string_view bytes, Reply reply) {
  mvcc::Command command;
  auto& request = command.request.emplace<CompactionRequest>();
  const absl::Status status = ParseRequest(bytes, &request);
  if (!status.ok()) return reply.Fail(status);
  const Revision revision(request.revision());
  const bool physical = request.physical();
  parts_.proposer->Propose(
      std::move(command), [this, revision, physical, reply = std::move(reply)](mvcc::CommandResult result) mutable {
        if (!physical || !result.status.ok()) return Answer(std::move(result), *parts_.header, std::move(reply));
        compactor_->WhenDone(revision, [this, result = std::move(result), reply = std::move(reply)]() mutable {
          Answer(std::move(result), *parts_.header, std::move(reply));
        });
      });
}

void KvService::ProposeAndAnswer(mvcc::Command command, absl::string_view bytes, Reply reply) {
  if (static_cast<int64_t>(bytes.size()) > parts_.request_bytes_max) {
    return reply.Fail(mvcc::StoreStatus(mvcc::StoreError::kRequestTooLarge));
  }
  std::string encoded = EncodedCommand(command, bytes);
  parts_.proposer->Propose(std::move(command), std::move(encoded),
                           [header = parts_.header, reply = std::move(reply)](mvcc::CommandResult result) mutable {
                             Answer(std::move(result), *header, std::move(reply));
                           });
}

}  // namespace tidemark::store
