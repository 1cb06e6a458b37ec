// What a List costs on 300,000 pods: indexes, pages, counts, intersections, negations; and taking the current snapshot.
#include <string>
#include <vector>

#include "base/check.h"
#include "bench/pod_values.h"
#include "benchmark/benchmark.h"
#include "cache/indexed_store.h"
#include "cache/overlay_snapshot.h"

namespace tidemark::bench {
namespace {

constexpr uint64_t kObjects = 300000;
constexpr size_t kStep = 256;  // objects per call, as a reply is written

using cache::IndexedStore;
using cache::ListQuery;
using cache::Object;
using cache::Snapshot;

IndexedStore& Store() {
  static IndexedStore* const store = [] {
    auto* const made = new IndexedStore(Pods());
    made->BeginReplace();
    // In random order, so that memory is as scattered as after some weeks.
    for (uint64_t i = 0; i < kObjects; ++i) {
      const uint64_t object = i * 7919 % kObjects;
      made->Put(PodKey(object), PodValue(object, 0), Revision(static_cast<int64_t>(i + 2)));
    }
    made->FinishReplace();
    made->Publish(Revision(kObjects + 2));
    return made;
  }();
  return *store;
}

ListQuery Query(const std::string& labels, const std::string& fields = "") {
  ListQuery query;
  const auto label_requirements = cache::ParseLabelSelector(labels);
  const auto field_requirements = cache::ParseFieldSelector(fields, Pods());
  TM_CHECK(label_requirements.ok() && field_requirements.ok()) << "a selector does not parse";
  query.selector.requirements = *label_requirements;
  for (const auto& requirement : *field_requirements) query.selector.requirements.push_back(requirement);
  return query;
}

// Lists and touches each object's header, as a sender does.
void Run(benchmark::State& state, const ListQuery& query, const Snapshot& snapshot) {
  std::vector<const Object*> objects;
  size_t listed = 0, bytes = 0;
  std::string plan;
  for (auto _ : state) {
    const auto cursor = snapshot.List(query);
    listed = 0;
    bool more = true;
    while (more) {
      objects.clear();
      const auto next = cursor->Next(kStep, &objects);
      TM_CHECK(next.ok()) << next.status().ToString();
      more = *next;
      listed += objects.size();
      for (const Object* const object : objects) bytes += object->Item().size();
    }
    plan = cursor->plan();
  }
  benchmark::DoNotOptimize(bytes);
  state.SetLabel(plan);
  state.counters["listed"] = static_cast<double>(listed);
}

void Run(benchmark::State& state, const ListQuery& query) { Run(state, query, *Store().Current()); }

void BM_ListAll(benchmark::State& state) { Run(state, {}); }
BENCHMARK(BM_ListAll)->Unit(benchmark::kMillisecond);

void BM_ListFirstPageOf500(benchmark::State& state) {
  ListQuery query;
  query.limit = 500;
  Run(state, query);
}
BENCHMARK(BM_ListFirstPageOf500)->Unit(benchmark::kMicrosecond);

void BM_ListPageOf500OfALabel(benchmark::State& state) {
  ListQuery query = Query("tier=tier-1");
  query.limit = 500;
  query.start_key = "team-20/";
  Run(state, query);
}
BENCHMARK(BM_ListPageOf500OfALabel)->Unit(benchmark::kMicrosecond);

void BM_ListNamespace(benchmark::State& state) {
  ListQuery query;
  query.scope.namespace_name = "team-07";
  Run(state, query);
}
BENCHMARK(BM_ListNamespace)->Unit(benchmark::kMicrosecond);

void BM_ListPodsOfANode(benchmark::State& state) { Run(state, Query("", "spec.nodeName=node-0777")); }
BENCHMARK(BM_ListPodsOfANode)->Unit(benchmark::kMicrosecond);

void BM_ListNobody(benchmark::State& state) { Run(state, Query("app=nobody")); }
BENCHMARK(BM_ListNobody)->Unit(benchmark::kMicrosecond);

// 100,000 and 6,000 members, none of them in common.
void BM_ListTwoLabelsWithNothingInCommon(benchmark::State& state) {
  Run(state, Query("tier=tier-1,team=t49,team=t01"));
}
BENCHMARK(BM_ListTwoLabelsWithNothingInCommon)->Unit(benchmark::kMicrosecond);

// 100,000 each.
void BM_ListTwoBigLabelsWithNothingInCommon(benchmark::State& state) {
  Run(state, Query("tier=tier-1,tier in (tier-2)"));
}
BENCHMARK(BM_ListTwoBigLabelsWithNothingInCommon)->Unit(benchmark::kMicrosecond);

void BM_ListTwoLabelsWithSomeInCommon(benchmark::State& state) { Run(state, Query("tier=tier-1,team=t07")); }
BENCHMARK(BM_ListTwoLabelsWithSomeInCommon)->Unit(benchmark::kMicrosecond);

void BM_ListNotEqualThatMatchesNone(benchmark::State& state) { Run(state, Query("", "status.phase!=Running")); }
BENCHMARK(BM_ListNotEqualThatMatchesNone)->Unit(benchmark::kMicrosecond);

void BM_ListNotInThatMatchesNone(benchmark::State& state) { Run(state, Query("tier notin (tier-0,tier-1,tier-2)")); }
BENCHMARK(BM_ListNotInThatMatchesNone)->Unit(benchmark::kMicrosecond);

void BM_ListNotEqualWithinANamespace(benchmark::State& state) {
  ListQuery query = Query("tier!=tier-1");
  query.scope.namespace_name = "team-07";
  Run(state, query);
}
BENCHMARK(BM_ListNotEqualWithinANamespace)->Unit(benchmark::kMicrosecond);

void BM_ListInOfTwo(benchmark::State& state) { Run(state, Query("app in (app-00017,app-04711)")); }
BENCHMARK(BM_ListInOfTwo)->Unit(benchmark::kMicrosecond);

void BM_ListFilterOfAll(benchmark::State& state) { Run(state, Query("rack>5")); }
BENCHMARK(BM_ListFilterOfAll)->Unit(benchmark::kMillisecond);

void BM_ListOverlayOf1000Keys(benchmark::State& state) {
  const cache::SnapshotRef base = Store().Current();
  cache::Overrides overrides;
  for (uint64_t i = 0; i < 1000; ++i) overrides.emplace_back(PodKey(i * 300), cache::ObjectRef());
  std::sort(overrides.begin(), overrides.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const cache::SnapshotRef overlay = cache::MakeOverlaySnapshot(base, Revision(5), std::move(overrides));
  Run(state, Query("", "spec.nodeName=node-0777"), *overlay);
}
BENCHMARK(BM_ListOverlayOf1000Keys)->Unit(benchmark::kMicrosecond);

void BM_Get(benchmark::State& state) {
  const cache::SnapshotRef snapshot = Store().Current();
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 10000; ++i) keys.push_back(PodKey(Mix(i) % kObjects));
  size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(snapshot->Get(keys[i++ % keys.size()]));
}
BENCHMARK(BM_Get);

void BM_TakeCurrentSnapshot(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Store().Current());
}
BENCHMARK(BM_TakeCurrentSnapshot)->Threads(1)->Threads(2)->Threads(4);

}  // namespace
}  // namespace tidemark::bench
