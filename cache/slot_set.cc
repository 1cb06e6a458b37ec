#include "cache/slot_set.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/check.h"

namespace tidemark::cache {
namespace {

constexpr size_t kArrayMax = 256;
// A shrinking tree becomes an array well below the size at which an array becomes a tree.
constexpr size_t kTreeMin = 128;
// Arrays have room for 4, 8, 12, ... members: what malloc's steps of 16 bytes hold behind the header.
constexpr size_t kArrayStep = 4;

// Lists append: the last one is asked first.
size_t PlaceInFlat(absl::Span<const Slot> flat, Slot slot, const uint64_t* order) {
  if (flat.empty() || order[flat.back()] < order[slot]) return flat.size();
  const auto before = [order](Slot a, Slot b) { return order[a] < order[b]; };
  return static_cast<size_t>(std::lower_bound(flat.begin(), flat.end(), slot, before) - flat.begin());
}

}  // namespace

struct SlotSet::ArrayNode : Piece {
  uint16_t size;
  uint16_t capacity;

  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
};

absl::Span<const Slot> SlotSet::Flat(Slot* single_member) const {
  if (empty()) return {};
  if (tag() == kArray) return {array()->slots(), array()->size};
  *single_member = single();
  return {single_member, 1};
}

SlotSet SlotSet::OfFlat(absl::Span<const Slot> slots, Reclaimer* reclaimer) {
  if (slots.empty()) return SlotSet();
  if (slots.size() == 1) return OfSingle(slots[0]);
  if (slots.size() > kArrayMax) return OfTree(SlotTree::Build(slots, reclaimer));
  const size_t capacity = (slots.size() + kArrayStep - 1) / kArrayStep * kArrayStep;
  static_assert(sizeof(ArrayNode) == 8);
  ArrayNode* const node = static_cast<ArrayNode*>(reclaimer->Allocate(sizeof(ArrayNode) + capacity * sizeof(Slot)));
  node->size = static_cast<uint16_t>(slots.size());
  node->capacity = static_cast<uint16_t>(capacity);
  std::memcpy(node->slots(), slots.data(), slots.size() * sizeof(Slot));
  return SlotSet(reinterpret_cast<uint64_t>(node));
}

size_t SlotSet::Size() const {
  if (tag() == kTree) return SlotTree::Size(tree());
  Slot member;
  return Flat(&member).size();
}

Slot SlotSet::First() const {
  if (tag() == kTree) return SlotTree::Select(tree(), 0);
  Slot member;
  return Flat(&member)[0];
}

size_t SlotSet::LowerBound(absl::string_view key, const SlotVector& slots) const {
  if (tag() == kTree) return SlotTree::LowerBound(tree(), key, slots);
  Slot member;
  const absl::Span<const Slot> flat = Flat(&member);
  const auto below = [&slots](Slot slot, absl::string_view bound) { return slots.Get(slot)->key() < bound; };
  return static_cast<size_t>(std::lower_bound(flat.begin(), flat.end(), key, below) - flat.begin());
}

SlotSet SlotSet::Insert(Slot slot, const uint64_t* order, Reclaimer* reclaimer) const {
  if (tag() == kTree) return OfTree(SlotTree::Insert(tree(), slot, order, reclaimer));
  Slot member;
  const absl::Span<const Slot> flat = Flat(&member);
  const size_t place = PlaceInFlat(flat, slot, order);
  const bool is_array = !empty() && tag() == kArray;
  if (is_array && reclaimer->IsMine(array()) && array()->size < array()->capacity) {
    Slot* const slots = array()->slots();
    std::memmove(slots + place + 1, slots + place, (array()->size - place) * sizeof(Slot));
    slots[place] = slot;
    ++array()->size;
    return *this;
  }
  Slot larger[kArrayMax + 1];
  std::copy(flat.begin(), flat.begin() + static_cast<ptrdiff_t>(place), larger);
  larger[place] = slot;
  std::copy(flat.begin() + static_cast<ptrdiff_t>(place), flat.end(), larger + place + 1);
  const SlotSet set = OfFlat({larger, flat.size() + 1}, reclaimer);
  if (is_array) reclaimer->Drop(array());
  return set;
}

SlotSet SlotSet::Erase(Slot slot, const uint64_t* order, Reclaimer* reclaimer) const {
  if (tag() == kTree) {
    SlotNode* const root = SlotTree::Erase(tree(), slot, order, reclaimer);
    if (SlotTree::Size(root) >= kTreeMin) return OfTree(root);
    std::vector<Slot> slots;
    SlotTreeWalk walk(root, 0);
    for (absl::Span<const Slot> run = walk.NextRun(); !run.empty(); run = walk.NextRun()) {
      slots.insert(slots.end(), run.begin(), run.end());
    }
    SlotTree::DropAll(root, reclaimer);
    return OfFlat(slots, reclaimer);
  }
  Slot member;
  const absl::Span<const Slot> flat = Flat(&member);
  const size_t place = PlaceInFlat(flat, slot, order);
  TM_CHECK(place < flat.size() && flat[place] == slot) << "slot " << slot << " is not in the set";
  const bool is_array = tag() == kArray;
  if (is_array && reclaimer->IsMine(array()) && array()->size > 2) {
    Slot* const slots = array()->slots();
    std::memmove(slots + place, slots + place + 1, (array()->size - place - 1) * sizeof(Slot));
    --array()->size;
    return *this;
  }
  Slot smaller[kArrayMax];
  std::copy(flat.begin(), flat.begin() + static_cast<ptrdiff_t>(place), smaller);
  std::copy(flat.begin() + static_cast<ptrdiff_t>(place) + 1, flat.end(), smaller + place);
  const SlotSet set = OfFlat({smaller, flat.size() - 1}, reclaimer);
  if (is_array) reclaimer->Drop(array());
  return set;
}

void SlotSet::ForEachNode(absl::FunctionRef<void(Piece*)> visit) const {
  if (empty() || tag() == kSingle) return;
  if (tag() == kTree) {
    SlotTree::ForEachNode(tree(), visit);
  } else {
    visit(array());
  }
}

void SlotSet::Check() const {
  if (empty() || tag() == kSingle) return;
  if (tag() == kTree) {
    SlotTree::Check(tree());
    TM_CHECK(Size() >= kTreeMin) << "a tree of " << Size() << " slots";
  } else {
    TM_CHECK(array()->size >= 2 && array()->size <= array()->capacity && array()->size <= kArrayMax)
        << "an array of " << array()->size << " slots with room for " << array()->capacity;
  }
}

SlotSetWalk::SlotSetWalk(SlotSet set, size_t rank) {
  if (!set.empty() && set.tag() == SlotSet::kTree) {
    tree_ = SlotTreeWalk(set.tree(), rank);
    return;
  }
  const absl::Span<const Slot> flat = set.Flat(&single_);
  flat_ = flat.subspan(std::min(rank, flat.size()));
}

absl::Span<const Slot> SlotSetWalk::NextRun() {
  if (!flat_.empty()) return std::exchange(flat_, {});
  return tree_.NextRun();
}

}  // namespace tidemark::cache
