#include "cache/object.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "proto/field_reader.h"
#include "proto/field_writer.h"

namespace tidemark::cache {
namespace {

// Every kind's list has its items in field 2.
constexpr uint32_t kItemsField = 2;
// ObjectMeta is field 1 of every kind, and resourceVersion field 6 of it.
constexpr uint32_t kMetadataField = 1, kRevisionField = 6;

constexpr absl::string_view kSpliceHead = "\"resourceVersion\":\"";

char* Append(char* out, absl::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

}  // namespace

absl::string_view Object::namespace_name() const {
  const absl::string_view whole = key();
  const size_t slash = whole.find('/');
  return slash == absl::string_view::npos ? absl::string_view() : whole.substr(0, slash);
}

absl::string_view Object::name() const {
  const absl::string_view whole = key();
  const size_t slash = whole.find('/');
  return slash == absl::string_view::npos ? whole : whole.substr(slash + 1);
}

absl::string_view Object::Message() const {
  proto::FieldReader reader(Item());
  reader.Next();
  return reader.bytes();
}

absl::string_view Object::ResourceVersion() const {
  const absl::string_view rest = Item().substr(resource_version_offset_);
  return rest.substr(0, rest.find('"'));
}

Object* Object::Allocate(absl::string_view key, Revision mod_revision, size_t payload_length) {
  static_assert(offsetof(Object, resource_version_offset_) + sizeof(uint32_t) == kHeaderBytes);
  constexpr size_t kLengthMax = 0xffffffffu;
  TM_CHECK(key.size() <= kLengthMax && payload_length <= kLengthMax) << "an object of " << payload_length << " bytes";
  // An empty key and payload must still leave room for the whole struct with its padding.
  const size_t bytes = std::max(sizeof(Object), kHeaderBytes + key.size() + payload_length);
  void* const memory = std::malloc(bytes);
  TM_CHECK(memory != nullptr) << "no memory for " << bytes << " bytes";
  Object* const object = new (memory) Object();
  object->mod_revision_ = mod_revision.value();
  object->key_length_ = static_cast<uint32_t>(key.size());
  object->payload_length_ = static_cast<uint32_t>(payload_length);
  std::memcpy(object->bytes(), key.data(), key.size());
  return object;
}

ObjectRef MakeObject(absl::string_view key, Revision mod_revision, absl::string_view head, absl::string_view tail,
                     size_t metadata_end) {
  TM_DCHECK(metadata_end > head.size() && metadata_end <= head.size() + tail.size());
  const absl::AlphaNum digits(mod_revision.value());
  const absl::string_view revision = digits.Piece();
  const bool comma_before = head.back() != '{';
  const bool comma_behind = !comma_before && tail.front() != '}';
  const size_t splice = kSpliceHead.size() + revision.size() + 1 + comma_before + comma_behind;

  Object* const object = Object::Allocate(key, mod_revision, head.size() + splice + tail.size() + 1);
  char* out = Append(object->payload(), head);
  if (comma_before) *out++ = ',';
  out = Append(out, kSpliceHead);
  object->resource_version_offset_ = static_cast<uint32_t>(out - object->payload());
  out = Append(out, revision);
  *out++ = '"';
  if (comma_behind) *out++ = ',';
  out = Append(out, tail);
  *out = ',';
  object->metadata_end_ = static_cast<uint32_t>(metadata_end + splice);
  return ObjectRef::Adopt(object);
}

ObjectRef MakeProtobufObject(absl::string_view key, Revision mod_revision, absl::string_view message,
                             const proto::RevisionSplice& splice) {
  const absl::AlphaNum digits(mod_revision.value());
  const size_t length = proto::SizeWithRevision(message, splice, digits.Piece());
  const absl::string_view before = message.substr(splice.metadata_begin, splice.begin - splice.metadata_begin);
  const absl::string_view behind = message.substr(splice.end);
  // Both are short enough to lie in the strings themselves.
  std::string head, revision;
  proto::AppendBytesField(kRevisionField, digits.Piece(), &revision);
  proto::AppendTag(kItemsField, proto::WireType::kBytes, &head);
  proto::AppendVarint(length, &head);
  const size_t item_bytes = head.size() + length;
  proto::AppendTag(kMetadataField, proto::WireType::kBytes, &head);
  proto::AppendVarint(before.size() + revision.size() + splice.metadata_end - splice.end, &head);

  Object* const object = Object::Allocate(key, mod_revision, item_bytes);
  char* out = Append(object->payload(), head);
  out = Append(out, before);
  out = Append(out, revision);
  out = Append(out, behind);
  TM_CHECK(out == object->payload() + item_bytes) << key << ": a splice of another message";
  object->metadata_end_ = static_cast<uint32_t>(item_bytes - (message.size() - splice.metadata_end));
  return ObjectRef::Adopt(object);
}

ObjectRef MakeUnreadableObject(absl::string_view key, Revision mod_revision, absl::string_view reason) {
  Object* const object = Object::Allocate(key, mod_revision, reason.size());
  Append(object->payload(), reason);
  return ObjectRef::Adopt(object);
}

ObjectRef ObjectRef::Adopt(const Object* object) {
  ObjectRef ref;
  ref.object_ = object;
  return ref;
}

void ObjectRef::Drop(const Object* object) {
  if (object == nullptr || object->references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  object->~Object();
  std::free(const_cast<Object*>(object));
}

}  // namespace tidemark::cache
