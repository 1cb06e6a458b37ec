#include "cache/message_check.h"

#include <cstdint>
#include <cstring>

#include "proto/json_values.h"

namespace tidemark::cache {
namespace {

using proto::FieldKind;
using proto::FieldReader;
using proto::FieldRow;
using proto::MessageForm;
using proto::MessageType;
using proto::WireType;

// Seconds and nanoseconds: any number is a time.
bool IsPlainTime(absl::string_view message) {
  FieldReader reader(message);
  while (reader.Next()) {
    if (reader.type() != WireType::kVarint) return false;
  }
  return reader.ok();
}

bool IsFinite(absl::string_view bits) {
  constexpr uint64_t kExponent = uint64_t{0x7ff} << 52;
  uint64_t value;
  std::memcpy(&value, bits.data(), sizeof(value));
  return (value & kExponent) != kExponent;
}

}  // namespace

bool MessageCheck::IsPlain(const MessageType& type, absl::string_view message, int depth) {
  if (depth > kPlainDepthMax) return false;
  const absl::Span<const FieldRow> rows = type.fields();
  uint32_t last = 0;
  FieldReader reader(message);
  while (reader.Next()) {
    const uint32_t tag = reader.tag();
    const bool again = tag == last;
    if (tag < last) return false;
    last = tag;
    const size_t index = type.IndexOf(tag);
    if (index == 0) continue;
    const FieldRow& row = rows[index - 1];
    if (row.Has(FieldRow::kMap)) {
      if (reader.type() != WireType::kBytes || !IsPlainEntry(row, reader.bytes(), depth)) return false;
      continue;
    }
    if (again && !row.Has(FieldRow::kRepeated)) return false;
    if (!IsPlainValue(row, reader, depth)) return false;
  }
  return reader.ok();
}

bool MessageCheck::IsPlainEntry(const FieldRow& row, absl::string_view entry, int depth) {
  constexpr uint32_t kKey = 1, kValue = 2;
  FieldReader reader(entry);
  while (reader.Next()) {
    if (reader.tag() == kValue ? !IsPlainValue(row, reader, depth) : !reader.Is(kKey, WireType::kBytes)) return false;
  }
  return reader.ok();
}

bool MessageCheck::IsPlainValue(const FieldRow& row, const FieldReader& reader, int depth) {
  if (reader.type() != proto::WireTypeOf(row.kind)) return false;
  if (row.kind == FieldKind::kMessage) return IsPlainMessage(row.message(), reader.bytes(), depth + 1);
  return row.kind != FieldKind::kDouble || IsFinite(reader.bytes());
}

bool MessageCheck::IsPlainMessage(const MessageType& type, absl::string_view message, int depth) {
  written_.clear();
  switch (type.form()) {
    case MessageForm::kObject:
    case MessageForm::kList:
    case MessageForm::kSchemaOrArray:
    case MessageForm::kSchemaOrBool:
    case MessageForm::kSchemaOrStringArray:
      return IsPlain(type, message, depth);
    case MessageForm::kTime:
    case MessageForm::kMicroTime:
      return IsPlainTime(message);
    case MessageForm::kRaw:
      return raw_.AppendField(message, &written_).ok();
    case MessageForm::kDuration:
      return proto::AppendJsonDuration(message, &written_).ok();
    case MessageForm::kQuantity:
      return proto::AppendJsonQuantity(message, &written_).ok();
    case MessageForm::kIntOrString:
      return proto::AppendJsonIntOrString(message, &written_).ok();
  }
  return false;
}

}  // namespace tidemark::cache
