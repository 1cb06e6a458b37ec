// SlotVector maps slot numbers to objects: a persistent radix tree. A slot is an object's number for its life, so that
// trees and index sets hold 4 bytes per object and an update changes nothing but this vector.
//
// Thread-safety: SlotVector is an immutable value; the functions that take a Reclaimer are the writer's.
// Ownership:     nodes belong to the Reclaimer's store; objects are not counted here.
// Cost:          Get 10 ns; Set copies 2 to 4 nodes of 264 bytes, once per batch.
#ifndef TIDEMARK_CACHE_SLOT_VECTOR_H_
#define TIDEMARK_CACHE_SLOT_VECTOR_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "cache/object.h"
#include "cache/reclaimer.h"

namespace tidemark::cache {

using Slot = uint32_t;

class SlotVector {
 public:
  SlotVector() = default;

  // nullptr when nothing was set there, or nullptr was.
  const Object* Get(Slot slot) const {
    if (slot >> bits_ != 0) return nullptr;
    const void* node = root_;
    for (int shift = bits_ - kBits; node != nullptr && shift >= 0; shift -= kBits) {
      node = static_cast<const Node*>(node)->child[slot >> shift & kMask];
    }
    return static_cast<const Object*>(node);
  }

  // The vector with another object (or nullptr) in `slot`.
  [[nodiscard]] SlotVector Set(Slot slot, const Object* object, Reclaimer* reclaimer) const;

  // Calls for each object / each node, children first.
  void ForEach(absl::FunctionRef<void(Slot, const Object*)> visit) const;
  void ForEachNode(absl::FunctionRef<void(Piece*)> visit) const;

 private:
  static constexpr int kBits = 5;
  static constexpr Slot kFanout = 1u << kBits;
  static constexpr Slot kMask = kFanout - 1;
  struct Node : Piece {
    void* child[kFanout];  // nodes, or on the lowest level objects
  };

  static Node* Writable(Node* node, Reclaimer* reclaimer);
  static void Visit(const void* node, int shift, Slot first, absl::FunctionRef<void(Slot, const Object*)> visit);
  static void VisitNodes(void* node, int shift, absl::FunctionRef<void(Piece*)> visit);

  void* root_ = nullptr;
  int bits_ = 0;  // slots below 1 << bits_ have a path
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_SLOT_VECTOR_H_
