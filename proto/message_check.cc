#include "proto/message_check.h"

#include <cstdint>
#include <cstring>

#include "proto/field_reader.h"
#include "proto/json_values.h"

namespace tidemark::proto {

bool MessageCheck::Fields(const MessageType& type, absl::string_view message, int depth) {
  if (depth > depth_max_) return false;
  const FieldRow* const fields = type.fields().data();
  uint32_t last = 0;
  FieldReader reader(message);
  while (reader.Next()) {
    const size_t index = type.IndexOf(reader.tag());
    if (index == 0) continue;
    const FieldRow& field = fields[index - 1];
    const bool many = field.Has(FieldRow::kRepeated) || field.Has(FieldRow::kMap);
    if (reader.type() != field.wire() || reader.tag() < last || (reader.tag() == last && !many)) return false;
    last = reader.tag();
    const bool plain = field.wire() == WireType::kVarint || field.kind == FieldKind::kString;
    if (field.Has(FieldRow::kMap)) {
      if (!MapEntry(field, reader.bytes(), depth)) return false;
    } else if (!plain && !Value(field, reader.bytes(), depth)) {
      return false;
    }
  }
  return reader.ok();
}

bool MessageCheck::Value(const FieldRow& field, absl::string_view bytes, int depth) {
  switch (field.kind) {
    case FieldKind::kMessage:
      return Message(field.message(), bytes, depth + 1);
    case FieldKind::kDouble: {
      constexpr uint64_t kNotFinite = 0x7ff0000000000000;
      uint64_t bits = kNotFinite;
      if (bytes.size() == sizeof(bits)) std::memcpy(&bits, bytes.data(), sizeof(bits));
      return (bits & kNotFinite) != kNotFinite;
    }
    default:
      return true;
  }
}

// Without a value it has the zero one, which can always be written.
bool MessageCheck::MapEntry(const FieldRow& field, absl::string_view entry, int depth) {
  const WireType wire = WireTypeOf(field.kind);
  FieldReader reader(entry);
  while (reader.Next()) {
    if (reader.tag() != 2) continue;
    if (reader.type() != wire || !Value(field, reader.bytes(), depth)) return false;
  }
  return reader.ok();
}

bool MessageCheck::Message(const MessageType& type, absl::string_view message, int depth) {
  scratch_->clear();
  switch (type.form()) {
    case MessageForm::kTime:
    case MessageForm::kMicroTime:
      return IsTime(message);
    case MessageForm::kRaw:
      return raw_->AppendField(message, scratch_).ok();
    case MessageForm::kDuration:
      return AppendJsonDuration(message, scratch_).ok();
    case MessageForm::kQuantity:
      return AppendJsonQuantity(message, scratch_).ok();
    case MessageForm::kIntOrString:
      return AppendJsonIntOrString(message, scratch_).ok();
    default:  // lists, too, and what is one of two things: all of it is looked at
      return Fields(type, message, depth);
  }
}

}  // namespace tidemark::proto
