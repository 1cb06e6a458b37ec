#include "cache/cache_conformance.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "cache/cache_view_conformance.h"
#include "cache/cache_watch_conformance.h"
#include "cache/test_mirror_cache.h"

namespace tidemark::cache {
namespace {

// A MirrorCache over the in-memory store.
class MirrorCacheHarness : public CacheHarness {
 public:
  MirrorCacheHarness() {
    mirror_.client.HoldLists();
    mirror_.Start();
  }
  Cache& cache() override { return *mirror_.cache; }
  absl::Time Now() override { return mirror_.clock.Now(); }
  void Begin() override {
    mirror_.client.ReleaseLists();
    mirror_.executor.RunUntilIdle();
  }
  // Progress is asked for only when somebody waits.
  void Settle() override {
    mirror_.Read();
    mirror_.executor.RunFor(absl::Milliseconds(500));
  }
  void RunFor(absl::Duration span) override { mirror_.executor.RunFor(span); }

  Revision Txn(const std::vector<Write>& writes) override {
    std::vector<storeclient::MemoryStore::Write> stored;
    for (const Write& write : writes) {
      std::optional<std::string> value;
      if (write.labels) value = ModelObject{.labels = *write.labels}.Json(write.key);
      stored.push_back({absl::StrCat(kPodsPrefix, write.key), std::move(value)});
    }
    return mirror_.client.Txn(stored);
  }
  Revision PutUnreadable(const std::string& key) override {
    return mirror_.client.Put(absl::StrCat(kPodsPrefix, key), "k8s and not JSON");
  }
  Revision MoveOn() override { return mirror_.PutElsewhere(); }
  // Found by the next probe.
  void Compact(Revision revision) override {
    TM_CHECK_OK(mirror_.client.Compact(revision));
    mirror_.executor.RunFor(kCompactionProbeGap + absl::Milliseconds(100));
  }
  Revision Relist(const std::vector<Write>& writes) override {
    CutOff();
    const Revision revision = Txn(writes);
    // A compaction at the next revision would leave what the stream goes on with.
    TM_CHECK_OK(mirror_.client.Compact(mirror_.PutElsewhere()));
    Reconnect();
    return revision;
  }
  void Rewind(Revision to) override {
    mirror_.client.HoldLists();
    mirror_.client.Rewind(to);
    mirror_.executor.RunUntilIdle();
  }
  void CutOff() override {
    mirror_.client.CutOff();
    mirror_.executor.RunUntilIdle();
  }
  void Reconnect() override {
    mirror_.client.Reconnect();
    mirror_.executor.RunUntilIdle();
  }
  void Stop() override { mirror_.cache->Stop(); }
  void FallBehind() override { mirror_.client.HoldEvents(); }
  void CatchUp() override { mirror_.client.ReleaseEvents(); }

 private:
  MirrorCacheFixture mirror_;
};

INSTANTIATE_TEST_SUITE_P(Caches, CacheConformanceTest,
                         testing::Values(CacheHarnessFactory{"MirrorCache",
                                                             [] { return std::make_unique<MirrorCacheHarness>(); }}),
                         [](const testing::TestParamInfo<CacheHarnessFactory>& factory) { return factory.param.name; });

}  // namespace
}  // namespace tidemark::cache
