#include "store/server/maintenance_service.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/functional/bind_front.h"
#include "absl/strings/str_cat.h"
#include "base/crc32c.h"
#include "proto/rpc.pb.h"
#include "store/server/answer.h"
#include "store/server/kv_service.h"
#include "store/server/member.h"
#include "store/server/quota.h"

namespace tidemark::store {
namespace {

std::string AlarmLine(const mvcc::Alarm& alarm) {
  return absl::StrCat("memberID:", alarm.member_id,
                      " alarm:", etcdserverpb::AlarmType_Name(static_cast<etcdserverpb::AlarmType>(alarm.kind)), " ");
}

}  // namespace

void MaintenanceService::AddTo(MethodTable* methods) {
  const auto add = [&](const char* name, auto method) {
    methods->AddUnary(absl::StrCat("/etcdserverpb.Maintenance/", name), kFewCalls, absl::bind_front(method, this));
  };
  add("Status", &MaintenanceService::Status);
  add("Alarm", &MaintenanceService::Alarm);
  add("Hash", &MaintenanceService::Hash);
  add("HashKV", &MaintenanceService::HashKv);
}

void MaintenanceService::Status(absl::string_view, Reply reply) {
  const raft::LogStatus log = parts_.log->Status();
  const kv::SizeFigures sizes = parts_.state->store().sizes();
  etcdserverpb::StatusResponse response;
  response.set_version(kApiVersion);
  response.set_storageversion(kApiVersion);
  response.set_dbsize(sizes.total_bytes);
  response.set_dbsizeinuse(sizes.in_use_bytes);
  response.set_dbsizequota(parts_.quota->limit_bytes());
  response.set_leader(log.leader_id);
  response.set_raftindex(log.committed.value());
  response.set_raftterm(log.term);
  response.set_raftappliedindex(log.applied.value());
  if (log.leader_id == 0) response.add_errors("etcdserver: no leader");
  if (!log.failure.ok()) response.add_errors(std::string(log.failure.message()));
  for (const mvcc::Alarm& alarm : parts_.state->alarms().List()) response.add_errors(AlarmLine(alarm));
  AnswerAt(parts_.state->store().current_revision(), *parts_.header, std::move(response), std::move(reply));
}

void MaintenanceService::Alarm(absl::string_view bytes, Reply reply) {
  mvcc::Command command;
  const absl::Status status = ParseRequest(bytes, &command.request.emplace<etcdserverpb::AlarmRequest>());
  if (!status.ok()) return reply.Fail(status);
  const bool disarms =
      std::get<etcdserverpb::AlarmRequest>(command.request).action() == etcdserverpb::AlarmRequest::DEACTIVATE;
  // Asking takes the same way as changing: the answer is the cluster's, not this member's (etcd).
  parts_.proposer->Propose(std::move(command), [this, disarms, reply = std::move(reply)](auto result) mutable {
    // Room was made before: the next write must not be measured by what was in use then.
    if (disarms && result.status.ok()) parts_.quota->Refresh();
    Answer(std::move(result), *parts_.header, std::move(reply));
  });
}

void MaintenanceService::Hash(absl::string_view, Reply reply) {
  ReadSerializably(parts_, /*long_running=*/true, [this, reply = std::move(reply)](absl::Status ready) mutable {
    if (ready.ok()) ready = parts_.state->Commit();
    if (!ready.ok()) return reply.Fail(ready);
    etcdserverpb::HashResponse response;
    response.set_hash(HashOfEngine());
    AnswerAt(parts_.state->store().current_revision(), *parts_.header, std::move(response), std::move(reply));
  });
}

uint32_t MaintenanceService::HashOfEngine() const {
  uint32_t hash = 0;
  for (const kv::Table table : kv::kTables) {
    hash = Crc32c(kv::TableName(table), hash);
    std::string from;
    bool more = true;
    while (more) {
      // A fresh snapshot for each portion: an old one would make the file grow.
      const std::unique_ptr<kv::KvSnapshot> snapshot = engine_->NewSnapshot();
      int left = kv::kSnapshotEntriesMax;
      more = false;
      snapshot->Scan(table, from, "", [&](absl::string_view key, absl::string_view value) {
        if (left-- == 0) {
          from = std::string(key);
          more = true;
          return false;
        }
        hash = Crc32c(value, Crc32c(key, hash));
        return true;
      });
    }
  }
  return hash;
}

void MaintenanceService::HashKv(absl::string_view bytes, Reply reply) {
  etcdserverpb::HashKVRequest request;
  const absl::Status status = ParseRequest(bytes, &request);
  if (!status.ok()) return reply.Fail(status);
  const Revision revision(request.revision());
  ReadSerializably(
      parts_, /*long_running=*/true, [this, revision, reply = std::move(reply)](absl::Status ready) mutable {
        if (!ready.ok()) return reply.Fail(ready);
        const absl::StatusOr<mvcc::KvHash> hash = parts_.state->store().HashKv(revision);
        if (!hash.ok()) return reply.Fail(hash.status());
        etcdserverpb::HashKVResponse response;
        response.set_hash(hash->hash);
        response.set_hash_revision(hash->revision.value());
        response.set_compact_revision(hash->compact_revision);
        AnswerAt(parts_.state->store().current_revision(), *parts_.header, std::move(response), std::move(reply));
      });
}

}  // namespace tidemark::store
