// What one event costs a mirror, from the store's bytes to the hands of every watcher it concerns: with none, with
// watchers of one node's pods each, and with watchers of everything. The clock is the thread's CPU: writer and watchers
// share it.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "bench/pod_values.h"
#include "benchmark/benchmark.h"
#include "cache/resource_mirror.h"

namespace tidemark::bench {
namespace {

constexpr uint64_t kObjects = 50'000;
constexpr uint64_t kNodes = 5'000;
constexpr size_t kEvents = 20'000;  // made before the clock starts, and sent again and again
constexpr char kPrefix[] = "/registry/pods/";

using cache::ResourceMirror;

// A store that says nothing: the benchmark plays its part.
class SilentStore : public storeclient::StoreClient {
 public:
  class Handle : public storeclient::FollowHandle {
    void RequestProgress() override {}
  };
  void ReadRevision(absl::Time, RevisionCallback) override {}
  void Range(const storeclient::RangeRequest&, absl::Time, RangeCallback) override {}
  std::unique_ptr<storeclient::FollowHandle> Follow(storeclient::FollowOptions, storeclient::FollowObserver*) override {
    return std::make_unique<Handle>();
  }
  bool ProgressTrusted() const override { return true; }
};

struct Pod {
  std::string key;
  std::string value;
};

class Cluster {
 public:
  // Events concern the pods of the first `nodes` nodes.
  explicit Cluster(uint64_t nodes) : executor_(clock_) {
    mirror_ = ResourceMirror::Make(Pods(), kPrefix, {}, &store_, &executor_, {}, {});
    mirror_->Start();
    mirror_->OnListBegin(Revision(revision_));
    std::vector<uint64_t> concerned;
    for (uint64_t i = 0; i < kObjects; ++i) {
      const Pod pod{absl::StrCat(kPrefix, PodKey(i)), PodValue(i, 0)};
      const storeclient::KeyValueView kv{pod.key, pod.value, Revision(2), Revision(2)};
      mirror_->OnListPage({&kv, 1});
      if (Mix(i * 7) % kNodes < nodes) concerned.push_back(i);
    }
    mirror_->OnListDone();
    for (size_t e = 0; e < kEvents; ++e) {
      const uint64_t i = concerned[e * 7919 % concerned.size()];
      events_.push_back({absl::StrCat(kPrefix, PodKey(i)), PodValue(i, e + 1)});
    }
  }
  ~Cluster() {
    watchers_.clear();
    mirror_->Stop();
  }

  void Watch(cache::Selector selector) {
    const size_t watcher = watchers_.size();
    auto cursor = mirror_->Watch({.selector = std::move(selector), .after = Revision(revision_)},
                                 [this, watcher] { woken_.push_back(watcher); });
    TM_CHECK(cursor.ok()) << cursor.status().ToString();
    watchers_.push_back(*std::move(cursor));
    Drain(watcher);
  }
  // One call of the store's stream, and everything that follows from it.
  void Send(size_t batch) {
    views_.clear();
    for (size_t i = 0; i < batch; ++i, next_ = (next_ + 1) % events_.size()) {
      const Pod& pod = events_[next_];
      views_.push_back({storeclient::EventView::Type::kPut, {pod.key, pod.value, Revision(2), Revision(++revision_)}});
    }
    mirror_->OnEvents(views_);
    std::vector<size_t> woken;
    woken.swap(woken_);
    for (size_t watcher : woken) Drain(watcher);
  }
  size_t delivered() const { return delivered_; }

 private:
  void Drain(size_t watcher) {
    do {
      out_.clear();
      TM_CHECK(watchers_[watcher]->Next(64, &out_).ok()) << "watcher " << watcher;
      delivered_ += out_.size();
    } while (!out_.empty());
  }

  SimClock clock_;
  SimExecutor executor_;
  SilentStore store_;
  std::shared_ptr<ResourceMirror> mirror_;
  int64_t revision_ = 2;
  std::vector<Pod> events_;
  size_t next_ = 0;
  std::vector<storeclient::EventView> views_;
  std::vector<std::unique_ptr<cache::WatchCursor>> watchers_;
  std::vector<size_t> woken_;
  std::vector<cache::WatchEvent> out_;
  size_t delivered_ = 0;
};

void Measure(benchmark::State& state, Cluster* cluster, size_t batch) {
  const size_t before = cluster->delivered();
  for (auto _ : state) cluster->Send(batch);
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(batch));
  state.counters["delivered/event"] = static_cast<double>(cluster->delivered() - before) /
                                      (static_cast<double>(state.iterations()) * static_cast<double>(batch));
}

// Arguments: watchers, each of one node's pods; nodes whose pods change; events per message.
void BM_WatchersOfOneNodeEach(benchmark::State& state) {
  Cluster cluster(static_cast<uint64_t>(state.range(1)));
  for (int64_t w = 0; w < state.range(0); ++w) {
    cluster.Watch({{{.source = cache::Requirement::Source::kField,
                     .key = "spec.nodeName",
                     .op = cache::Requirement::Op::kIn,
                     .values = {absl::StrFormat("node-%04d", w)}}}});
  }
  Measure(state, &cluster, static_cast<size_t>(state.range(2)));
}
BENCHMARK(BM_WatchersOfOneNodeEach)
    ->ArgNames({"watchers", "nodes", "batch"})
    ->Args({0, 5000, 1})
    ->Args({50, 5000, 1})
    ->Args({50, 50, 1})
    ->Args({5000, 5000, 1})
    ->Args({0, 5000, 100})
    ->Args({50, 5000, 100})
    ->Args({50, 50, 100})
    ->Args({5000, 5000, 100});

// Arguments: watchers of all pods; whether each has a selector to test.
void BM_WatchersOfEverything(benchmark::State& state) {
  Cluster cluster(kNodes);
  for (int64_t w = 0; w < state.range(0); ++w) {
    cache::Selector selector;
    if (state.range(1) != 0) {
      selector.requirements.push_back({.key = "absent", .op = cache::Requirement::Op::kNotExists, .values = {}});
    }
    cluster.Watch(std::move(selector));
  }
  Measure(state, &cluster, 1);
}
BENCHMARK(BM_WatchersOfEverything)->ArgNames({"watchers", "selector"})->Args({5000, 0})->Args({5000, 1});

}  // namespace
}  // namespace tidemark::bench
