// What the tests of the services share: a state machine on an engine in memory, behind a log in memory, all in the
// test's thread, and calls that keep what was answered.
#ifndef TIDEMARK_STORE_SERVER_SERVICE_FIXTURE_H_
#define TIDEMARK_STORE_SERVER_SERVICE_FIXTURE_H_

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "gtest/gtest.h"
#include "store/kv/memory_engine.h"
#include "store/mvcc/compactor.h"
#include "store/mvcc/state_machine.h"
#include "store/raft/memory_log.h"
#include "store/server/proposer.h"
#include "store/server/quota.h"
#include "store/server/rpc.h"
#include "store/server/service_parts.h"
#include "store/server/wire_error.h"

namespace tidemark::store {

// A unary call; made by new, as the real one is, but owned by the test.
class FakeCall : public CallSink {
 public:
  void Finish(const absl::Status& status, std::string head, std::string body) override {
    ++answers;
    error = status.ok() ? WireError() : ToWire(status);
    message = head + body;
  }
  // "code text" of a refusal, empty for an answer.
  std::string Error() const { return error.code == 0 ? "" : std::to_string(error.code) + " " + error.text; }
  template <typename Response>
  Response As() const {
    Response response;
    EXPECT_TRUE(response.ParseFromString(message));
    return response;
  }

  int answers = 0;
  WireError error;
  std::string message;
};

// A stream whose other end is the test.
class FakeStream : public StreamCall {
 public:
  void Read() override {
    EXPECT_FALSE(reading);
    reading = true;
  }
  void Write(std::string message, bool) override {
    EXPECT_FALSE(writing);
    writing = true;
    written.push_back(std::move(message));
  }
  void Finish(const absl::Status& status) override {
    finished = true;
    error = status.ok() ? WireError() : ToWire(status);
  }

  bool reading = false;
  bool writing = false;
  bool finished = false;
  WireError error;
  std::deque<std::string> written;
};

class ServiceTest : public ::testing::Test {
 protected:
  explicit ServiceTest(int64_t quota_bytes = int64_t{1} << 30)
      : log_(&disk_, &executor_, {}), header_({11, 22}), compactor_(nullptr) {
    auto state = mvcc::StateMachine::Open(&engine_, &executor_, &clock_, {});
    EXPECT_TRUE(state.ok()) << state.status();
    state_ = *std::move(state);
    proposer_ = std::make_unique<Proposer>(state_.get(), &log_, &header_, metrics_);
    quota_ = std::make_unique<Quota>(state_.get(), proposer_.get(), 22, quota_bytes);
    compactor_ = std::make_unique<mvcc::Compactor>(&state_->store(), &executor_);
    EXPECT_TRUE(log_.Start(raft::LogIndex(), [this](auto operations) { proposer_->Apply(operations); }).ok());
    header_.SetTerm(7);
    parts_.state = state_.get();
    parts_.log = &log_;
    parts_.proposer = proposer_.get();
    parts_.header = &header_;
    parts_.read_pool = nullptr;  // tests of what is long-running make their own
    parts_.quota = quota_.get();
    parts_.metrics = &metrics_;
    parts_.request_bytes_max = 1 << 20;
    parts_.txn_ops_max = 128;
  }
  ~ServiceTest() override { log_.Stop(); }

  // Calls `method` of `service` with the request, and runs everything that follows from it.
  template <typename Service, typename Request>
  FakeCall Call(Service& service, void (Service::*method)(absl::string_view, Reply), const Request& request) {
    FakeCall call;
    (service.*method)(request.SerializeAsString(), Reply(&call));
    executor_.RunUntilIdle();
    EXPECT_EQ(call.answers, 1);
    return call;
  }

  SimClock clock_;
  SimExecutor executor_{clock_};
  kv::MemoryEngine engine_;
  raft::MemoryLogDisk disk_;
  raft::MemoryLog log_;
  HeaderSource header_;
  metrics::Registry registry_;
  metrics::StoreMetrics metrics_{&registry_};
  std::unique_ptr<mvcc::StateMachine> state_;
  std::unique_ptr<Proposer> proposer_;
  std::unique_ptr<Quota> quota_;
  std::unique_ptr<mvcc::Compactor> compactor_;
  ServiceParts parts_;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_SERVICE_FIXTURE_H_
