// TestStore is a StateMachine under test with everything around it simulated: clock, executor, engine. It counts log
// entries, crashes and starts again, replaying the entries that the engine has lost, as a member replays its log.
//
// Thread-safety: confined to the test's thread.
#ifndef TIDEMARK_STORE_MVCC_TEST_STORE_H_
#define TIDEMARK_STORE_MVCC_TEST_STORE_H_

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/executor.h"
#include "gtest/gtest.h"
#include "store/kv/lmdb_engine.h"
#include "store/kv/memory_engine.h"
#include "store/mvcc/command.h"
#include "store/mvcc/state_machine.h"
#include "store/mvcc/watch_message.h"

namespace tidemark::mvcc {

enum class EngineUnderTest { kMemory, kLmdb };

inline std::string EngineName(const ::testing::TestParamInfo<EngineUnderTest>& info) {
  return info.param == EngineUnderTest::kMemory ? "Memory" : "Lmdb";
}

// Whether the message is a progress notification.
inline bool IsProgress(const WatchMessage& message) {
  return message.events.empty() && !message.created && !message.canceled;
}

class TestStore {
 public:
  explicit TestStore(EngineUnderTest engine = EngineUnderTest::kMemory, StateMachineOptions options = {})
      : engine_kind_(engine), options_(options) {
    if (engine == EngineUnderTest::kLmdb) {
      std::string pattern = ::testing::TempDir() + "/mvcc_XXXXXX";
      directory_ = mkdtemp(pattern.data());
    }
    Open();
  }

  ~TestStore() {
    state_.reset();
    lmdb_.reset();
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }

  StateMachine& state() { return *state_; }
  MvccStore& store() { return state_->store(); }
  kv::MemoryEngine& memory() { return memory_; }
  SimClock& clock() { return clock_; }
  SimExecutor& executor() { return *executor_; }

  // Appends one entry to the log and applies it.
  template <typename Request>
  CommandResult Apply(const Request& request) {
    Command command;
    command.request = request;
    log_.push_back(EncodeCommand(command));
    return state_->Apply(log_.size(), kTerm, command);
  }

  Revision Put(const std::string& key, const std::string& value, int64_t lease = 0) {
    etcdserverpb::PutRequest request;
    request.set_key(key);
    request.set_value(value);
    request.set_lease(lease);
    const CommandResult result = Apply(request);
    EXPECT_TRUE(result.status.ok()) << result.status;
    return result.revision;
  }

  Revision Delete(const std::string& key, const std::string& range_end = "") {
    etcdserverpb::DeleteRangeRequest request;
    request.set_key(key);
    request.set_range_end(range_end);
    return Apply(request).revision;
  }

  absl::Status Compact(int64_t revision) {
    etcdserverpb::CompactionRequest request;
    request.set_revision(revision);
    return Apply(request).status;
  }

  absl::Status Grant(int64_t id, int64_t ttl) {
    etcdserverpb::LeaseGrantRequest request;
    request.set_id(id);
    request.set_ttl(ttl);
    return Apply(request).status;
  }

  absl::Status Revoke(int64_t id) {
    etcdserverpb::LeaseRevokeRequest request;
    request.set_id(id);
    return Apply(request).status;
  }

  void CompactPhysically() {
    while (store().CompactionStep()) {
    }
  }

  // What Range at `revision` finds: "key=value key=value".
  std::string Text(const std::string& key, const std::string& range_end = "", int64_t revision = 0) {
    etcdserverpb::RangeRequest request;
    request.set_key(key);
    request.set_range_end(range_end);
    request.set_revision(revision);
    etcdserverpb::RangeResponse response;
    const absl::Status status = store().Range(request, &response);
    if (!status.ok()) return std::string(status.message());
    std::string text;
    for (const auto& kv : response.kvs()) text += (text.empty() ? "" : " ") + kv.key() + "=" + kv.value();
    return text;
  }

  // Everything that no commit has made durable is lost; the log replays it.
  void CrashAndReplay() {
    Reopen();
    for (uint64_t index = 1; index <= log_.size(); ++index) {
      const absl::StatusOr<Command> command = DecodeCommand(log_[index - 1]);
      TM_CHECK_OK(command.status());
      const bool skipped = state_->Apply(index, kTerm, *command).skipped;
      EXPECT_EQ(skipped, index <= durable_at_open_);
    }
  }

  // Without the replay.
  void Reopen() {
    state_.reset();
    lmdb_.reset();
    memory_.Restart();
    Open();
  }

  uint64_t log_size() const { return log_.size(); }

 private:
  static constexpr uint64_t kTerm = 3;

  void Open() {
    kv::KvEngine* engine = &memory_;
    if (engine_kind_ == EngineUnderTest::kLmdb) {
      auto opened = kv::OpenLmdbEngine(directory_);
      TM_CHECK_OK(opened.status());
      lmdb_ = *std::move(opened);
      engine = lmdb_.get();
    }
    executor_ = std::make_unique<SimExecutor>(clock_);
    auto state = StateMachine::Open(engine, executor_.get(), &clock_, options_);
    TM_CHECK_OK(state.status());
    state_ = *std::move(state);
    durable_at_open_ = state_->durable_index();
  }

  const EngineUnderTest engine_kind_;
  const StateMachineOptions options_;
  std::string directory_;
  kv::MemoryEngine memory_;
  std::unique_ptr<kv::KvEngine> lmdb_;
  SimClock clock_;
  std::unique_ptr<SimExecutor> executor_;
  std::unique_ptr<StateMachine> state_;
  std::vector<std::string> log_;  // entry i + 1
  uint64_t durable_at_open_ = 0;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_TEST_STORE_H_
