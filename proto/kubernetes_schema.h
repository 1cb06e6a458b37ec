// What is known of Kubernetes' messages: for each kind its message, for each message its fields in the order in which JSON has
// them, and how each is written when it is zero. Read-only tables of some 60 KB, made from kubernetes-schema.json.
//
//   const MessageType* type = FindKind("v1", "Pod");
//   for (const FieldRow& field : type->fields()) ...
//
// Thread-safety: constant.
// Cost:          FindKind a binary search over some 300 rows; a field by its number one look-up.
// Source:        Kubernetes' Go types and their tags; generated.proto alone knows neither pointers nor omitempty.
#ifndef TIDEMARK_PROTO_KUBERNETES_SCHEMA_H_
#define TIDEMARK_PROTO_KUBERNETES_SCHEMA_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/field_reader.h"

namespace tidemark::proto {

enum class FieldKind : uint8_t { kString, kBytes, kBool, kInt32, kInt64, kDouble, kMessage };

// How a message looks in JSON.
enum class MessageForm : uint8_t {
  kObject,
  kList,                // an array of field 1
  kRaw,                 // the bytes of field 1 are JSON
  kTime,                // RFC 3339, seconds; null when the message is empty
  kMicroTime,           // RFC 3339, six digits of the second
  kDuration,            // Go's text: "1m30s"
  kQuantity,            // text: "100m"
  kIntOrString,         // what field 1 says: the number of field 2, or the text of field 3
  kSchemaOrArray,       // the object of field 1, or an array of field 2
  kSchemaOrBool,        // the bool of field 1, or the object of field 2
  kSchemaOrStringArray  // the object of field 1, or an array of texts, field 2
};

// How one value of this kind stands on the wire.
inline WireType WireTypeOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kString:
    case FieldKind::kBytes:
    case FieldKind::kMessage:
      return WireType::kBytes;
    case FieldKind::kDouble:
      return WireType::kFixed64;
    default:
      return WireType::kVarint;
  }
}

class MessageType;

struct FieldRow {
  enum Flag : uint8_t {
    kPointer = 1,  // zero and absent are two things
    kRepeated = 2,
    kMap = 4,        // kind and message are the value's; keys are texts
    kOmitEmpty = 8,  // Go's omitempty: nothing is written of an empty text, number, list or map; structs are written
    kOmitZero = 16,  // nor of a zero struct
    kInline = 32,    // its fields stand among those of the message around it
  };

  // Keys can be copied in pieces of so many bytes, whatever lies behind them.
  static constexpr size_t kKeyPiece = 32;

  uint16_t key_offset;
  uint8_t key_length;  // 0 of what has no name
  uint8_t number;
  FieldKind kind;
  uint8_t flags;
  uint16_t message_index;

  bool Has(Flag flag) const { return (flags & flag) != 0; }
  absl::string_view name() const;
  // As JSON has it behind another field: `,"name":`.
  absl::string_view key() const;
  // Of one occurrence: a map's are messages, and numbers may also be packed.
  WireType wire() const { return Has(kMap) ? WireType::kBytes : WireTypeOf(kind); }
  // REQUIRES: kind == kMessage.
  const MessageType& message() const;
};

class MessageType {
 public:
  struct Row {
    uint16_t first_field;
    uint16_t field_count;
    uint16_t first_number;
    uint16_t number_count;
    uint16_t first_always;
    MessageForm form;
  };

  constexpr explicit MessageType(const Row& row) : row_(row) {}
  MessageForm form() const { return row_.form; }
  absl::Span<const FieldRow> fields() const;
  // The places in fields() of those that JSON has also when they are absent, ascending; kPlaceEnd ends them.
  static constexpr uint8_t kPlaceEnd = 255;
  const uint8_t* always() const;
  // The place in fields() of a field's number, one added; 0 when it is unknown.
  size_t IndexOf(uint32_t number) const;
  // One more than the largest number.
  uint32_t number_end() const { return row_.number_count; }

 private:
  Row row_;
};

// Every key, one behind the other, and kKeyPiece bytes more.
extern const char kKeyPool[];
extern const FieldRow kFieldRows[];
// For each message, by number: the place of the field among the message's, one added.
extern const uint8_t kFieldByNumber[];
extern const uint8_t kAlwaysPlaces[];
extern const MessageType kMessageTypes[];

inline absl::string_view FieldRow::key() const { return {kKeyPool + key_offset, key_length}; }
inline const MessageType& FieldRow::message() const { return kMessageTypes[message_index]; }
inline absl::Span<const FieldRow> MessageType::fields() const {
  return {kFieldRows + row_.first_field, row_.field_count};
}
inline const uint8_t* MessageType::always() const { return kAlwaysPlaces + row_.first_always; }
inline size_t MessageType::IndexOf(uint32_t number) const {
  return number < row_.number_count ? kFieldByNumber[row_.first_number + number] : 0;
}

// "apps/v1", "Deployment"; nullptr when there is no such kind.
const MessageType* FindKind(absl::string_view api_version, absl::string_view kind);

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_KUBERNETES_SCHEMA_H_
