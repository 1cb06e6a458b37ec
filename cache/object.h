// Object is one stored object at one revision, immutable, in one block of memory: a header, its key relative to the
// resource's prefix, and its payload: the JSON or protobuf that is sent, made once when the value comes in.
//
//   value    {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u","labels":{..}},"spec":{..}}\n
//   Item()   {"metadata":{"name":"a","uid":"u","resourceVersion":"123","labels":{..}},"spec":{..}},
//
// A list of a built-in resource is its head, the Items one after the other (the last without its comma), and its tail:
// one slice per object. GET and watch frames are `{"kind":"Pod","apiVersion":"v1",` and the rest of it. The revision is spliced
// in here, once, and not when sending: one slice per item measured faster than three, and 29 bytes of memory are
// cheaper than 29 bytes per delivery. The splice comes where kube-apiserver writes the field: behind name,
// generateName, namespace, selfLink and uid in a built-in resource, in alphabetical order in a custom one.
//
// A value in protobuf is kept as the message that it is, with the revision in its metadata, and tag and length before it as an
// item of a list in protobuf has them: Item() is again one slice.
//
// One that cannot be read (a kind without tables, encrypted, broken) is an unreadable object: it has its key, its revision and a
// reason.
//
// Thread-safety: immutable; the reference count is atomic.
// Ownership:     by ObjectRef; a snapshot holds its objects without counting (cache/reclaimer.h).
// Cost:          28 bytes of header, no allocation but the one block.
#ifndef TIDEMARK_CACHE_OBJECT_H_
#define TIDEMARK_CACHE_OBJECT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "proto/revision_splice.h"

namespace tidemark::cache {

class ObjectRef;

class Object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // "default/web-1", or "node-7".
  absl::string_view key() const { return {bytes(), key_length_}; }
  // The part of the key before its first slash; empty when there is none.
  absl::string_view namespace_name() const;
  // The part of the key behind its first slash; all of it when there is none.
  absl::string_view name() const;
  Revision mod_revision() const { return Revision(mod_revision_); }

  // Whether the value could not be read; then only reason() may be asked beside the key and the revision.
  bool unreadable() const { return metadata_end_ == 0; }
  // Why: "it is not valid JSON: ...". REQUIRES: unreadable().
  absl::string_view reason() const { return {payload(), payload_length_}; }

  // Whether it is kept as protobuf. REQUIRES (this and the following): !unreadable().
  bool is_protobuf() const { return resource_version_offset_ == 0; }
  // As an item of a list in its own form: JSON with the comma that separates it from the next item, or field 2 of a message.
  absl::string_view Item() const { return {payload(), payload_length_}; }
  // REQUIRES: is_protobuf().
  absl::string_view Message() const;

  // Without that comma: the object without kind and apiVersion. REQUIRES (this and the following): !is_protobuf().
  absl::string_view Json() const { return {payload(), payload_length_ - 1u}; }
  // "metadata":{..}
  absl::string_view Metadata() const { return {payload() + 1, metadata_end_ - 1u}; }
  // The digits of metadata.resourceVersion, a part of Item() and Json(): a
  // DELETED event has others there.
  absl::string_view ResourceVersion() const;

  // Bytes of memory, without the allocator's own.
  size_t memory_bytes() const { return kHeaderBytes + key_length_ + payload_length_; }

 private:
  friend class ObjectRef;
  friend ObjectRef MakeObject(absl::string_view key, Revision mod_revision, absl::string_view head,
                              absl::string_view tail, size_t metadata_end);
  friend ObjectRef MakeProtobufObject(absl::string_view key, Revision mod_revision, absl::string_view message,
                                      const proto::RevisionSplice& splice);
  friend ObjectRef MakeUnreadableObject(absl::string_view key, Revision mod_revision, absl::string_view reason);

  static constexpr size_t kHeaderBytes = 28;

  Object() = default;
  static Object* Allocate(absl::string_view key, Revision mod_revision, size_t payload_length);
  char* bytes() { return reinterpret_cast<char*>(this) + kHeaderBytes; }
  const char* bytes() const { return reinterpret_cast<const char*>(this) + kHeaderBytes; }
  char* payload() { return bytes() + key_length_; }
  const char* payload() const { return bytes() + key_length_; }

  int64_t mod_revision_ = 0;
  mutable std::atomic<uint32_t> references_{1};
  uint32_t key_length_ = 0;
  uint32_t payload_length_ = 0;
  uint32_t metadata_end_ = 0;             // offset in the payload behind metadata; 0: unreadable
  uint32_t resource_version_offset_ = 0;  // of the first digit, in the payload; 0: protobuf
};

// Counts one reference.
class ObjectRef {
 public:
  ObjectRef() = default;
  // Counts one more reference to `object`, which may be null.
  explicit ObjectRef(const Object* object) : object_(object) { Take(); }
  ObjectRef(const ObjectRef& other) : object_(other.object_) { Take(); }
  ObjectRef(ObjectRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ObjectRef& operator=(ObjectRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~ObjectRef() { Drop(object_); }

  const Object* get() const { return object_; }
  const Object* operator->() const { return object_; }
  const Object& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  // Hands the reference over to the caller, who gives it back with Adopt or Drop.
  const Object* Release() { return std::exchange(object_, nullptr); }
  static ObjectRef Adopt(const Object* object);
  static void Drop(const Object* object);

 private:
  void Take() const {
    if (object_ != nullptr) object_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  const Object* object_ = nullptr;
};

// `head` begins with {"metadata":{ and ends where the revision belongs; "resourceVersion":"N" is put between it and
// `tail`, with the commas that are needed; `tail` begins behind the last field before it and ends with the object's
// closing brace. `metadata_end` is the offset behind metadata's closing brace in head + tail. REQUIRES: head and tail
// together are one JSON object.
ObjectRef MakeObject(absl::string_view key, Revision mod_revision, absl::string_view head, absl::string_view tail,
                     size_t metadata_end);
// `splice` is of `message`.
ObjectRef MakeProtobufObject(absl::string_view key, Revision mod_revision, absl::string_view message,
                             const proto::RevisionSplice& splice);
ObjectRef MakeUnreadableObject(absl::string_view key, Revision mod_revision, absl::string_view reason);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_OBJECT_H_
