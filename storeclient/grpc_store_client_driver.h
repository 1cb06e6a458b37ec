// GrpcStoreClientTest has a GrpcStoreClient with one Follow on the scripted members of one cluster.
//
// Thread-safety: confined to the test's thread.
#ifndef TIDEMARK_STORECLIENT_GRPC_STORE_CLIENT_DRIVER_H_
#define TIDEMARK_STORECLIENT_GRPC_STORE_CLIENT_DRIVER_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/clock.h"
#include "metrics/registry.h"
#include "storeclient/answer.h"
#include "storeclient/fake_etcd.h"
#include "storeclient/grpc_store_client.h"
#include "storeclient/recording_observer.h"

namespace tidemark::storeclient {

class GrpcStoreClientTest : public testing::Test {
 protected:
  static constexpr char kPrefix[] = "/registry/pods/";

  void AddMembers(int count) {
    for (int i = 0; i < count; ++i) members_.push_back(std::make_unique<FakeEtcd>(&cluster_));
  }
  void Connect(GrpcStoreClientOptions options = {}) {
    for (const auto& member : members_) options.store.endpoints.push_back(member->url());
    auto client = GrpcStoreClient::Create(options);
    TM_CHECK_OK(client.status());
    client_ = *std::move(client);
  }
  void Follow() {
    follow_ = client_->Follow({.prefix = kPrefix, .name = "pods"}, &observer_);
    ASSERT_TRUE(PollUntil([&] { return observer_.listed() && Watching() >= 0; }));
  }
  // The member that created the last watch; -1: none.
  int Watching() {
    for (size_t i = 0; i < members_.size(); ++i) {
      if (members_[i]->counts().watches > before_[i]) return static_cast<int>(i);
    }
    return -1;
  }
  // From now on.
  void ForgetWatches() {
    for (size_t i = 0; i < members_.size(); ++i) before_[i] = members_[i]->counts().watches;
  }
  Revision Put(absl::string_view name, absl::string_view value) {
    Revision revision;
    {
      MutexLock lock(&cluster_.mu);
      revision = cluster_.store.Put(absl::StrCat(kPrefix, name), value);
    }
    for (const auto& member : members_) member->Notify();
    return revision;
  }
  bool Has(absl::string_view name, absl::string_view value) {
    return PollUntil([&] { return observer_.Has(absl::StrCat(kPrefix, name), value); });
  }
  absl::StatusOr<Revision> ReadRevision(absl::Duration timeout = absl::Seconds(30)) {
    Answer<Revision> answer;
    client_->ReadRevision(RealClock().Now() + timeout, answer.Callback());
    if (!PollUntil([&] { return answer.has(); })) return absl::InternalError("no answer");
    return answer.get();
  }
  static absl::Time Soon() { return RealClock().Now() + absl::Seconds(20); }

  metrics::Registry registry_;  // outlives the client, which counts to its end
  FakeCluster cluster_;
  std::vector<std::unique_ptr<FakeEtcd>> members_;
  std::map<size_t, int> before_;
  std::unique_ptr<GrpcStoreClient> client_;
  RecordingObserver observer_{kPrefix};
  std::unique_ptr<FollowHandle> follow_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_GRPC_STORE_CLIENT_DRIVER_H_
