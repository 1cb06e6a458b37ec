// The store with real threads: one applies, one commits, one compacts, others read and watch.
// Run under ThreadSanitizer.
#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/mvcc/compactor.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/test_store.h"

namespace tidemark::mvcc {
namespace {

constexpr int kKeys = 20;
constexpr int kWrites = 3000;

class ThreadsTest : public ::testing::TestWithParam<EngineUnderTest> {
 protected:
  ThreadsTest() {
    if (GetParam() == EngineUnderTest::kLmdb) {
      std::string pattern = ::testing::TempDir() + "/threads_XXXXXX";
      directory_ = mkdtemp(pattern.data());
      engine_ = *kv::OpenLmdbEngine(directory_);
    } else {
      engine_ = std::make_unique<kv::MemoryEngine>();
    }
    auto state = StateMachine::Open(engine_.get(), &sync_, &RealClock(), {.watch = {.history_bytes_max = 4 << 10}});
    TM_CHECK_OK(state.status());
    state_ = *std::move(state);
  }

  ~ThreadsTest() override {
    sync_.Stop();
    state_.reset();
    engine_.reset();
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }

  template <typename Request>
  CommandResult Apply(uint64_t index, Request request) {
    Command command;
    command.request = std::move(request);
    return state_->Apply(index, 1, command);
  }

  // Every write sets two keys to the same number, so that a reader sees whether a transaction came whole.
  void WriteAll() {
    for (int i = 1; i <= kWrites; ++i) {
      etcdserverpb::TxnRequest txn;
      for (const char* side : {"/left/", "/right/"}) {
        auto* put = txn.add_success()->mutable_request_put();
        put->set_key(absl::StrCat(side, i % kKeys));
        put->set_value(absl::StrCat(i));
      }
      ASSERT_TRUE(Apply(++index_, std::move(txn)).status.ok());
      if (i % 50 == 0) {
        etcdserverpb::CompactionRequest compact;
        compact.set_revision(watched_);
        Apply(++index_, std::move(compact));  // refused when the watcher has not moved since
      }
      written_ = i;
    }
  }

  void ReadUntilWritten() {
    while (written_ < kWrites) {
      const int key = written_ % kKeys;
      etcdserverpb::TxnRequest txn;
      txn.add_success()->mutable_request_range()->set_key(absl::StrCat("/left/", key));
      txn.add_success()->mutable_request_range()->set_key(absl::StrCat("/right/", key));
      etcdserverpb::TxnResponse response;
      ASSERT_TRUE(state_->ReadTxn(txn, &response).ok());
      ASSERT_EQ(response.responses(0).response_range().kvs_size(), response.responses(1).response_range().kvs_size());
      if (response.responses(0).response_range().kvs_size() == 1) {
        ASSERT_EQ(response.responses(0).response_range().kvs(0).value(),
                  response.responses(1).response_range().kvs(0).value());
      }
      etcdserverpb::RangeRequest all;
      all.set_key("/");
      all.set_range_end("0");
      etcdserverpb::RangeResponse range;
      ASSERT_TRUE(state_->store().Range(all, &range).ok());
      ASSERT_EQ(range.kvs_size(), range.count());
    }
  }

  // Watches everything, and sees each revision once, in order, whole, with progress never ahead of events.
  void WatchUntilWritten() {
    const Revision last(kWrites + 1);
    const auto stream = state_->watchable().NewStream([] {});
    etcdserverpb::WatchCreateRequest request;
    request.set_key("/");
    request.set_range_end("0");
    request.set_prev_kv(true);
    stream->Create(request);
    Revision seen;
    while (seen < last) {
      stream->RequestProgress();
      const std::optional<WatchMessage> message = stream->Next();
      if (!message.has_value()) continue;
      ASSERT_FALSE(message->canceled);
      if (message->created) seen = message->revision;
      if (IsProgress(*message)) {
        ASSERT_EQ(message->revision, seen);
      }
      EncodeWatchResponse(*message, state_->store(), 1 << 20);
      for (size_t i = 0; i < message->events.size(); i += 2) {
        ASSERT_EQ(message->events[i]->revision(), seen.Next());
        ASSERT_EQ(message->events[i + 1]->revision(), seen.Next());
        seen = seen.Next();
      }
      watched_ = seen.value();
    }
  }

  std::string directory_;
  std::unique_ptr<kv::KvEngine> engine_;
  LoopThread sync_{"watch-sync"};
  std::unique_ptr<StateMachine> state_;
  uint64_t index_ = 0;
  std::atomic<int> written_ = 0;
  std::atomic<int64_t> watched_ = 0;  // what the watcher no longer needs
};

TEST_P(ThreadsTest, ReadersAndWatchersBesideTheWriterSeeWholeTransactions) {
  LoopThread compaction("compaction");
  Compactor compactor(&state_->store(), &compaction);
  std::vector<std::thread> threads;
  threads.emplace_back([&] { WatchUntilWritten(); });
  threads.emplace_back([&] { WriteAll(); });
  threads.emplace_back([&] { ReadUntilWritten(); });
  threads.emplace_back([&] {
    while (written_ < kWrites) {
      ASSERT_TRUE(state_->Commit().ok());
      compactor.Wake();
      ASSERT_TRUE(state_->store().HashKv(Revision()).ok());
    }
  });
  for (std::thread& thread : threads) thread.join();
  compaction.Stop();
  ASSERT_TRUE(state_->Commit().ok());
  EXPECT_EQ(state_->durable_index(), index_);
  state_->store().CheckInvariants();
}

INSTANTIATE_TEST_SUITE_P(Engines, ThreadsTest, ::testing::Values(EngineUnderTest::kMemory, EngineUnderTest::kLmdb),
                         EngineName);

}  // namespace
}  // namespace tidemark::mvcc
