#include "cache/slot_tree.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace tidemark::cache {
namespace {

// Nodes are merged with a neighbour below a quarter, if both then fill no more than three quarters.
constexpr size_t kSmall = SlotTree::kFanout / 4;
constexpr size_t kMergedMax = SlotTree::kFanout * 3 / 4;
// Capacities grow in these steps: right-sized nodes save a tenth.
constexpr size_t kCapacityStep = 8;

Slot* Slots(SlotNode* leaf) { return reinterpret_cast<Slot*>(leaf + 1); }
const Slot* Slots(const SlotNode* leaf) { return reinterpret_cast<const Slot*>(leaf + 1); }
SlotNode** Children(SlotNode* node) { return reinterpret_cast<SlotNode**>(node + 1); }
SlotNode* const* Children(const SlotNode* node) { return reinterpret_cast<SlotNode* const*>(node + 1); }
uint32_t* Counts(SlotNode* node) { return reinterpret_cast<uint32_t*>(Children(node) + node->capacity); }
const uint32_t* Counts(const SlotNode* node) {
  return reinterpret_cast<const uint32_t*>(Children(node) + node->capacity);
}
Slot* Firsts(SlotNode* node) { return Counts(node) + node->capacity; }
const Slot* Firsts(const SlotNode* node) { return Counts(node) + node->capacity; }

Slot FirstOf(const SlotNode* node) { return node->level == 0 ? Slots(node)[0] : Firsts(node)[0]; }

uint32_t CountOf(const SlotNode* node) {
  if (node->level == 0) return node->size;
  uint32_t count = 0;
  for (size_t i = 0; i < node->size; ++i) count += Counts(node)[i];
  return count;
}

SlotNode* NewNode(uint8_t level, size_t size, Reclaimer* reclaimer) {
  static_assert(sizeof(SlotNode) == 8);
  const size_t capacity = std::min(SlotTree::kFanout, (size + kCapacityStep - 1) / kCapacityStep * kCapacityStep);
  const size_t entry_bytes = level == 0 ? sizeof(Slot) : sizeof(SlotNode*) + sizeof(uint32_t) + sizeof(Slot);
  SlotNode* const node = static_cast<SlotNode*>(reclaimer->Allocate(sizeof(SlotNode) + capacity * entry_bytes));
  node->level = level;
  node->size = 0;
  node->capacity = static_cast<uint8_t>(capacity);
  return node;
}

// Appends entries [begin, end) of `from`, a node of the same level.
void AppendEntries(SlotNode* to, const SlotNode* from, size_t begin, size_t end) {
  const size_t n = end - begin;
  if (to->level == 0) {
    std::memcpy(Slots(to) + to->size, Slots(from) + begin, n * sizeof(Slot));
  } else {
    std::memcpy(Children(to) + to->size, Children(from) + begin, n * sizeof(SlotNode*));
    std::memcpy(Counts(to) + to->size, Counts(from) + begin, n * sizeof(uint32_t));
    std::memcpy(Firsts(to) + to->size, Firsts(from) + begin, n * sizeof(Slot));
  }
  to->size = static_cast<uint8_t>(to->size + n);
}

// The node itself, or a copy in its place, with room for `size` entries.
SlotNode* Writable(SlotNode* node, size_t size, Reclaimer* reclaimer) {
  if (reclaimer->IsMine(node) && node->capacity >= size) return node;
  SlotNode* const copy = NewNode(node->level, std::max<size_t>(size, node->size), reclaimer);
  AppendEntries(copy, node, 0, node->size);
  reclaimer->Drop(node);
  return copy;
}

template <typename T>
void InsertAt(T* array, size_t size, size_t i, T value) {
  std::memmove(array + i + 1, array + i, (size - i) * sizeof(T));
  array[i] = value;
}

template <typename T>
void RemoveAt(T* array, size_t size, size_t i) {
  std::memmove(array + i, array + i + 1, (size - i - 1) * sizeof(T));
}

// Sets what an inner node says of its child `i`.
void Describe(SlotNode* node, size_t i, SlotNode* child) {
  Children(node)[i] = child;
  Counts(node)[i] = CountOf(child);
  Firsts(node)[i] = FirstOf(child);
}

// REQUIRES: there is room for one more.
void AddChild(SlotNode* node, size_t i, SlotNode* child) {
  InsertAt(Children(node), node->size, i, child);
  InsertAt(Counts(node), node->size, i, CountOf(child));
  InsertAt(Firsts(node), node->size, i, FirstOf(child));
  ++node->size;
}

void RemoveChild(SlotNode* node, size_t i) {
  RemoveAt(Children(node), node->size, i);
  RemoveAt(Counts(node), node->size, i);
  RemoveAt(Firsts(node), node->size, i);
  --node->size;
}

// The child in whose range the slot's number lies.
size_t ChildByOrder(const SlotNode* node, Slot slot, const uint64_t* order) {
  const Slot* const firsts = Firsts(node);
  const auto* const behind = std::upper_bound(firsts + 1, firsts + node->size, order[slot],
                                              [order](uint64_t number, Slot first) { return number < order[first]; });
  return static_cast<size_t>(behind - firsts) - 1;
}

size_t PlaceByOrder(const SlotNode* leaf, Slot slot, const uint64_t* order) {
  const Slot* const slots = Slots(leaf);
  const auto* const place = std::lower_bound(slots, slots + leaf->size, order[slot],
                                             [order](Slot member, uint64_t number) { return order[member] < number; });
  return static_cast<size_t>(place - slots);
}

// Puts the slot behind all others where that changes no node but the writer's own: false when its place is another one, or a node
// would have to grow, to be split or to be copied.
bool AppendInPlace(SlotNode* root, Slot slot, const uint64_t* order, const Reclaimer& reclaimer) {
  SlotNode* leaf = root;
  for (; leaf->level > 0; leaf = Children(leaf)[leaf->size - 1]) {
    if (!reclaimer.IsMine(leaf)) return false;
  }
  if (!reclaimer.IsMine(leaf) || leaf->size == leaf->capacity) return false;
  if (order[Slots(leaf)[leaf->size - 1]] > order[slot]) return false;
  for (SlotNode* node = root; node != leaf; node = Children(node)[node->size - 1]) ++Counts(node)[node->size - 1];
  Slots(leaf)[leaf->size++] = slot;
  return true;
}

}  // namespace

// What became of a node: itself, and a new right neighbour if it had to be split.
struct SlotTree::Split {
  SlotNode* node;
  SlotNode* right;
};

size_t SlotTree::Size(const SlotNode* root) { return root == nullptr ? 0 : CountOf(root); }

Slot SlotTree::Select(const SlotNode* root, size_t rank) {
  const SlotNode* node = root;
  while (node->level > 0) {
    size_t i = 0;
    while (rank >= Counts(node)[i]) rank -= Counts(node)[i++];
    node = Children(node)[i];
  }
  return Slots(node)[rank];
}

size_t SlotTree::LowerBound(const SlotNode* root, absl::string_view key, const SlotVector& slots) {
  if (root == nullptr) return 0;
  const auto below = [&slots](Slot slot, absl::string_view bound) { return slots.Get(slot)->key() < bound; };
  size_t rank = 0;
  const SlotNode* node = root;
  while (node->level > 0) {
    const Slot* const firsts = Firsts(node);
    const size_t i = static_cast<size_t>(std::lower_bound(firsts + 1, firsts + node->size, key, below) - firsts) - 1;
    for (size_t left = 0; left < i; ++left) rank += Counts(node)[left];
    node = Children(node)[i];
  }
  return rank + static_cast<size_t>(std::lower_bound(Slots(node), Slots(node) + node->size, key, below) - Slots(node));
}

SlotTree::Split SlotTree::InsertIntoLeaf(SlotNode* leaf, Slot slot, bool rightmost, const uint64_t* order,
                                         Reclaimer* reclaimer) {
  const size_t place = PlaceByOrder(leaf, slot, order);
  if (leaf->size < kFanout) {
    leaf = Writable(leaf, leaf->size + 1u, reclaimer);
    InsertAt(Slots(leaf), leaf->size, place, slot);
    ++leaf->size;
    return {leaf, nullptr};
  }
  // Appended to in key order, leaves stay full.
  const size_t cut = rightmost && place == kFanout ? kFanout : kFanout / 2;
  SlotNode* const right = NewNode(0, kFanout - cut + 1, reclaimer);
  AppendEntries(right, leaf, cut, kFanout);
  if (cut < kFanout) {
    SlotNode* const left = NewNode(0, cut + 1, reclaimer);
    AppendEntries(left, leaf, 0, cut);
    reclaimer->Drop(leaf);
    leaf = left;
  }
  SlotNode* const target = place > cut || cut == kFanout ? right : leaf;
  InsertAt(Slots(target), target->size, target == right ? place - cut : place, slot);
  ++target->size;
  return {leaf, right};
}

SlotTree::Split SlotTree::InsertInto(SlotNode* node, Slot slot, bool rightmost, const uint64_t* order,
                                     Reclaimer* reclaimer) {
  if (node->level == 0) return InsertIntoLeaf(node, slot, rightmost, order, reclaimer);
  const size_t i = ChildByOrder(node, slot, order);
  const Split child = InsertInto(Children(node)[i], slot, rightmost && i + 1u == node->size, order, reclaimer);
  if (child.right == nullptr || node->size < kFanout) {
    node = Writable(node, node->size + (child.right == nullptr ? 0u : 1u), reclaimer);
    Describe(node, i, child.node);
    if (child.right != nullptr) AddChild(node, i + 1, child.right);
    return {node, nullptr};
  }
  const size_t cut = rightmost && i + 1u == kFanout ? kFanout - 1 : kFanout / 2;
  SlotNode* const left = NewNode(node->level, cut + 1, reclaimer);
  SlotNode* const right = NewNode(node->level, kFanout - cut + 1, reclaimer);
  AppendEntries(left, node, 0, cut);
  AppendEntries(right, node, cut, kFanout);
  reclaimer->Drop(node);
  SlotNode* const target = i < cut ? left : right;
  const size_t at = i < cut ? i : i - cut;
  Describe(target, at, child.node);
  AddChild(target, at + 1, child.right);
  return {left, right};
}

SlotNode* SlotTree::Insert(SlotNode* root, Slot slot, const uint64_t* order, Reclaimer* reclaimer) {
  if (root == nullptr) return Build({&slot, 1}, reclaimer);
  if (AppendInPlace(root, slot, order, *reclaimer)) return root;
  const Split split = InsertInto(root, slot, true, order, reclaimer);
  if (split.right == nullptr) return split.node;
  SlotNode* const top = NewNode(static_cast<uint8_t>(split.node->level + 1), 2, reclaimer);
  AddChild(top, 0, split.node);
  AddChild(top, 1, split.right);
  return top;
}

// Merges child `i` with a neighbour if both fit into one node with room to spare.
void SlotTree::MergeChild(SlotNode* node, size_t i, Reclaimer* reclaimer) {
  SlotNode** const children = Children(node);
  const auto fits = [&](size_t left) { return children[left]->size + children[left + 1]->size <= kMergedMax; };
  size_t left;
  if (i + 1 < node->size && fits(i)) {
    left = i;
  } else if (i > 0 && fits(i - 1)) {
    left = i - 1;
  } else {
    return;
  }
  SlotNode* const right = children[left + 1];
  SlotNode* const merged = Writable(children[left], children[left]->size + size_t{right->size}, reclaimer);
  AppendEntries(merged, right, 0, right->size);
  reclaimer->Drop(right);
  Describe(node, left, merged);
  RemoveChild(node, left + 1);
}

// nullptr when nothing is left.
SlotNode* SlotTree::EraseFrom(SlotNode* node, Slot slot, const uint64_t* order, Reclaimer* reclaimer) {
  if (node->level == 0) {
    const size_t place = PlaceByOrder(node, slot, order);
    TM_CHECK(place < node->size && Slots(node)[place] == slot) << "slot " << slot << " is not where its number says";
    if (node->size == 1) {
      reclaimer->Drop(node);
      return nullptr;
    }
    node = Writable(node, node->size, reclaimer);
    RemoveAt(Slots(node), node->size, place);
    --node->size;
    return node;
  }
  const size_t i = ChildByOrder(node, slot, order);
  SlotNode* const child = EraseFrom(Children(node)[i], slot, order, reclaimer);
  if (child == nullptr && node->size == 1) {
    reclaimer->Drop(node);
    return nullptr;
  }
  node = Writable(node, node->size, reclaimer);
  if (child == nullptr) {
    RemoveChild(node, i);
    return node;
  }
  Describe(node, i, child);
  if (child->size < kSmall) MergeChild(node, i, reclaimer);
  return node;
}

SlotNode* SlotTree::Erase(SlotNode* root, Slot slot, const uint64_t* order, Reclaimer* reclaimer) {
  SlotNode* node = EraseFrom(root, slot, order, reclaimer);
  while (node != nullptr && node->level > 0 && node->size == 1) {
    SlotNode* const only = Children(node)[0];
    reclaimer->Drop(node);
    node = only;
  }
  return node;
}

SlotNode* SlotTree::Build(absl::Span<const Slot> slots, Reclaimer* reclaimer) {
  SlotNode* root = nullptr;
  for (; !slots.empty(); slots.remove_prefix(std::min(slots.size(), kFanout))) {
    const absl::Span<const Slot> part = slots.first(std::min(slots.size(), kFanout));
    SlotNode* const leaf = NewNode(0, part.size(), reclaimer);
    std::memcpy(Slots(leaf), part.data(), part.size() * sizeof(Slot));
    leaf->size = static_cast<uint8_t>(part.size());
    if (root == nullptr) {
      root = leaf;
      continue;
    }
    if (root->level == 0) {
      SlotNode* const top = NewNode(1, 2, reclaimer);
      AddChild(top, 0, root);
      root = top;
    }
    TM_CHECK(root->size < kFanout) << "a tree of more than two levels is grown, not built";
    root = Writable(root, root->size + 1u, reclaimer);
    AddChild(root, root->size, leaf);
  }
  return root;
}

void SlotTree::DropAll(SlotNode* root, Reclaimer* reclaimer) {
  ForEachNode(root, [reclaimer](Piece* piece) { reclaimer->Drop(piece); });
}

void SlotTree::ForEachNode(SlotNode* root, absl::FunctionRef<void(Piece*)> visit) {
  if (root == nullptr) return;
  for (size_t i = 0; root->level > 0 && i < root->size; ++i) ForEachNode(Children(root)[i], visit);
  visit(root);
}

size_t SlotTree::CheckNode(const SlotNode* node) {
  TM_CHECK(node->size > 0 && node->size <= node->capacity && node->capacity <= kFanout)
      << "a node of " << int{node->size} << " entries with room for " << int{node->capacity};
  if (node->level == 0) return node->size;
  size_t count = 0;
  for (size_t i = 0; i < node->size; ++i) {
    const SlotNode* const child = Children(node)[i];
    TM_CHECK(child->level + 1 == node->level) << "leaves at unequal depth";
    TM_CHECK(FirstOf(child) == Firsts(node)[i]) << "the first slot of a child is not what its parent says";
    const size_t child_count = CheckNode(child);
    TM_CHECK(child_count == Counts(node)[i]) << "a child has " << child_count << " slots, not " << Counts(node)[i];
    count += child_count;
  }
  return count;
}

void SlotTree::Check(const SlotNode* root) {
  if (root != nullptr) CheckNode(root);
}

SlotTreeWalk::SlotTreeWalk(const SlotNode* root, size_t rank) {
  if (root == nullptr || rank >= CountOf(root)) return;
  const SlotNode* node = root;
  while (node->level > 0) {
    size_t i = 0;
    while (rank >= Counts(node)[i]) rank -= Counts(node)[i++];
    TM_CHECK(depth_ < SlotTree::kLevelsMax) << "a tree of more than " << SlotTree::kLevelsMax << " levels";
    path_[depth_++] = {node, i + 1};
    node = Children(node)[i];
  }
  first_run_ = absl::Span<const Slot>(Slots(node), node->size).subspan(rank);
}

absl::Span<const Slot> SlotTreeWalk::NextRun() {
  if (!first_run_.empty()) return std::exchange(first_run_, {});
  while (depth_ > 0 && path_[depth_ - 1].next == path_[depth_ - 1].node->size) --depth_;
  if (depth_ == 0) return {};
  Step& step = path_[depth_ - 1];
  const SlotNode* node = Children(step.node)[step.next++];
  while (node->level > 0) {
    path_[depth_++] = {node, 1};
    node = Children(node)[0];
  }
  return {Slots(node), node->size};
}

}  // namespace tidemark::cache
