// FieldReader walks the fields of one protobuf message as views of its bytes.
//
//   FieldReader reader(bytes);
//   while (reader.Next()) {
//     if (reader.Is(3, WireType::kVarint)) revision = reader.number();
//   }
//   if (!reader.ok()) return "no such message";
//
// Thread-safety: thread-compatible.
// Ownership:     its views point into the bytes that it was given.
// Errors:        ok() is false for bytes that are no message; groups, which nobody writes any more, are stepped over whole.
// Cost:          some nanoseconds a field, whatever its length.
// Source:        the protobuf wire format.
#ifndef TIDEMARK_PROTO_FIELD_READER_H_
#define TIDEMARK_PROTO_FIELD_READER_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/strings/string_view.h"

namespace tidemark::proto {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kBeginGroup = 3, kEndGroup = 4, kFixed32 = 5 };

class FieldReader {
 public:
  explicit FieldReader(absl::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  // False at the end, or when the bytes are no message: then ok() is false.
  bool Next() {
    if (at_ == end_) return false;
    begin_ = at_;
    uint64_t key;
    if (!ReadVarint(&key)) return Fail();
    const int32_t tag = static_cast<int32_t>(key >> 3);  // its upper bits are dropped, as generated Go code does
    tag_ = static_cast<uint32_t>(tag);
    type_ = static_cast<WireType>(key & 7);
    return (tag > 0 && ReadContent()) || Fail();
  }

  bool ok() const { return ok_; }
  uint32_t tag() const { return tag_; }
  WireType type() const { return type_; }
  // Whether the field at hand is this one; one of another type counts as unknown.
  bool Is(uint32_t tag, WireType type) const { return tag_ == tag && type_ == type; }
  // Of a varint.
  uint64_t number() const { return number_; }
  int64_t signed_number() const { return static_cast<int64_t>(number_); }
  // What a field of bytes, or one of fixed length, holds.
  absl::string_view bytes() const { return bytes_; }
  // Where the field at hand begins, with its tag, and where it ends.
  const char* begin() const { return begin_; }
  const char* end() const { return at_; }

 private:
  bool Fail() {
    ok_ = false;
    at_ = end_;
    return false;
  }

  ABSL_ATTRIBUTE_ALWAYS_INLINE bool ReadContent() {
    switch (type_) {
      case WireType::kVarint:
        return ReadVarint(&number_);
      case WireType::kBytes: {
        uint64_t length;
        return ReadVarint(&length) && Take(length);
      }
      case WireType::kFixed64:
        return Take(8);
      case WireType::kFixed32:
        return Take(4);
      case WireType::kBeginGroup:
        at_ = BehindGroup(at_, end_);
        return at_ != nullptr;
      default:
        return false;
    }
  }

  // Where the group ends whose begin has been read, or nullptr. Without recursion: the depth is the writer's choice.
  ABSL_ATTRIBUTE_NOINLINE static const char* BehindGroup(const char* at, const char* end) {
    FieldReader inside({at, static_cast<size_t>(end - at)});
    for (size_t depth = 1; depth > 0;) {
      uint64_t key;
      if (!inside.ReadVarint(&key)) return nullptr;
      inside.type_ = static_cast<WireType>(key & 7);
      if (inside.type_ == WireType::kEndGroup) {
        --depth;
      } else if (inside.type_ == WireType::kBeginGroup) {
        ++depth;
      } else if (!inside.ReadContent()) {
        return nullptr;
      }
    }
    return inside.at_;
  }

  bool ReadVarint(uint64_t* value) {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {  // nearly all are so short
      *value = static_cast<unsigned char>(*at_++);
      return true;
    }
    at_ = ReadLongVarint(at_, end_, value);
    return at_ != nullptr;
  }

  // Behind it, or nullptr. Static, as BehindGroup, so that the reader can live in registers.
  ABSL_ATTRIBUTE_NOINLINE static const char* ReadLongVarint(const char* at, const char* end, uint64_t* value) {
    uint64_t result = 0;
    for (int shift = 0; shift < 64 && at != end; shift += 7) {
      const unsigned char byte = static_cast<unsigned char>(*at++);
      result |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        *value = result;
        return at;
      }
    }
    return nullptr;
  }

  bool Take(uint64_t length) {
    if (length > static_cast<uint64_t>(end_ - at_)) return false;
    bytes_ = absl::string_view(at_, static_cast<size_t>(length));
    at_ += length;
    return true;
  }

  const char* begin_ = nullptr;
  const char* at_;
  const char* end_;
  bool ok_ = true;
  uint32_t tag_ = 0;
  WireType type_ = WireType::kVarint;
  uint64_t number_ = 0;
  absl::string_view bytes_;
};

// Calls `visit(number)` for each number of a packed field; false when its bytes end within one.
template <typename Visit>
bool ForEachVarint(absl::string_view packed, Visit visit) {
  uint64_t number = 0;
  int shift = 0;
  for (const char c : packed) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (shift > 63) return false;
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    visit(number);
    number = 0;
    shift = 0;
  }
  return shift == 0;
}

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_FIELD_READER_H_
