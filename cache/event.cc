#include "cache/event.h"

#include <mutex>

#include "base/check.h"

namespace tidemark::cache {

struct Event::FrameNode {
  explicit FrameNode(uint32_t slot) : slot(slot) {}

  const uint32_t slot;
  std::once_flag built;
  std::string bytes;
  FrameNode* next = nullptr;
};

EventRef Event::Make(Revision revision, ObjectRef object, ObjectRef old_object,
                     std::shared_ptr<FrameBytes> frame_bytes) {
  TM_CHECK(object || old_object) << "an event of nothing at revision " << revision;
  return EventRef(new Event(revision, std::move(object), std::move(old_object), std::move(frame_bytes)));
}

Event::Event(Revision revision, ObjectRef object, ObjectRef old_object, std::shared_ptr<FrameBytes> frame_bytes)
    : revision_(revision),
      object_(std::move(object)),
      old_object_(std::move(old_object)),
      frame_bytes_(std::move(frame_bytes)) {}

Event::~Event() {
  int64_t bytes = 0;
  for (FrameNode* node = frames_.load(std::memory_order_acquire); node != nullptr;) {
    bytes += static_cast<int64_t>(sizeof(FrameNode) + node->bytes.capacity());
    delete std::exchange(node, node->next);
  }
  if (frame_bytes_ != nullptr && bytes != 0) frame_bytes_->fetch_sub(bytes, std::memory_order_relaxed);
}

size_t Event::kept_bytes() const {
  constexpr size_t kAllocatorBytes = 16;  // before and behind a block
  const size_t own = sizeof(Event) + sizeof(EventRef) + kAllocatorBytes;
  return old_object_ ? own + old_object_->memory_bytes() + kAllocatorBytes : own;
}

const std::string& Event::Frame(uint32_t slot, absl::FunctionRef<std::string()> build) const {
  FrameNode* const node = FindOrAddFrame(slot);
  std::call_once(node->built, [&] {
    node->bytes = build();
    if (frame_bytes_ != nullptr) {
      frame_bytes_->fetch_add(static_cast<int64_t>(sizeof(FrameNode) + node->bytes.capacity()),
                              std::memory_order_relaxed);
    }
  });
  return node->bytes;
}

Event::FrameNode* Event::FindOrAddFrame(uint32_t slot) const {
  FrameNode* head = frames_.load(std::memory_order_acquire);
  FrameNode* seen_to = nullptr;  // nodes from here on were looked at
  std::unique_ptr<FrameNode> added;
  while (true) {
    for (FrameNode* node = head; node != seen_to; node = node->next) {
      if (node->slot == slot) return node;
    }
    if (added == nullptr) added = std::make_unique<FrameNode>(slot);
    seen_to = head;
    added->next = head;
    if (frames_.compare_exchange_weak(head, added.get(), std::memory_order_acq_rel, std::memory_order_acquire)) {
      return added.release();
    }
  }
}

}  // namespace tidemark::cache
