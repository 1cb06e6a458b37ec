// Event is one change of one object as the store made it, shared by the history and by every watcher that it concerns. What goes
// out for it on a connection, its frame, is built once per form and type by whoever first needs it, and shared by all others.
//
//   const std::string& frame = event->Frame(FrameSlot(kJsonForm, WatchEventType::kAdded), [&] { return EncodeJson(...); });
//
// Thread-safety: immutable but for the frames; Frame is thread-safe.
// Ownership:     EventRef counts references, in the event itself. An event keeps its new and its old object alive; a frame lives as
//                long as its event.
// Invariants:    a create has no old object, a delete no new one, an update both.
// Cost:          72 bytes and the old object, which only the history keeps; Frame walks a list of the few forms built.
#ifndef TIDEMARK_CACHE_EVENT_H_
#define TIDEMARK_CACHE_EVENT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "cache/object.h"

namespace tidemark::cache {

// What a watcher sees of a change, after its selector.
enum class WatchEventType : uint8_t { kAdded, kModified, kDeleted };

// Names a frame: `form` is whatever the encoder numbers (JSON, protobuf, ...).
constexpr uint32_t FrameSlot(uint32_t form, WatchEventType type) { return form << 2 | static_cast<uint32_t>(type); }

class Event;

// A counted reference to an event; empty when default-constructed.
class EventRef {
 public:
  EventRef() = default;
  EventRef(const EventRef& other);
  EventRef(EventRef&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  EventRef& operator=(EventRef other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~EventRef();

  const Event* get() const { return event_; }
  const Event& operator*() const { return *event_; }
  const Event* operator->() const { return event_; }
  explicit operator bool() const { return event_ != nullptr; }

 private:
  friend class Event;
  explicit EventRef(const Event* event) : event_(event) {}  // takes over the first reference

  const Event* event_ = nullptr;
};

class Event {
 public:
  // Bytes of all frames of one history's events that exist now.
  using FrameBytes = std::atomic<int64_t>;

  // REQUIRES: not both objects are empty. `frame_bytes`, if any, counts the frames.
  static EventRef Make(Revision revision, ObjectRef object, ObjectRef old_object,
                       std::shared_ptr<FrameBytes> frame_bytes = nullptr);
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Revision revision() const { return revision_; }
  // nullptr for a delete.
  const Object* object() const { return object_.get(); }
  // nullptr for a create.
  const Object* old_object() const { return old_object_.get(); }
  const ObjectRef& object_ref() const { return object_; }
  const ObjectRef& old_object_ref() const { return old_object_; }
  // Whichever there is, the new one first: both have the same key.
  const Object& any_object() const { return object_ ? *object_ : *old_object_; }

  // The frame of `slot`; `build` runs at most once per slot and event, whatever the number of threads that ask.
  const std::string& Frame(uint32_t slot, absl::FunctionRef<std::string()> build) const;

  // What the event costs while it is kept: itself and its old object, without frames.
  size_t kept_bytes() const;

 private:
  friend class EventRef;
  struct FrameNode;

  Event(Revision revision, ObjectRef object, ObjectRef old_object, std::shared_ptr<FrameBytes> frame_bytes);
  ~Event();
  FrameNode* FindOrAddFrame(uint32_t slot) const;

  mutable std::atomic<uint32_t> references_{1};
  const Revision revision_;
  const ObjectRef object_;
  const ObjectRef old_object_;
  mutable std::atomic<FrameNode*> frames_{nullptr};  // a list that only grows
  const std::shared_ptr<FrameBytes> frame_bytes_;
};

inline EventRef::EventRef(const EventRef& other) : event_(other.event_) {
  if (event_ != nullptr) event_->references_.fetch_add(1, std::memory_order_relaxed);
}

inline EventRef::~EventRef() {
  if (event_ != nullptr && event_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete event_;
}

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_EVENT_H_
