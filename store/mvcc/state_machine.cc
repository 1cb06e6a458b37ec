#include "store/mvcc/state_machine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "store/mvcc/command.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/request_check.h"
#include "store/mvcc/txn_runner.h"
#include "store/mvcc/write_txn.h"

namespace tidemark::mvcc {
namespace {

using etcdserverpb::RequestOp;
using etcdserverpb::TxnRequest;

bool Puts(const TxnRequest& request);

bool Puts(const google::protobuf::RepeatedPtrField<RequestOp>& ops) {
  return std::any_of(ops.begin(), ops.end(), [](const RequestOp& op) {
    return op.has_request_put() || (op.has_request_txn() && Puts(op.request_txn()));
  });
}

// Whether it may need room: etcd's cost is above zero.
bool Puts(const TxnRequest& request) { return Puts(request.success()) || Puts(request.failure()); }

// Executes one command; `state` is what it works on.
class CommandExecutor {
 public:
  struct State {
    MvccStore* store;
    Lessor* lessor;
    Alarms* alarms;
    int txn_ops_max;
  };

  CommandExecutor(State state, CommandResult* result) : state_(state), result_(result) {}

  void operator()(std::monostate) {}

  void operator()(const etcdserverpb::PutRequest& request) {
    auto* response = Respond<etcdserverpb::PutResponse>();
    Write(CheckPut(request), /*needs_room=*/true, [&](TxnRunner& runner) { return runner.Put(request, response); });
  }

  void operator()(const etcdserverpb::DeleteRangeRequest& request) {
    auto* response = Respond<etcdserverpb::DeleteRangeResponse>();
    Write(CheckDeleteRange(request), /*needs_room=*/false,
          [&](TxnRunner& runner) { return runner.DeleteRange(request, response); });
  }

  void operator()(const TxnRequest& request) {
    auto* response = Respond<etcdserverpb::TxnResponse>();
    Write(CheckTxn(request, state_.txn_ops_max), Puts(request),
          [&](TxnRunner& runner) { return runner.Txn(request, response); });
  }

  void operator()(const etcdserverpb::CompactionRequest& request) {
    Respond<etcdserverpb::CompactionResponse>();
    if (Refuses(/*needs_room=*/false)) return;
    result_->status = state_.store->Compact(Revision(request.revision()));
  }

  void operator()(const etcdserverpb::LeaseGrantRequest& request) {
    auto* response = Respond<etcdserverpb::LeaseGrantResponse>();
    if (Refuses(/*needs_room=*/true)) return;
    const absl::StatusOr<int64_t> ttl = state_.lessor->Grant(request.id(), request.ttl(), &state_.store->buffer());
    result_->status = ttl.status();
    if (!ttl.ok()) return;
    response->set_id(request.id());
    response->set_ttl(*ttl);
  }

  void operator()(const etcdserverpb::LeaseRevokeRequest& request) {
    Respond<etcdserverpb::LeaseRevokeResponse>();
    if (Refuses(/*needs_room=*/false)) return;
    const auto keys = state_.lessor->Keys(request.id());
    result_->status = keys.status();
    if (!keys.ok()) return;
    const auto write = state_.store->BeginWrite();
    for (const std::string& key : *keys) write->DeleteRange(KeyRange(key, ""), nullptr);
    write->End();
    result_->status = state_.lessor->Revoke(request.id(), &state_.store->buffer());
  }

  void operator()(const etcdserverpb::AlarmRequest& request) {
    auto* response = Respond<etcdserverpb::AlarmResponse>();
    state_.alarms->Apply(request, &state_.store->buffer(), response);
  }

 private:
  template <typename Response>
  Response* Respond() {
    return &result_->response.emplace<Response>();
  }

  bool Refuses(bool needs_room) {
    if (state_.alarms->IsActive(AlarmKind::kCorrupt)) {
      result_->status = StoreStatus(StoreError::kCorrupt);
    } else if (needs_room && state_.alarms->IsActive(AlarmKind::kNoSpace)) {
      result_->status = StoreStatus(StoreError::kNoSpace);
    }
    return !result_->status.ok();
  }

  template <typename Run>
  void Write(absl::Status checked, bool needs_room, Run run) {
    result_->status = std::move(checked);
    if (!result_->status.ok() || Refuses(needs_room)) return;
    const auto write = state_.store->BeginWrite();
    TxnRunner runner(*state_.store, *state_.lessor, write.get());
    result_->status = run(runner);
    write->End();
  }

  const State state_;
  CommandResult* const result_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StateMachine>> StateMachine::Open(kv::KvEngine* engine, Executor* watch_executor,
                                                                 Clock* clock, StateMachineOptions options) {
  auto lessor = std::make_unique<Lessor>(options.lease, clock);
  auto alarms = std::make_unique<Alarms>();
  absl::Status restored;
  const kv::WriteBuffer rows(engine);
  rows.Scan(kv::Table::kLease, "", "", [&](absl::string_view key, absl::string_view value) {
    restored = lessor->Restore(key, value);
    return restored.ok();
  });
  TM_RETURN_IF_ERROR(restored);
  rows.Scan(kv::Table::kAlarm, "", "", [&](absl::string_view key, absl::string_view) {
    restored = alarms->Restore(key);
    return restored.ok();
  });
  TM_RETURN_IF_ERROR(restored);
  TM_ASSIGN_OR_RETURN(auto store, MvccStore::Open(engine, lessor.get(), options.store));
  return std::unique_ptr<StateMachine>(
      new StateMachine(options, std::move(store), std::move(lessor), std::move(alarms), watch_executor));
}

StateMachine::StateMachine(StateMachineOptions options, std::unique_ptr<MvccStore> store,
                           std::unique_ptr<Lessor> lessor, std::unique_ptr<Alarms> alarms, Executor* watch_executor)
    : options_(options),
      lessor_(std::move(lessor)),
      alarms_(std::move(alarms)),
      store_(std::move(store)),
      watchable_(std::make_unique<WatchableStore>(store_.get(), watch_executor, options.watch)) {}

StateMachine::~StateMachine() = default;

CommandResult StateMachine::Execute(const Command& command) {
  CommandResult result;
  std::visit(CommandExecutor({store_.get(), lessor_.get(), alarms_.get(), options_.txn_ops_max}, &result),
             command.request);
  result.revision = store_->current_revision();
  return result;
}

std::vector<CommandResult> StateMachine::Apply(uint64_t index, uint64_t term,
                                               absl::Span<const Command* const> commands) {
  std::vector<CommandResult> results(commands.size());
  const bool skipped = index <= store_->applied_index();
  // The entry is in the log, and is executed after a restart: the refusal must leave open what becomes of it.
  const absl::Status usable = health();
  if (skipped || !usable.ok()) {
    for (CommandResult& result : results) {
      result.skipped = skipped;
      result.status = usable;
      result.revision = store_->current_revision();
    }
    return results;
  }
  store_->BeginEntry();
  for (size_t i = 0; i < commands.size(); ++i) results[i] = Execute(*commands[i]);
  store_->EndEntry(index, term);
  return results;
}

absl::Status StateMachine::health() const {
  const absl::Status failed = store_->buffer().status();
  return failed.ok() ? failed : MakeError(ErrorKind::kStoreUnavailable, failed.message());
}

CommandResult StateMachine::Apply(uint64_t index, uint64_t term, const Command& command) {
  const Command* const commands[] = {&command};
  return std::move(Apply(index, term, commands)[0]);
}

absl::Status StateMachine::ReadTxn(const TxnRequest& request, etcdserverpb::TxnResponse* response) const {
  TM_RETURN_IF_ERROR(CheckTxn(request, options_.txn_ops_max));
  TM_CHECK(IsReadOnly(request));
  absl::Status status;
  // A compaction of the newest revision may overtake it; a revision that was asked for stays compacted.
  for (int attempt = 0; attempt < kReadAttemptsMax; ++attempt) {
    const Revision base = store_->current_revision();
    response->Clear();
    status = TxnRunner(*store_, base).Txn(request, response);
    if (KindOf(status) != ErrorKind::kCompacted || store_->compact_revision() <= base) return status;
  }
  return status;
}

}  // namespace tidemark::mvcc
