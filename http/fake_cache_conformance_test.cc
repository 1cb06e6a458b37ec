#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cache/cache_conformance.h"
#include "cache/cache_view_conformance.h"
#include "cache/cache_watch_conformance.h"
#include "http/fake_cache.h"

namespace tidemark::http {
namespace {

using cache::CacheConformanceTest;
using cache::CacheHarnessFactory;

// Reads are held, so that those which have to wait do; what is written is in the mirror at once.
class FakeCacheHarness : public cache::CacheHarness {
 public:
  FakeCacheHarness() {
    for (FakeMirror* mirror : {pods_, nodes_}) {
      mirror->Progress(revision_);
      mirror->set_ready(false);
    }
    cache_.HoldReads();
  }
  cache::Cache& cache() override { return cache_; }
  absl::Time Now() override { return absl::UnixEpoch(); }
  void Begin() override {
    for (FakeMirror* mirror : {pods_, nodes_}) mirror->set_ready(true);
  }
  void Settle() override {
    if (!behind_) cache_.AnswerReached();
  }
  void RunFor(absl::Duration) override {
    cache_.ReleaseReads();
    cache_.HoldReads();
  }

  Revision Txn(const std::vector<Write>& writes) override {
    if (behind_) {
      unseen_.push_back(writes);
      return Revision(revision_ + static_cast<int64_t>(unseen_.size()));
    }
    ++revision_;
    for (const Write& write : writes) {
      if (write.labels) {
        pods_->Put(revision_, write.key, *write.labels);
      } else {
        pods_->Delete(revision_, write.key);
      }
    }
    return Revision(revision_);
  }
  Revision PutUnreadable(const std::string& key) override {
    pods_->PutUnreadable(++revision_, key);
    return Revision(revision_);
  }
  Revision MoveOn() override {
    pods_->Progress(++revision_);
    return Revision(revision_);
  }
  void Compact(Revision revision) override { pods_->Compact(revision.value()); }
  Revision Relist(const std::vector<Write>& writes) override {
    const Revision revision = Txn(writes);
    pods_->Relist();
    return revision;
  }
  void Rewind(Revision to) override {
    revision_ = to.value();
    for (FakeMirror* mirror : {pods_, nodes_}) mirror->Rewind(revision_);
    cache_.AnswerReached();
  }
  void CutOff() override { cache_.FailReads(MakeError(ErrorKind::kStoreUnavailable, "no endpoint")); }
  void Reconnect() override { cache_.FailReads(absl::OkStatus()); }
  void Stop() override { cache_.Stop(); }
  // The fake answers as it is told to; what a real mirror would not have seen yet waits here.
  void FallBehind() override {
    behind_ = true;
    cache_.FailReads(MakeError(ErrorKind::kStale, "the mirror is behind", pods_->revision()));
  }
  void CatchUp() override {
    behind_ = false;
    Reconnect();
    for (const std::vector<Write>& writes : std::exchange(unseen_, {})) Txn(writes);
  }

 private:
  const config::Resource pod_{.version = "v1", .kind = "Pod", .plural = "pods", .prefix = "pods"};
  const config::Resource node_{
      .version = "v1", .kind = "Node", .plural = "nodes", .namespaced = false, .prefix = "minions"};
  int64_t revision_ = 1;
  bool behind_ = false;
  std::vector<std::vector<Write>> unseen_;
  FakeCache cache_;
  FakeMirror* const pods_ = cache_.Add(pod_);
  FakeMirror* const nodes_ = cache_.Add(node_);
};

INSTANTIATE_TEST_SUITE_P(Caches, CacheConformanceTest,
                         testing::Values(CacheHarnessFactory{"FakeCache",
                                                             [] { return std::make_unique<FakeCacheHarness>(); }}),
                         [](const testing::TestParamInfo<CacheHarnessFactory>& factory) { return factory.param.name; });

}  // namespace
}  // namespace tidemark::http
