// SlotTree is a persistent counted B+tree of slots in key order: of all objects, and of the bigger sets of an
// index. It holds no keys: readers compare through slot, object and key in their own snapshot, the writer by
// order numbers (cache/key_order.h).
//
//   inner node   child  child  child     what an inner node knows of a child's keys is the slot of its first object,
//                count  count  count     rewritten on every path that is copied: no slot outlives its object's place
//                first  first  first     in the tree
//
// A root is a plain pointer; nullptr is the empty tree.
//
// Thread-safety: published nodes are immutable; the functions that take a Reclaimer are the writer's.
// Cost:          Insert and Erase copy one path, once per batch; Select 50 ns, LowerBound 1 to 2 us of 300,000, a walk
//                1 ns per slot.
#ifndef TIDEMARK_CACHE_SLOT_TREE_H_
#define TIDEMARK_CACHE_SLOT_TREE_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cache/reclaimer.h"
#include "cache/slot_vector.h"

namespace tidemark::cache {

struct SlotNode : Piece {
  uint8_t level;     // 0: a leaf
  uint8_t size;      // entries in use
  uint8_t capacity;  // entries there is room for
  // A leaf: Slot[capacity]. An inner node: SlotNode*[capacity], then counts and first slots, uint32_t[capacity] each.
};

class SlotTree {
 public:
  static constexpr size_t kFanout = 64;
  // Six levels hold any number of slots, even of nodes that are a quarter full.
  static constexpr int kLevelsMax = 8;

  static size_t Size(const SlotNode* root);
  // The slot at a place, counted from 0. REQUIRES: rank < Size(root).
  static Slot Select(const SlotNode* root, size_t rank);
  // The number of slots whose keys are below `key`.
  static size_t LowerBound(const SlotNode* root, absl::string_view key, const SlotVector& slots);

  // `order` gives each slot a number that sorts as its key. REQUIRES: the slot is not in the tree / is in it.
  [[nodiscard]] static SlotNode* Insert(SlotNode* root, Slot slot, const uint64_t* order, Reclaimer* reclaimer);
  [[nodiscard]] static SlotNode* Erase(SlotNode* root, Slot slot, const uint64_t* order, Reclaimer* reclaimer);
  // A tree of these slots, which are in key order.
  static SlotNode* Build(absl::Span<const Slot> slots, Reclaimer* reclaimer);
  // The version being built no longer has the tree.
  static void DropAll(SlotNode* root, Reclaimer* reclaimer);

  static void ForEachNode(SlotNode* root, absl::FunctionRef<void(Piece*)> visit);
  // Stops the process where the tree breaks its own rules, order excepted.
  static void Check(const SlotNode* root);

 private:
  friend class SlotTreeWalk;
  struct Split;
  static Split InsertInto(SlotNode* node, Slot slot, bool rightmost, const uint64_t* order, Reclaimer* reclaimer);
  static Split InsertIntoLeaf(SlotNode* leaf, Slot slot, bool rightmost, const uint64_t* order, Reclaimer* reclaimer);
  static SlotNode* EraseFrom(SlotNode* node, Slot slot, const uint64_t* order, Reclaimer* reclaimer);
  static void MergeChild(SlotNode* node, size_t i, Reclaimer* reclaimer);
  static size_t CheckNode(const SlotNode* node);
};

// Hands out the slots of a tree in key order, a run at a time. The tree must stay.
class SlotTreeWalk {
 public:
  SlotTreeWalk() = default;
  // Begins at a place; at or behind the end, there is nothing to hand out.
  SlotTreeWalk(const SlotNode* root, size_t rank);
  // Empty at the end.
  absl::Span<const Slot> NextRun();

 private:
  struct Step {
    const SlotNode* node;
    size_t next;  // the child to go on with
  };
  Step path_[SlotTree::kLevelsMax];
  int depth_ = 0;
  absl::Span<const Slot> first_run_;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_SLOT_TREE_H_
