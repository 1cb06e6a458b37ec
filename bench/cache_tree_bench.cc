// The sets that the mirror is built of: slots in key order, as one version after another is made of them, and as they
// are read.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/pod_values.h"
#include "benchmark/benchmark.h"
#include "cache/object.h"
#include "cache/reclaimer.h"
#include "cache/slot_set.h"
#include "cache/slot_tree.h"
#include "cache/slot_vector.h"

namespace tidemark::bench {
namespace {

using cache::Reclaimer;
using cache::Slot;
using cache::SlotNode;
using cache::SlotSet;
using cache::SlotTree;

constexpr Slot kSlots = 300'000;

class Unheld : public cache::HeldVersion {
 public:
  bool IsHeld() const override { return false; }
};

// kSlots objects without values: slot s has a key and an order number that sort alike.
class Table {
 public:
  Table() {
    for (Slot slot = 0; slot < kSlots; ++slot) {
      order_.push_back(slot + 1);
      objects_.push_back(cache::MakeUnreadableObject(Key(slot), Revision(1), ""));
      slots_ = slots_.Set(slot, objects_.back().get(), &reclaimer_);
    }
  }
  ~Table() {
    slots_.ForEachNode([](cache::Piece* piece) { std::free(piece); });
  }
  static std::string Key(Slot slot) { return absl::StrCat("default/", absl::Dec(slot, absl::kZeroPad8)); }
  const uint64_t* order() const { return order_.data(); }
  const cache::SlotVector& slots() const { return slots_; }

 private:
  Reclaimer reclaimer_;
  std::vector<uint64_t> order_;
  std::vector<cache::ObjectRef> objects_;
  cache::SlotVector slots_;
};

const Table& Objects() {
  static const Table* const table = new Table;  // shared by all benchmarks of the program
  return *table;
}

SlotNode* WholeTree(Reclaimer* reclaimer) {
  std::vector<Slot> all(kSlots);
  for (Slot slot = 0; slot < kSlots; ++slot) all[slot] = slot;
  return SlotTree::Build(all, reclaimer);
}

void Publish(Reclaimer* reclaimer, int64_t version) {
  reclaimer->Publish(std::make_unique<Unheld>(), Revision(version));
  reclaimer->SweepAfterBatch();
}

// An erase and an insert at a random place, `batch` of them to a version.
void BM_TreeEraseAndInsert(benchmark::State& state) {
  const Table& table = Objects();
  Reclaimer reclaimer;
  SlotNode* root = WholeTree(&reclaimer);
  int64_t changes = 0;
  for (auto _ : state) {
    const Slot slot = static_cast<Slot>(Mix(static_cast<uint64_t>(changes)) % kSlots);
    root = SlotTree::Erase(root, slot, table.order(), &reclaimer);
    root = SlotTree::Insert(root, slot, table.order(), &reclaimer);
    if (++changes % state.range(0) == 0) Publish(&reclaimer, changes);
  }
  state.SetItemsProcessed(2 * changes);
  SlotTree::DropAll(root, &reclaimer);
}
BENCHMARK(BM_TreeEraseAndInsert)->ArgName("batch")->Arg(1)->Arg(100);

void BM_TreeLowerBound(benchmark::State& state) {
  const Table& table = Objects();
  Reclaimer reclaimer;
  SlotNode* const root = WholeTree(&reclaimer);
  uint64_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        SlotTree::LowerBound(root, Table::Key(static_cast<Slot>(Mix(++i) % kSlots)), table.slots()));
  }
  SlotTree::DropAll(root, &reclaimer);
}
BENCHMARK(BM_TreeLowerBound);

void BM_TreeSelect(benchmark::State& state) {
  Reclaimer reclaimer;
  SlotNode* const root = WholeTree(&reclaimer);
  uint64_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(SlotTree::Select(root, Mix(++i) % kSlots));
  SlotTree::DropAll(root, &reclaimer);
}
BENCHMARK(BM_TreeSelect);

// An index entry of so many members: one leaves and comes back.
void BM_IndexSetEraseAndInsert(benchmark::State& state) {
  const Table& table = Objects();
  const Slot members = static_cast<Slot>(state.range(0)), apart = kSlots / members;
  Reclaimer reclaimer;
  SlotSet set;
  for (Slot i = 0; i < members; ++i) set = set.Insert(i * apart, table.order(), &reclaimer);
  int64_t changes = 0;
  for (auto _ : state) {
    const Slot slot = static_cast<Slot>(Mix(static_cast<uint64_t>(changes)) % members) * apart;
    set = set.Erase(slot, table.order(), &reclaimer);
    set = set.Insert(slot, table.order(), &reclaimer);
    if (++changes % 10 == 0) Publish(&reclaimer, changes);
  }
  state.SetItemsProcessed(2 * changes);
  while (!set.empty()) set = set.Erase(set.First(), table.order(), &reclaimer);
}
BENCHMARK(BM_IndexSetEraseAndInsert)->ArgName("members")->Arg(10)->Arg(60)->Arg(1000)->Arg(100'000);

}  // namespace
}  // namespace tidemark::bench
