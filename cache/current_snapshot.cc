#include "cache/current_snapshot.h"

#include <algorithm>
#include <cstddef>

namespace tidemark::cache {
namespace {

// More than threads take a snapshot in the same nanoseconds; with all in use, a reader tries them in turn.
constexpr size_t kSlots = 128;

struct alignas(64) TakerSlot {
  std::atomic<const Snapshot*> announced{nullptr};
};

TakerSlot g_slots[kSlots];
// Threads that ever took one: slots beyond were never used.
std::atomic<size_t> g_takers{0};

TakerSlot& ClaimSlot(const Snapshot* snapshot) {
  thread_local const size_t own = g_takers.fetch_add(1, std::memory_order_seq_cst);
  for (size_t i = own;; ++i) {
    const Snapshot* free = nullptr;
    TakerSlot& slot = g_slots[i % kSlots];
    if (slot.announced.compare_exchange_strong(free, snapshot, std::memory_order_seq_cst)) return slot;
    // Somebody else's slot may be beyond those that the writer looks at.
    if (g_takers.load(std::memory_order_relaxed) < kSlots) g_takers.store(kSlots, std::memory_order_seq_cst);
  }
}

}  // namespace

SnapshotRef CurrentSnapshot::Take() const {
  const Snapshot* snapshot = current_.load(std::memory_order_seq_cst);
  TakerSlot& slot = ClaimSlot(snapshot);
  // Announced too late if the writer has set another one since.
  for (const Snapshot* again; (again = current_.load(std::memory_order_seq_cst)) != snapshot; snapshot = again) {
    slot.announced.store(again, std::memory_order_seq_cst);
  }
  SnapshotRef ref = SnapshotRef::Share(snapshot);
  slot.announced.store(nullptr, std::memory_order_release);
  return ref;
}

bool CurrentSnapshot::IsBeingTaken(const Snapshot* snapshot) {
  const size_t used = std::min(kSlots, g_takers.load(std::memory_order_seq_cst));
  return std::any_of(g_slots, g_slots + used, [snapshot](const TakerSlot& slot) {
    return slot.announced.load(std::memory_order_seq_cst) == snapshot;
  });
}

}  // namespace tidemark::cache
