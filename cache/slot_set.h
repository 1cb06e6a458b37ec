// SlotSet is the set of objects that have one label or field value, in key order, as one word: a single slot lies in
// the word itself, up to 256 in an array, more in a counted tree. Most pairs of a cluster have one member or few.
//
//   0                    empty
//   slot << 2 | 0b01     one member
//   ArrayNode*           2 to 256 members, in key order
//   SlotNode* | 0b10     more: cache/slot_tree.h
//   (0b11 is free for the owner of the words.)
//
// Thread-safety: an immutable value over published nodes; the functions that take a Reclaimer are the writer's.
// Cost:          Insert and Erase copy one array or one path, once per batch.
#ifndef TIDEMARK_CACHE_SLOT_SET_H_
#define TIDEMARK_CACHE_SLOT_SET_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cache/reclaimer.h"
#include "cache/slot_tree.h"
#include "cache/slot_vector.h"

namespace tidemark::cache {

class SlotSet {
 public:
  static constexpr uint64_t kTagMask = 3;
  static constexpr uint64_t kForeignTag = 3;

  SlotSet() = default;
  explicit SlotSet(uint64_t word) : word_(word) {}
  uint64_t word() const { return word_; }

  bool empty() const { return word_ == 0; }
  size_t Size() const;
  // REQUIRES: !empty().
  Slot First() const;
  // The number of members whose keys are below `key`.
  size_t LowerBound(absl::string_view key, const SlotVector& slots) const;

  // `order` as in cache/slot_tree.h. REQUIRES: the slot is not in the set / is in it.
  [[nodiscard]] SlotSet Insert(Slot slot, const uint64_t* order, Reclaimer* reclaimer) const;
  [[nodiscard]] SlotSet Erase(Slot slot, const uint64_t* order, Reclaimer* reclaimer) const;

  void ForEachNode(absl::FunctionRef<void(Piece*)> visit) const;
  void Check() const;

 private:
  friend class SlotSetWalk;
  enum Tag : uint64_t { kArray = 0, kSingle = 1, kTree = 2 };
  struct ArrayNode;

  static SlotSet OfSingle(Slot slot) { return SlotSet(uint64_t{slot} << 2 | kSingle); }
  static SlotSet OfTree(SlotNode* root) { return SlotSet(reinterpret_cast<uint64_t>(root) | kTree); }
  Tag tag() const { return static_cast<Tag>(word_ & kTagMask); }
  Slot single() const { return static_cast<Slot>(word_ >> 2); }
  ArrayNode* array() const { return reinterpret_cast<ArrayNode*>(word_); }
  SlotNode* tree() const { return reinterpret_cast<SlotNode*>(word_ & ~kTagMask); }
  // The members, where they lie in one run: not of a tree.
  absl::Span<const Slot> Flat(Slot* single_member) const;
  static SlotSet OfFlat(absl::Span<const Slot> slots, Reclaimer* reclaimer);

  uint64_t word_ = 0;
};

// Hands out the members of a set in key order, a run at a time.
class SlotSetWalk {
 public:
  SlotSetWalk() = default;
  SlotSetWalk(SlotSet set, size_t rank);
  SlotSetWalk(const SlotSetWalk&) = delete;
  SlotSetWalk& operator=(const SlotSetWalk&) = delete;
  // Empty at the end.
  absl::Span<const Slot> NextRun();

 private:
  Slot single_ = 0;
  absl::Span<const Slot> flat_;
  SlotTreeWalk tree_;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_SLOT_SET_H_
