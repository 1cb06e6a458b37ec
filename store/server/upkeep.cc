#include "store/server/upkeep.h"

#include <utility>

#include "base/log.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/lessor.h"
#include "store/server/quota.h"

namespace tidemark::store {
namespace {

constexpr absl::Duration kFiguresInterval = absl::Seconds(1);

}  // namespace

void Upkeep::Start() {
  PostIn(mvcc::kExpiryTick, &Upkeep::ExpireLeases);
  PostIn(absl::ZeroDuration(), &Upkeep::ShowFigures);
  if (compaction_.has_value()) PostIn(compaction_->interval(), &Upkeep::CompactIfDue);
}

void Upkeep::PostIn(absl::Duration delay, void (Upkeep::*work)()) {
  executor_->PostAt(executor_->clock().Now() + delay, [this, work] { (this->*work)(); });
}

void Upkeep::ExpireLeases() {
  for (const int64_t id : parts_.state->lessor().TakeExpired(mvcc::kRevokesPerTickMax)) {
    mvcc::Command command;
    command.request.emplace<etcdserverpb::LeaseRevokeRequest>().set_id(id);
    parts_.proposer->Propose(std::move(command), [metrics = parts_.metrics](const mvcc::CommandResult& result) {
      // What was refused is named again by the lessor.
      if (result.status.ok()) metrics->leases_expired.Increment();
    });
  }
  PostIn(mvcc::kExpiryTick, &Upkeep::ExpireLeases);
}

void Upkeep::CompactIfDue() {
  const auto revision = compaction_->Tick(executor_->clock().Now(), parts_.state->store().current_revision());
  if (revision.has_value()) {
    mvcc::Command command;
    command.request.emplace<etcdserverpb::CompactionRequest>().set_revision(revision->value());
    parts_.proposer->Propose(std::move(command), [revision = *revision](const mvcc::CommandResult& result) {
      Log(result.status.ok() ? LogLevel::kInfo : LogLevel::kWarning, "automatic compaction",
          {{"revision", revision.value()}, {"result", result.status.ToString()}});
    });
  }
  PostIn(compaction_->interval(), &Upkeep::CompactIfDue);
}

void Upkeep::ShowFigures() {
  parts_.quota->Refresh();
  metrics::StoreMetrics& metrics = *parts_.metrics;
  const raft::LogStatus log = parts_.log->Status();
  const kv::SizeFigures sizes = parts_.state->store().sizes();
  const mvcc::WatchableStore::Counts watches = parts_.state->watchable().counts();
  metrics.revision.Set(static_cast<double>(parts_.state->store().current_revision().value()));
  metrics.compact_revision.Set(static_cast<double>(parts_.state->store().compact_revision().value()));
  metrics.keys.Set(static_cast<double>(parts_.state->store().keys()));
  metrics.db_bytes.Set(static_cast<double>(sizes.total_bytes));
  metrics.db_bytes_in_use.Set(static_cast<double>(sizes.in_use_bytes));
  metrics.quota_bytes.Set(static_cast<double>(parts_.quota->limit_bytes()));
  metrics.watch_streams.Set(static_cast<double>(watches.streams));
  metrics.watchers.Set(static_cast<double>(watches.watchers));
  metrics.slow_watchers.Set(static_cast<double>(watches.unsynced + watches.blocked));
  metrics.proposals_committed.Set(static_cast<double>(log.committed.value()));
  metrics.proposals_applied.Set(static_cast<double>(log.applied.value()));
  metrics.has_leader.Set(log.leader_id != 0 ? 1 : 0);
  metrics.is_leader.Set(log.leader_id == log.identity.member_id ? 1 : 0);
  metrics.leases.Set(static_cast<double>(parts_.state->lessor().size()));
  PostIn(kFiguresInterval, &Upkeep::ShowFigures);
}

}  // namespace tidemark::store
