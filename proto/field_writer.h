// The fields of a protobuf message, appended to its bytes.
//
//   AppendNumberField(1, 7, &message);
//   AppendBytesField(2, "text", &message);
//
// Thread-safety: pure functions.
// Source:        the protobuf wire format.
#ifndef TIDEMARK_PROTO_FIELD_WRITER_H_
#define TIDEMARK_PROTO_FIELD_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "proto/field_reader.h"

namespace tidemark::proto {

inline void AppendVarint(uint64_t value, std::string* message) {
  for (; value >= 0x80; value >>= 7) message->push_back(static_cast<char>(value | 0x80));
  message->push_back(static_cast<char>(value));
}

inline void AppendTag(uint32_t number, WireType type, std::string* message) {
  AppendVarint(uint64_t{number} << 3 | static_cast<uint64_t>(type), message);
}

inline void AppendLengthAndBytes(absl::string_view bytes, std::string* message) {
  AppendVarint(bytes.size(), message);
  message->append(bytes.data(), bytes.size());
}

inline void AppendNumberField(uint32_t number, uint64_t value, std::string* message) {
  AppendTag(number, WireType::kVarint, message);
  AppendVarint(value, message);
}

inline void AppendBytesField(uint32_t number, absl::string_view bytes, std::string* message) {
  AppendTag(number, WireType::kBytes, message);
  AppendLengthAndBytes(bytes, message);
}

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_FIELD_WRITER_H_
