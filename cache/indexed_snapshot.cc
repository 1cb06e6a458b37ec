#include "cache/indexed_snapshot.h"

#include <utility>

#include "cache/current_snapshot.h"
#include "cache/list_planner.h"

namespace tidemark::cache {

IndexedSnapshot::IndexedSnapshot(IndexOwner* owner, Revision revision, const IndexRoots& roots)
    : owner_(owner), revision_(revision), roots_(roots) {}

const Object* IndexedSnapshot::Get(absl::string_view key) const {
  const size_t rank = SlotTree::LowerBound(roots_.keys, key, roots_.slots);
  if (rank == size()) return nullptr;
  const Object* const object = roots_.slots.Get(SlotTree::Select(roots_.keys, rank));
  return object->key() == key ? object : nullptr;
}

size_t IndexedSnapshot::CountRange(const KeyRange& range) const {
  const size_t begin = SlotTree::LowerBound(roots_.keys, range.begin, roots_.slots);
  const size_t end = range.end.empty() ? size() : SlotTree::LowerBound(roots_.keys, range.end, roots_.slots);
  return end > begin ? end - begin : 0;
}

const Object* IndexedSnapshot::FindUnreadable(const KeyRange& range) const {
  return FindUnreadable(range, [](const Object&) { return true; });
}

const Object* IndexedSnapshot::FindUnreadable(const KeyRange& range,
                                              absl::FunctionRef<bool(const Object&)> counts) const {
  if (roots_.unreadable.empty()) return nullptr;
  SlotSetWalk walk(roots_.unreadable, roots_.unreadable.LowerBound(range.begin, roots_.slots));
  for (absl::Span<const Slot> run = walk.NextRun(); !run.empty(); run = walk.NextRun()) {
    for (const Slot slot : run) {
      const Object* const object = roots_.slots.Get(slot);
      if (!range.Contains(object->key())) return nullptr;
      if (counts(*object)) return object;
    }
  }
  return nullptr;
}

std::unique_ptr<ObjectSource> IndexedSnapshot::Open(const KeyRange& range, std::vector<Requirement> requirements,
                                                    std::string* plan) const {
  return PlanList(*this, range, std::move(requirements), plan);
}

bool IndexedSnapshot::IsHeld() const {
  if (owner_->IsCurrent(this) || CurrentSnapshot::IsBeingTaken(this)) return true;
  return references_.load(std::memory_order_acquire) > 1;  // one is the store's
}

void IndexedSnapshot::Dispose() const {
  IndexOwner* const owner = owner_;
  delete this;
  owner->OnDisposed();
}

}  // namespace tidemark::cache
