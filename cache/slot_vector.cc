#include "cache/slot_vector.h"

#include <cstring>

#include "base/check.h"

namespace tidemark::cache {

SlotVector::Node* SlotVector::Writable(Node* node, Reclaimer* reclaimer) {
  if (node != nullptr && reclaimer->IsMine(node)) return node;
  Node* const copy = static_cast<Node*>(reclaimer->Allocate(sizeof(Node)));
  if (node == nullptr) {
    std::memset(copy->child, 0, sizeof(copy->child));
  } else {
    std::memcpy(copy->child, node->child, sizeof(copy->child));
    reclaimer->Drop(node);
  }
  return copy;
}

SlotVector SlotVector::Set(Slot slot, const Object* object, Reclaimer* reclaimer) const {
  constexpr int kBitsMax = 30;
  TM_CHECK(slot >> kBitsMax == 0) << "too many objects: slot " << slot;
  SlotVector next = *this;
  // One level more on top until the slot has a path.
  while (next.root_ == nullptr || slot >> next.bits_ != 0) {
    Node* const root = Writable(nullptr, reclaimer);
    root->child[0] = next.root_;
    next.root_ = root;
    next.bits_ += kBits;
  }
  void** place = &next.root_;
  for (int shift = next.bits_ - kBits; shift >= 0; shift -= kBits) {
    Node* const node = Writable(static_cast<Node*>(*place), reclaimer);
    *place = node;
    place = &node->child[slot >> shift & kMask];
  }
  *place = const_cast<Object*>(object);
  return next;
}

void SlotVector::ForEach(absl::FunctionRef<void(Slot, const Object*)> visit) const {
  Visit(root_, bits_ - kBits, 0, visit);
}

void SlotVector::ForEachNode(absl::FunctionRef<void(Piece*)> visit) const { VisitNodes(root_, bits_ - kBits, visit); }

void SlotVector::Visit(const void* node, int shift, Slot first, absl::FunctionRef<void(Slot, const Object*)> visit) {
  if (node == nullptr) return;
  if (shift < 0) {
    visit(first, static_cast<const Object*>(node));
    return;
  }
  for (Slot i = 0; i < kFanout; ++i) {
    Visit(static_cast<const Node*>(node)->child[i], shift - kBits, first + (i << shift), visit);
  }
}

void SlotVector::VisitNodes(void* node, int shift, absl::FunctionRef<void(Piece*)> visit) {
  if (node == nullptr || shift < 0) return;
  for (void* const child : static_cast<Node*>(node)->child) VisitNodes(child, shift - kBits, visit);
  visit(static_cast<Node*>(node));
}

}  // namespace tidemark::cache
