// The store without its network: puts as they are applied and committed to LMDB, and ranges as they are answered.
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/executor.h"
#include "benchmark/benchmark.h"
#include "proto/rpc.pb.h"
#include "store/kv/lmdb_engine.h"
#include "store/mvcc/command.h"
#include "store/mvcc/mvcc_store.h"
#include "store/mvcc/state_machine.h"

namespace tidemark::bench {
namespace {

constexpr int kKeys = 100'000;
constexpr size_t kValueBytes = 1000;

std::string Key(int i) { return absl::StrCat("/registry/pods/default/pod-", 1'000'000 + i); }

// A state machine on a directory of its own, with kKeys keys.
class Store {
 public:
  Store() : directory_((std::filesystem::temp_directory_path() / "tidemark-bench-XXXXXX").string()) {
    TM_CHECK(mkdtemp(directory_.data()) != nullptr) << "no temporary directory " << directory_;
    auto engine = kv::OpenLmdbEngine(directory_);
    TM_CHECK_OK(engine.status());
    engine_ = *std::move(engine);
    auto state = mvcc::StateMachine::Open(engine_.get(), &watch_sync_, &RealClock(), {});
    TM_CHECK_OK(state.status());
    state_ = *std::move(state);
    for (int i = 0; i < kKeys; ++i) Put(i);
    TM_CHECK_OK(state_->Commit());
  }
  ~Store() {
    watch_sync_.Stop();
    state_.reset();
    engine_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Put(int i) {
    etcdserverpb::PutRequest request;
    request.set_key(Key(i));
    request.set_value(value_);
    mvcc::Command command;
    command.request = std::move(request);
    TM_CHECK_OK(state_->Apply(++index_, 1, command).status);
    if (state_->CommitDue()) TM_CHECK_OK(state_->Commit());
  }
  mvcc::StateMachine& state() { return *state_; }

 private:
  const std::string value_ = std::string(kValueBytes, 'v');
  std::string directory_;
  LoopThread watch_sync_{"watch-sync"};
  std::unique_ptr<kv::KvEngine> engine_;
  std::unique_ptr<mvcc::StateMachine> state_;
  uint64_t index_ = 0;
};

void BM_StorePut(benchmark::State& state) {
  Store store;
  int i = 0;
  for (auto _ : state) store.Put(i = (i + 7919) % kKeys);
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kValueBytes));
}
BENCHMARK(BM_StorePut);

void Ranges(benchmark::State& state, const etcdserverpb::RangeRequest& request) {
  Store store;
  int64_t bytes = 0;
  for (auto _ : state) {
    std::string wire;
    TM_CHECK_OK(store.state().store().RangeEncoded(request, &wire).status());
    bytes += static_cast<int64_t>(wire.size());
  }
  state.SetBytesProcessed(bytes);
}

void BM_StoreRangeOfOneKey(benchmark::State& state) {
  etcdserverpb::RangeRequest request;
  request.set_key(Key(kKeys / 2));
  Ranges(state, request);
}
BENCHMARK(BM_StoreRangeOfOneKey);

// Pages of a list at one revision: 500, and what the mirror asks for.
void BM_StoreRangeOfAPage(benchmark::State& state) {
  etcdserverpb::RangeRequest request;
  request.set_key("/registry/pods/");
  request.set_range_end("/registry/pods0");
  request.set_limit(state.range(0));
  Ranges(state, request);
}
BENCHMARK(BM_StoreRangeOfAPage)->Arg(500)->Arg(10'000)->Unit(benchmark::kMicrosecond);

void BM_StoreRangeThatOnlyCounts(benchmark::State& state) {
  etcdserverpb::RangeRequest request;
  request.set_key("/registry/pods/");
  request.set_range_end("/registry/pods0");
  request.set_count_only(true);
  Ranges(state, request);
}
BENCHMARK(BM_StoreRangeThatOnlyCounts)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tidemark::bench
