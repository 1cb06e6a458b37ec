#include "storeclient/store_client_conformance.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/executor.h"
#include "storeclient/fake_etcd.h"
#include "storeclient/grpc_store_client.h"
#include "storeclient/memory_store_client.h"
#include "storeclient/real_etcd.h"
#include "storeclient/tcp_relay.h"

namespace tidemark::storeclient {
namespace {

class MemoryHarness : public StoreHarness {
 public:
  MemoryHarness() { client_.set_page_keys(100); }
  StoreClient& client() override { return client_; }
  Revision Txn(const std::vector<MemoryStore::Write>& writes) override { return client_.Txn(writes); }
  void Compact(Revision revision) override { TM_CHECK_OK(client_.Compact(revision)); }
  void BreakStreams() override { client_.BreakStreams(); }
  bool CanRewind() const override { return true; }
  void Rewind(Revision to) override { client_.Rewind(to); }
  bool CanCutOff() const override { return true; }
  void CutOff() override { client_.CutOff(); }
  void Reconnect() override { client_.Reconnect(); }
  absl::Time Now() override { return clock_.Now(); }
  bool Until(const std::function<bool()>& condition) override {
    constexpr int kStepsMax = 100000;
    for (int i = 0; i < kStepsMax; ++i) {
      if (condition()) return true;
      if (!executor_.RunOne()) executor_.RunFor(absl::Milliseconds(1));
    }
    return condition();
  }

 private:
  SimClock clock_;
  SimExecutor executor_{clock_};
  MemoryStoreClient client_{executor_};
};

class FakeEtcdHarness : public StoreHarness {
 public:
  explicit FakeEtcdHarness(bool in_process) {
    GrpcStoreClientOptions options;
    if (in_process) {
      options.store.channel = etcd_.InProcessChannel();
    } else {
      options.store.endpoints = {etcd_.url()};
      can_cut_off_ = true;
    }
    auto client = GrpcStoreClient::Create(options);
    TM_CHECK_OK(client.status());
    client_ = *std::move(client);
    // Small pieces, so that every message of many events is cut.
    etcd_.Set([](FakeEtcd::Knobs* knobs) { knobs->fragment_events = 7; });
  }
  StoreClient& client() override { return *client_; }
  Revision Txn(const std::vector<MemoryStore::Write>& writes) override {
    Revision revision;
    {
      MutexLock lock(&cluster_.mu);
      revision = cluster_.store.Txn(writes);
    }
    etcd_.Notify();
    return revision;
  }
  void Compact(Revision revision) override {
    MutexLock lock(&cluster_.mu);
    TM_CHECK_OK(cluster_.store.Compact(revision));
  }
  void BreakStreams() override { etcd_.BreakStreams(); }
  bool CanRewind() const override { return true; }
  void Rewind(Revision to) override {
    {
      MutexLock lock(&cluster_.mu);
      cluster_.store.Rewind(to);
    }
    etcd_.BreakStreams();
  }
  bool CanCutOff() const override { return can_cut_off_; }
  void CutOff() override { etcd_.Stop(); }
  void Reconnect() override { etcd_.Start(); }
  absl::Time Now() override { return RealClock().Now(); }
  bool Until(const std::function<bool()>& condition) override { return PollUntil(condition); }

 private:
  FakeCluster cluster_;
  FakeEtcd etcd_{&cluster_};
  bool can_cut_off_ = false;
  std::unique_ptr<GrpcStoreClient> client_;
};

// One process serves all tests, one after the other; between client and process lies a cable that can be cut.
class RealEtcdHarness : public StoreHarness {
 public:
  explicit RealEtcdHarness(RealEtcd* etcd) : etcd_(etcd), relay_(etcd->port()) {
    etcd_->DeleteAll("/registry/");
    auto client = GrpcStoreClient::Create({.store = {.endpoints = {relay_.url()}}});
    TM_CHECK_OK(client.status());
    client_ = *std::move(client);
    client_->CheckVersions(RealClock().Now() + absl::Seconds(20));
  }
  StoreClient& client() override { return *client_; }
  Revision Txn(const std::vector<MemoryStore::Write>& writes) override { return etcd_->Txn(writes); }
  void Compact(Revision revision) override { etcd_->Compact(revision); }
  void BreakStreams() override { relay_.BreakConnections(); }
  bool CanCutOff() const override { return true; }
  void CutOff() override { relay_.Cut(); }
  void Reconnect() override { relay_.Mend(); }
  absl::Time Now() override { return RealClock().Now(); }
  bool Until(const std::function<bool()>& condition) override { return PollUntil(condition); }

  static std::unique_ptr<StoreHarness> Make(std::string* why_not) {
    const std::string binary = RealEtcd::FindBinary();
    if (binary.empty()) {
      *why_not = "no etcd on this machine (TIDEMARK_ETCD, TIDEMARK_PEERS, /usr/bin/etcd)";
      return nullptr;
    }
    static const auto etcd = std::make_unique<RealEtcd>(binary);
    return std::make_unique<RealEtcdHarness>(etcd.get());
  }

 private:
  RealEtcd* const etcd_;
  TcpRelay relay_;
  std::unique_ptr<GrpcStoreClient> client_;
};

std::vector<HarnessFactory> Factories() {
  return {
      {"Memory", [](std::string*) { return std::make_unique<MemoryHarness>(); }},
      {"FakeEtcd", [](std::string*) { return std::make_unique<FakeEtcdHarness>(false); }},
      {"FakeEtcdInProcess", [](std::string*) { return std::make_unique<FakeEtcdHarness>(true); }},
      {"RealEtcd", &RealEtcdHarness::Make},
  };
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreClientConformanceTest, testing::ValuesIn(Factories()),
                         [](const testing::TestParamInfo<HarnessFactory>& factory) { return factory.param.name; });

}  // namespace
}  // namespace tidemark::storeclient
