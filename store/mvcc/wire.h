// The few pieces of the protobuf wire format with which stored records are put into answers without being parsed: a
// varint, a field with a number, a field with bytes.
//
//   field = tag value;  tag = varint(number << 3 | type)
//   value = a varint (type 0), or a varint length and so many bytes (type 2)
//
// Thread-safety: pure.
// Source:        protobuf's encoding.
#ifndef TIDEMARK_STORE_MVCC_WIRE_H_
#define TIDEMARK_STORE_MVCC_WIRE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::mvcc {

enum class WireType : uint8_t { kVarint = 0, kBytes = 2 };

constexpr uint8_t WireTag(int field, WireType type) {
  return static_cast<uint8_t>(field << 3 | static_cast<int>(type));
}

constexpr int VarintBytes(uint64_t value) {
  int bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}

inline void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

// Nothing for 0, as proto3 wants it. REQUIRES: field < 16.
inline void AppendIntField(int field, int64_t value, std::string* out) {
  if (value == 0) return;
  out->push_back(static_cast<char>(WireTag(field, WireType::kVarint)));
  AppendVarint(static_cast<uint64_t>(value), out);
}

inline void AppendBytesField(int field, absl::string_view bytes, std::string* out) {
  out->push_back(static_cast<char>(WireTag(field, WireType::kBytes)));
  AppendVarint(bytes.size(), out);
  out->append(bytes.data(), bytes.size());
}

constexpr size_t BytesFieldSize(size_t bytes) { return 1 + static_cast<size_t>(VarintBytes(bytes)) + bytes; }

// Takes a varint off the front; false when there is none.
inline bool TakeVarint(absl::string_view* in, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < in->size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>((*in)[i]);
    *value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      in->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WIRE_H_
