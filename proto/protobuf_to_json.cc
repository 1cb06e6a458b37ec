#include "proto/protobuf_to_json.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"
#include "base/status.h"
#include "proto/field_reader.h"
#include "proto/json_values.h"

namespace tidemark::proto {
namespace {

absl::Status Broken(absl::string_view what) { return absl::InvalidArgumentError(absl::StrCat("protobuf: ", what)); }

uint64_t LittleEndian(absl::string_view bytes) {
  uint64_t value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// Of most fields; structs are written even when they are zero.
bool IsNothingWhenAbsent(const FieldRow& field) {
  constexpr uint8_t kNoStruct = FieldRow::kPointer | FieldRow::kRepeated | FieldRow::kMap;
  return field.Has(FieldRow::kOmitEmpty) && !field.Has(FieldRow::kInline) &&
         (field.kind != FieldKind::kMessage || (field.flags & kNoStruct) != 0);
}

bool IsMessage(absl::string_view bytes) {
  FieldReader reader(bytes);
  while (reader.Next()) {
  }
  return reader.ok();
}

}  // namespace

absl::Status ProtobufToJson::AppendFields(const MessageType& type, absl::string_view message, std::string* json) {
  out_ = json;
  slots_.clear();
  entries_.clear();
  const absl::Status status = Fields(type, message, 0);
  merged_.clear();
  merged_bytes_ = 0;
  return status;
}

absl::Status ProtobufToJson::Check(const MessageType& type, absl::string_view message) {
  checking_ = true;
  checked_.clear();
  const absl::Status status = AppendFields(type, message, &checked_);
  checking_ = false;
  return status;
}

// A message that came in pieces is their fields one after the other; a time that came twice is the last.
absl::Status ProtobufToJson::Join(const FieldRow& field, Slot* slot) {
  if (slot->count < 2 || field.kind != FieldKind::kMessage) return absl::OkStatus();
  if (field.Has(FieldRow::kRepeated) || field.Has(FieldRow::kMap)) return absl::OkStatus();
  const MessageForm form = field.message().form();
  if (form == MessageForm::kTime || form == MessageForm::kMicroTime) return absl::OkStatus();
  std::string whole;
  FieldReader reader({slot->first_piece, static_cast<size_t>(slot->end - slot->first_piece)});
  while (reader.Next()) {
    if (reader.tag() != field.number) continue;
    if (!IsMessage(reader.bytes())) return Broken("no message");
    whole.append(reader.bytes().data(), reader.bytes().size());
  }
  return Keep(std::move(whole), slot);
}

absl::Status ProtobufToJson::Keep(std::string whole, Slot* slot) {
  merged_bytes_ += whole.size();
  if (merged_bytes_ > kMergedBytesMax) return Broken("too many pieces");
  merged_.push_back(std::move(whole));
  slot->begin = merged_.back().data();
  slot->end = slot->begin + merged_.back().size();
  return absl::OkStatus();
}

void ProtobufToJson::Comma() {
  if (checking_) return;
  const char last = out_->empty() ? '{' : out_->back();
  if (last != '{' && last != '[') out_->push_back(',');
}

void ProtobufToJson::Key(const FieldRow& field) {
  if (checking_) return;
  Comma();
  const absl::string_view key = field.key();
  out_->append(key.data(), key.size());
}

absl::Status ProtobufToJson::Fields(const MessageType& type, absl::string_view message, int depth) {
  if (IsTooDeep(depth)) return Broken("too deep");
  const absl::Span<const FieldRow> fields = type.fields();
  const size_t base = slots_.size();
  slots_.resize(base + fields.size());
  TM_RETURN_IF_ERROR(Scan(type, message, base));
  for (size_t i = 0; i < fields.size(); ++i) {
    if (slots_[base + i].count == 0 && (checking_ || IsNothingWhenAbsent(fields[i]))) continue;
    Slot slot = slots_[base + i];  // a copy: what is inside may move slots_
    TM_RETURN_IF_ERROR(Join(fields[i], &slot));
    TM_RETURN_IF_ERROR(Field(fields[i], slot, depth));
  }
  slots_.resize(base);
  return absl::OkStatus();
}

absl::Status ProtobufToJson::Scan(const MessageType& type, absl::string_view message, size_t base) {
  FieldReader reader(message);
  while (reader.Next()) {
    const size_t index = type.IndexOf(reader.tag());
    if (index == 0) continue;
    TM_RETURN_IF_ERROR(ScanField(type.fields()[index - 1], reader, &slots_[base + index - 1]));
  }
  return reader.ok() ? absl::OkStatus() : Broken("no message");
}

absl::Status ProtobufToJson::ScanField(const FieldRow& field, const FieldReader& reader, Slot* slot) {
  const bool many = field.Has(FieldRow::kRepeated) || field.Has(FieldRow::kMap);
  const WireType wire = field.Has(FieldRow::kMap) ? WireType::kBytes : WireTypeOf(field.kind);
  const bool packed = field.Has(FieldRow::kRepeated) && wire == WireType::kVarint && reader.type() == WireType::kBytes;
  if (reader.type() != wire && !packed) return Broken(absl::StrCat("wrong wire type of ", field.name()));
  if (many) {
    if (slot->begin == nullptr) slot->begin = reader.begin();
    slot->end = reader.end();
    if (!packed) {
      ++slot->count;
    } else if (!ForEachVarint(reader.bytes(), [slot](uint64_t) { ++slot->count; })) {
      return Broken(absl::StrCat("packed ", field.name()));
    }
    return absl::OkStatus();
  }
  if (wire == WireType::kVarint) {
    slot->number = reader.number();
  } else {
    if (slot->count == 0) slot->first_piece = reader.begin();
    slot->begin = reader.bytes().data();
    slot->end = slot->begin + reader.bytes().size();
  }
  ++slot->count;
  return absl::OkStatus();
}

bool ProtobufToJson::IsLeftOut(const FieldRow& field, const Slot& slot) const {
  const bool omit = field.Has(FieldRow::kOmitEmpty);
  if (field.Has(FieldRow::kRepeated) || field.Has(FieldRow::kMap)) return omit && slot.count == 0;
  if (field.Has(FieldRow::kPointer)) return omit && slot.count == 0;
  switch (field.kind) {
    case FieldKind::kString:
    case FieldKind::kBytes:
      return omit && slot.begin == slot.end;
    case FieldKind::kDouble:
      return omit && (slot.count == 0 || LittleEndian(slot.bytes()) << 1 == 0);
    case FieldKind::kMessage:
      if (field.Has(FieldRow::kOmitZero)) return IsZeroTime(slot.bytes());
      return omit && field.message().form() == MessageForm::kList && slot.begin == slot.end;
    case FieldKind::kInt32:
      return omit && static_cast<int32_t>(slot.number) == 0;
    default:
      return omit && slot.number == 0;
  }
}

absl::Status ProtobufToJson::Field(const FieldRow& field, const Slot& slot, int depth) {
  if (field.Has(FieldRow::kInline)) return Fields(field.message(), slot.bytes(), depth + 1);
  if (IsLeftOut(field, slot)) return absl::OkStatus();
  Key(field);
  if (field.Has(FieldRow::kMap)) return Map(field, slot, depth);
  if (field.Has(FieldRow::kRepeated)) return Elements(field, slot, depth);
  const bool can_be_null = field.Has(FieldRow::kPointer) || field.kind == FieldKind::kBytes;
  if (can_be_null && slot.count == 0) {
    out_->append("null");
    return absl::OkStatus();
  }
  return Value(field, slot, depth);
}

void ProtobufToJson::Number(const FieldRow& field, const Slot& slot) {
  switch (field.kind) {
    case FieldKind::kBool:
      out_->append(slot.number != 0 ? "true" : "false");
      return;
    case FieldKind::kInt32:
      absl::StrAppend(out_, static_cast<int32_t>(slot.number));
      return;
    default:
      absl::StrAppend(out_, static_cast<int64_t>(slot.number));
      return;
  }
}

absl::Status ProtobufToJson::Value(const FieldRow& field, const Slot& slot, int depth) {
  switch (field.kind) {
    case FieldKind::kString:
      if (!checking_) AppendGoJsonString(slot.bytes(), out_);
      return absl::OkStatus();
    case FieldKind::kBytes:
      if (!checking_) AppendJsonBase64(slot.bytes(), out_);
      return absl::OkStatus();
    case FieldKind::kDouble:
      return AppendJsonDouble(slot.count == 0 ? 0 : LittleEndian(slot.bytes()), out_);
    case FieldKind::kMessage:
      return Message(field.message(), slot.bytes(), depth + 1);
    default:
      if (!checking_) Number(field, slot);
      return absl::OkStatus();
  }
}

// An occurrence of another field may stand between two of these.
absl::Status ProtobufToJson::Elements(const FieldRow& field, const Slot& slot, int depth) {
  if (slot.count == 0) {
    out_->append("null");
    return absl::OkStatus();
  }
  out_->push_back('[');
  FieldReader reader(slot.bytes());
  while (reader.Next()) {
    if (reader.tag() != field.number) continue;
    Slot element{.number = reader.number(), .count = 1};
    if (reader.type() != WireType::kVarint) {
      element.begin = reader.bytes().data();
      element.end = element.begin + reader.bytes().size();
    }
    if (WireTypeOf(field.kind) == WireType::kVarint && reader.type() == WireType::kBytes) {
      ForEachVarint(reader.bytes(), [&](uint64_t number) {
        Comma();
        Number(field, Slot{.number = number, .count = 1});
      });
      continue;
    }
    Comma();
    TM_RETURN_IF_ERROR(Value(field, element, depth));
  }
  out_->push_back(']');
  return absl::OkStatus();
}

absl::Status ProtobufToJson::ScanMapEntry(const FieldRow& field, absl::string_view entry, MapEntry* out) {
  FieldReader reader(entry);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kBytes)) {
      out->key = reader.bytes();
    } else if (reader.tag() == 2) {
      if (reader.type() != WireTypeOf(field.kind)) return Broken(absl::StrCat("wrong wire type in ", field.name()));
      out->value = Slot{.number = reader.number(), .count = 1};
      if (reader.type() == WireType::kVarint) continue;
      out->value.begin = reader.bytes().data();
      out->value.end = out->value.begin + reader.bytes().size();
    }
  }
  return reader.ok() ? absl::OkStatus() : Broken("no map entry");
}

// In the order of the keys; of two entries with one key the last counts.
absl::Status ProtobufToJson::Map(const FieldRow& field, const Slot& slot, int depth) {
  if (slot.count == 0) {
    out_->append("null");
    return absl::OkStatus();
  }
  const size_t base = entries_.size();
  FieldReader reader(slot.bytes());
  while (reader.Next()) {
    if (reader.tag() != field.number) continue;
    MapEntry entry;
    TM_RETURN_IF_ERROR(ScanMapEntry(field, reader.bytes(), &entry));
    entries_.push_back(entry);
  }
  const auto below = [](const MapEntry& a, const MapEntry& b) { return a.key < b.key; };
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(base);
  if (!std::is_sorted(first, entries_.end(), below)) std::stable_sort(first, entries_.end(), below);
  const size_t end = entries_.size();
  out_->push_back('{');
  for (size_t i = base; i < end; ++i) {
    if (i + 1 < end && entries_[i].key == entries_[i + 1].key) continue;
    const MapEntry entry = entries_[i];  // a copy: a map inside may move entries_
    Comma();
    AppendGoJsonString(entry.key, out_);
    out_->push_back(':');
    TM_RETURN_IF_ERROR(Value(field, entry.value, depth));
  }
  out_->push_back('}');
  entries_.resize(base);
  return absl::OkStatus();
}

absl::Status ProtobufToJson::List(const MessageType& type, absl::string_view message, int depth) {
  slots_.push_back({});
  TM_RETURN_IF_ERROR(Scan(type, message, slots_.size() - 1));
  const Slot slot = slots_.back();
  slots_.pop_back();
  if (slot.count > 0) return Elements(type.fields()[0], slot, depth);
  out_->append("[]");  // a message that is there and empty is an empty list in Go, not none
  return absl::OkStatus();
}

// The three forms that hold one of two things.
absl::Status ProtobufToJson::Either(const MessageType& type, absl::string_view message, int depth) {
  const size_t base = slots_.size();
  slots_.resize(base + 2);
  TM_RETURN_IF_ERROR(Scan(type, message, base));
  const Slot first = slots_[base];
  const Slot second = slots_[base + 1];
  slots_.resize(base);
  const FieldRow& first_field = type.fields()[0];
  const FieldRow& second_field = type.fields()[1];
  if (type.form() == MessageForm::kSchemaOrBool) {
    if (second.count > 0) return Value(second_field, second, depth);
    return Value(first_field, first, depth);
  }
  if (second.count > 0) return Elements(second_field, second, depth);
  if (first.count > 0) return Value(first_field, first, depth);
  out_->append("null");
  return absl::OkStatus();
}

absl::Status ProtobufToJson::Message(const MessageType& type, absl::string_view message, int depth) {
  if (IsTooDeep(depth)) return Broken("too deep");
  switch (type.form()) {
    case MessageForm::kObject:
      out_->push_back('{');
      TM_RETURN_IF_ERROR(Fields(type, message, depth));
      out_->push_back('}');
      return absl::OkStatus();
    case MessageForm::kList:
      return List(type, message, depth);
    case MessageForm::kSchemaOrArray:
    case MessageForm::kSchemaOrBool:
    case MessageForm::kSchemaOrStringArray:
      return Either(type, message, depth);
    case MessageForm::kRaw:
      return raw_.AppendField(message, out_);
    case MessageForm::kTime:
      return AppendJsonTime(message, out_);
    case MessageForm::kMicroTime:
      return AppendJsonMicroTime(message, out_);
    case MessageForm::kDuration:
      return AppendJsonDuration(message, out_);
    case MessageForm::kQuantity:
      return AppendJsonQuantity(message, out_);
    case MessageForm::kIntOrString:
      return AppendJsonIntOrString(message, out_);
  }
  return Broken("no form");
}

}  // namespace tidemark::proto
