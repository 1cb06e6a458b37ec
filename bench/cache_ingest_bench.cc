// What one writer thread does per second with objects that arrive: read, splice, index, publish. And
// what it keeps in memory.
#include <memory>
#include <vector>

#include "base/heap.h"
#include "bench/pod_values.h"
#include "benchmark/benchmark.h"
#include "cache/indexed_store.h"
#include "metrics/process_stats.h"
#include "proto/envelope.h"
#include "proto/json_to_protobuf.h"
#include "proto/kubernetes_schema.h"

namespace tidemark::bench {
namespace {

constexpr uint64_t kObjects = 300000;

using cache::IndexedStore;

double ResidentBytes() {
  ReturnFreedMemory();
  return metrics::ReadResidentBytes();
}

std::unique_ptr<IndexedStore> Load(uint64_t objects) {
  auto store = std::make_unique<IndexedStore>(Pods());
  store->BeginReplace();
  for (uint64_t i = 0; i < objects; ++i) store->Put(PodKey(i), PodValue(i, 0), Revision(static_cast<int64_t>(i + 2)));
  store->FinishReplace();
  store->Publish(Revision(static_cast<int64_t>(objects + 2)));
  return store;
}

// The same pod as kube-apiserver stores it by default.
std::string PodMessage(uint64_t i) {
  std::string message;
  TM_CHECK(proto::JsonToProtobuf().Append(*proto::FindKind("v1", "Pod"), PodValue(i, 0), &message).ok());
  return proto::WriteEnvelope({.api_version = "v1", .kind = "Pod", .object = message});
}

// First list: keys ascend. The values are made beforehand, a page at a time: in JSON, or in protobuf.
void BM_LoadPage(benchmark::State& state) {
  const bool protobuf = state.range(0) != 0;
  constexpr uint64_t kPage = 10000;
  std::unique_ptr<IndexedStore> store;
  std::vector<std::pair<std::string, std::string>> page;
  uint64_t next = kObjects;
  for (auto _ : state) {
    state.PauseTiming();
    if (next >= kObjects) {
      store = std::make_unique<IndexedStore>(Pods());
      store->BeginReplace();
      next = 0;
    }
    page.clear();
    for (uint64_t i = 0; i < kPage; ++i, ++next) {
      page.emplace_back(PodKey(next), protobuf ? PodMessage(next) : PodValue(next, 0));
    }
    state.ResumeTiming();
    for (const auto& [key, value] : page) store->Put(key, value, Revision(2));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kPage));
}
BENCHMARK(BM_LoadPage)->ArgName("protobuf")->Arg(0)->Arg(1)->Iterations(30)->Unit(benchmark::kMillisecond);

// Objects made before the clock starts, so that only the store's work is timed.
struct Work {
  std::vector<std::pair<std::string, std::string>> puts;
  size_t next = 0;
};

void RunPuts(benchmark::State& state, IndexedStore* store, Work* work, int64_t* revision) {
  const size_t batch = static_cast<size_t>(state.range(0));
  const size_t per_iteration = std::max<size_t>(batch, 1000);
  for (auto _ : state) {
    for (size_t i = 0; i < per_iteration; ++i) {
      const auto& [key, value] = work->puts[work->next];
      work->next = (work->next + 1) % work->puts.size();
      store->Put(key, value, Revision(++*revision));
      if ((i + 1) % batch == 0) store->Publish(Revision(*revision));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(per_iteration));
}

void BM_Updates(benchmark::State& state) {
  const auto store = Load(kObjects);
  Work work;
  for (uint64_t i = 0; i < 60000; ++i) {
    const uint64_t object = Mix(i) % kObjects;
    work.puts.emplace_back(PodKey(object), PodValue(object, i));
  }
  int64_t revision = kObjects + 10;
  RunPuts(state, store.get(), &work, &revision);
}
BENCHMARK(BM_Updates)->Arg(1)->Arg(10)->Arg(100)->Iterations(100)->Unit(benchmark::kMillisecond);

void BM_UpdatesOfOneLabel(benchmark::State& state) {
  const auto store = Load(kObjects);
  Work work;
  for (uint64_t i = 0; i < 60000; ++i) {
    const uint64_t object = Mix(i) % kObjects;
    work.puts.emplace_back(PodKey(object), PodValue(object, i, 1 + static_cast<int>(i % 7)));
  }
  int64_t revision = kObjects + 10;
  RunPuts(state, store.get(), &work, &revision);
}
BENCHMARK(BM_UpdatesOfOneLabel)->Arg(1)->Arg(10)->Arg(100)->Iterations(60)->Unit(benchmark::kMillisecond);

// Deployment by deployment, as controllers create pods: ranges of 50 at random places among those that exist.
void BM_Creates(benchmark::State& state) {
  constexpr uint64_t kNew = 60000;
  auto store = std::make_unique<IndexedStore>(Pods());
  const auto is_new = [](uint64_t i) { return Mix(i / 50) % 5 == 0; };
  Work work;
  std::vector<uint64_t> deployments;
  store->BeginReplace();
  for (uint64_t i = 0; i < kObjects; ++i) {
    if (!is_new(i)) {
      store->Put(PodKey(i), PodValue(i, 0), Revision(2));
    } else if (i % 50 == 0) {
      deployments.push_back(i);
    }
  }
  store->FinishReplace();
  store->Publish(Revision(2));
  for (size_t i = deployments.size(); i > 1; --i) std::swap(deployments[i - 1], deployments[Mix(i) % i]);
  for (const uint64_t first : deployments) {
    for (uint64_t i = first; i < first + 50 && work.puts.size() < kNew; ++i)
      work.puts.emplace_back(PodKey(i), PodValue(i, 0));
  }
  int64_t revision = kObjects + 10;
  RunPuts(state, store.get(), &work, &revision);
}
BENCHMARK(BM_Creates)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Iterations(50)->Unit(benchmark::kMillisecond);

void BM_CreatesAndDeletesInRandomOrder(benchmark::State& state) {
  const auto store = Load(kObjects);
  const int64_t batch = state.range(0);
  std::vector<std::pair<std::string, std::string>> objects;
  for (uint64_t i = 0; i < 20000; ++i) {
    const uint64_t object = Mix(i) % kObjects;
    objects.emplace_back(PodKey(object), PodValue(object, 0));
  }
  int64_t revision = kObjects + 10, done = 0;
  size_t next = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < 500; ++i) {
      const auto& [key, value] = objects[next++ % objects.size()];
      store->Delete(key);
      store->Put(key, value, Revision(++revision));
      if (++done % batch == 0) store->Publish(Revision(revision));
    }
  }
  state.SetItemsProcessed(2 * done);
}
BENCHMARK(BM_CreatesAndDeletesInRandomOrder)->Arg(1)->Arg(100)->Iterations(40)->Unit(benchmark::kMillisecond);

// Resident memory over stored bytes (keys with their prefix, and values), after loading and
// after ten updates per object.
void BM_Memory(benchmark::State& state) {
  for (auto _ : state) {
    const double before = ResidentBytes();
    size_t stored = 0;
    for (uint64_t i = 0; i < kObjects; ++i)
      stored += PodKey(i).size() + 15 + PodValue(i, 0, 0, 950 + Mix(i) % 100).size();
    auto store = std::make_unique<IndexedStore>(Pods());
    store->BeginReplace();
    for (uint64_t i = 0; i < kObjects; ++i) {
      store->Put(PodKey(i), PodValue(i, 0, 0, 950 + Mix(i) % 100), Revision(static_cast<int64_t>(i + 2)));
    }
    store->FinishReplace();
    int64_t revision = kObjects + 2;
    store->Publish(Revision(revision));
    const double loaded = ResidentBytes() - before;
    state.counters["loaded"] = loaded / static_cast<double>(stored);
    for (uint64_t i = 0; i < 10 * kObjects; ++i) {
      const uint64_t object = Mix(i) % kObjects;
      store->Put(PodKey(object), PodValue(object, i, i % 10 == 0 ? 5 : 0, 950 + Mix(object) % 100),
                 Revision(++revision));
      if (i % 10 == 0) store->Publish(Revision(revision));
    }
    while (store->Reclaim(100000)) {
    }
    state.counters["after_updates"] = (ResidentBytes() - before) / static_cast<double>(stored);
    state.counters["pairs"] = static_cast<double>(store->memory().pairs);
  }
}
BENCHMARK(BM_Memory)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace tidemark::bench
