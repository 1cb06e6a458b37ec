#include "proto/protobuf_to_json.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/field_reader.h"
#include "proto/json_values.h"
#include "proto/message_check.h"

namespace tidemark::proto {
namespace {

uint64_t LittleEndian(absl::string_view bytes) {
  uint64_t value = 0;
  if (bytes.size() == sizeof(value)) std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

bool IsMany(const FieldRow& field) { return field.Has(FieldRow::kRepeated) || field.Has(FieldRow::kMap); }

// A later one stands for all before it, instead of being merged with them.
bool HasTime(const FieldRow& field) {
  const MessageForm form = field.message().form();
  return form == MessageForm::kTime || form == MessageForm::kMicroTime;
}

bool IsMessage(absl::string_view bytes) {
  FieldReader reader(bytes);
  while (reader.Next()) {
  }
  return reader.ok();
}

// Whether JSON is without a field that the message has.
bool IsLeftOut(const FieldRow& field, absl::string_view bytes, uint64_t number) {
  if (field.Has(FieldRow::kPointer)) return false;
  if (field.Has(FieldRow::kOmitZero) && field.kind == FieldKind::kMessage) return IsZeroTime(bytes);
  if (!field.Has(FieldRow::kOmitEmpty)) return false;
  switch (field.kind) {
    case FieldKind::kString:
    case FieldKind::kBytes:
      return bytes.empty();
    case FieldKind::kDouble:
      return LittleEndian(bytes) << 1 == 0;
    case FieldKind::kMessage:
      return bytes.empty() && field.message().form() == MessageForm::kList;
    case FieldKind::kInt32:
      return static_cast<int32_t>(number) == 0;
    default:
      return number == 0;
  }
}

// What one huge message needed is not kept.
template <typename Note>
void Forget(std::vector<Note>* notes) {
  notes->clear();
  if (notes->capacity() * sizeof(Note) > JsonBuffer::kKeptBytesMax) std::vector<Note>().swap(*notes);
}

}  // namespace

absl::Status ProtobufToJson::AppendFields(const MessageType& type, absl::string_view message, std::string* json) {
  if (!Write(type, message, json->empty() ? '{' : json->back())) return error_;
  json->append(out_.text().data(), out_.text().size());
  return absl::OkStatus();
}

absl::Status ProtobufToJson::Check(const MessageType& type, absl::string_view message) {
  constexpr int kCheckedDepthMax = kDepthMax - kZeroDepthMax;
  if (MessageCheck(kCheckedDepthMax, &raw_, &special_).IsSurelyGood(type, message)) return absl::OkStatus();
  depth_max_ = kCheckedDepthMax;
  const bool done = Write(type, message, '{');
  depth_max_ = kDepthMax;
  return done ? absl::OkStatus() : error_;
}

bool ProtobufToJson::Write(const MessageType& type, absl::string_view message, char before) {
  out_.Begin(before);
  const bool done = Fields(type, message, 0);
  Forget(&occurrences_);
  Forget(&entries_);
  merged_.clear();
  merged_bytes_ = 0;
  return done;
}

bool ProtobufToJson::Fail(absl::string_view what) {
  error_ = absl::InvalidArgumentError(absl::StrCat("protobuf: ", what));
  return false;
}

bool ProtobufToJson::Scan(const MessageType& type, absl::string_view message) {
  const FieldRow* const fields = type.fields().data();
  const size_t base = occurrences_.size();
  size_t last = 0;
  bool in_order = true;
  FieldReader reader(message);
  while (reader.Next()) {
    const size_t index = type.IndexOf(reader.tag());
    if (index == 0) continue;
    in_order &= index >= last;
    last = index;
    if (!ScanField(fields[index - 1], reader, static_cast<uint32_t>(index - 1))) return false;
  }
  if (!reader.ok()) return Fail("no message");
  if (!in_order) SortByPlace(absl::MakeSpan(occurrences_).subspan(base));
  return true;
}

// Few and nearly in order, as a rule: Kubernetes adds fields in the middle of its structs, and their numbers at the end.
void ProtobufToJson::SortByPlace(absl::Span<Occurrence> some) {
  constexpr size_t kFew = 64;
  const auto below = [](const Occurrence& a, const Occurrence& b) { return a.place < b.place; };
  if (some.size() > kFew) return std::stable_sort(some.begin(), some.end(), below);
  for (size_t i = 1; i < some.size(); ++i) {
    const Occurrence moved = some[i];
    size_t at = i;
    for (; at > 0 && below(moved, some[at - 1]); --at) some[at] = some[at - 1];
    some[at] = moved;
  }
}

bool ProtobufToJson::ScanField(const FieldRow& field, const FieldReader& reader, uint32_t place) {
  if (reader.type() == field.wire()) {
    const bool is_number = reader.type() == WireType::kVarint;
    const absl::string_view bytes = reader.bytes();
    occurrences_.push_back(is_number ? Occurrence{nullptr, reader.number(), place}
                                     : Occurrence{bytes.data(), bytes.size(), place});
    return true;
  }
  const bool packed = field.Has(FieldRow::kRepeated) && field.wire() == WireType::kVarint;
  if (!packed || reader.type() != WireType::kBytes) return Fail(absl::StrCat("wrong wire type of ", field.name()));
  const auto note = [&](uint64_t number) { occurrences_.push_back({nullptr, number, place}); };
  return ForEachVarint(reader.bytes(), note) || Fail(absl::StrCat("packed ", field.name()));
}

bool ProtobufToJson::Fields(const MessageType& type, absl::string_view message, int depth) {
  if (depth > depth_max_) return Fail("too deep");
  const FieldRow* const fields = type.fields().data();
  const uint8_t* always = type.always();
  const size_t base = occurrences_.size();
  if (!Scan(type, message)) return false;
  const size_t end = occurrences_.size();
  for (Run run{base, base}; run.begin < end; run.begin = run.end) {
    const uint32_t place = occurrences_[run.begin].place;
    for (; *always < place; ++always) {
      if (!Absent(fields[*always], depth)) return false;
    }
    if (*always == place) ++always;
    do ++run.end;
    while (run.end < end && occurrences_[run.end].place == place);
    if (!Field(fields[place], run, depth)) return false;
  }
  for (; *always != MessageType::kPlaceEnd; ++always) {
    if (!Absent(fields[*always], depth)) return false;
  }
  occurrences_.resize(base);
  return true;
}

// REQUIRES: the field is one that is written always.
bool ProtobufToJson::Absent(const FieldRow& field, int depth) {
  if (field.Has(FieldRow::kInline)) return Fields(field.message(), {}, depth + 1);
  out_.PutKey(field);
  if (!IsMany(field) && !field.Has(FieldRow::kPointer) && field.kind != FieldKind::kBytes) {
    return Value(field, {}, depth);
  }
  out_.Put("null");
  return true;
}

bool ProtobufToJson::Field(const FieldRow& field, Run run, int depth) {
  if (IsMany(field)) {
    out_.PutKey(field);
    return field.Has(FieldRow::kMap) ? Map(field, run, depth) : Elements(field, run, depth);
  }
  Occurrence one;
  if (!Only(field, run, &one)) return false;
  if (field.Has(FieldRow::kInline)) return Fields(field.message(), one.bytes(), depth + 1);
  if (IsLeftOut(field, one.bytes(), one.number)) return true;
  out_.PutKey(field);
  return Value(field, one, depth);
}

// What counts of a field that is not repeated: the last one, or all pieces of a message. A copy: what is inside may move them.
bool ProtobufToJson::Only(const FieldRow& field, Run run, Occurrence* one) {
  *one = occurrences_[run.end - 1];
  const bool in_pieces = run.end - run.begin > 1 && field.kind == FieldKind::kMessage && !HasTime(field);
  return !in_pieces || Join(run, one);
}

// A message that came in pieces is their fields one after the other.
bool ProtobufToJson::Join(Run run, Occurrence* joined) {
  std::string whole;
  for (size_t i = run.begin; i < run.end; ++i) {
    const absl::string_view piece = occurrences_[i].bytes();
    if (!IsMessage(piece)) return Fail("no message");
    whole.append(piece.data(), piece.size());
  }
  merged_bytes_ += whole.size();
  if (merged_bytes_ > kMergedBytesMax) return Fail("too many pieces");
  merged_.push_back(std::move(whole));
  joined->begin = merged_.back().data();
  joined->number = merged_.back().size();
  return true;
}

void ProtobufToJson::Number(const FieldRow& field, uint64_t number) {
  switch (field.kind) {
    case FieldKind::kBool:
      return out_.Put(number != 0 ? "true" : "false");
    case FieldKind::kInt32:
      return out_.PutNumber(static_cast<int32_t>(number));
    default:
      return out_.PutNumber(static_cast<int64_t>(number));
  }
}

bool ProtobufToJson::Value(const FieldRow& field, const Occurrence& occurrence, int depth) {
  const absl::string_view bytes = occurrence.bytes();
  switch (field.kind) {
    case FieldKind::kString:
      out_.PutText(bytes);
      return true;
    case FieldKind::kMessage:
      return Message(field.message(), bytes, depth + 1);
    case FieldKind::kBytes:
      return Special([bytes](std::string* json) {
        AppendJsonBase64(bytes, json);
        return absl::OkStatus();
      });
    case FieldKind::kDouble:
      return Special([bytes](std::string* json) { return AppendJsonDouble(LittleEndian(bytes), json); });
    default:
      Number(field, occurrence.number);
      return true;
  }
}

bool ProtobufToJson::Elements(const FieldRow& field, Run run, int depth) {
  out_.Put('[');
  for (size_t i = run.begin; i < run.end; ++i) {
    out_.PutComma();
    const Occurrence element = occurrences_[i];  // a copy: what is inside may move them
    if (!Value(field, element, depth)) return false;
  }
  out_.Put(']');
  return true;
}

bool ProtobufToJson::ScanMapEntry(const FieldRow& field, absl::string_view bytes, MapEntry* entry) {
  const WireType wire = WireTypeOf(field.kind);
  FieldReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kBytes)) {
      entry->key = reader.bytes();
    } else if (reader.tag() == 2) {
      if (reader.type() != wire) return Fail(absl::StrCat("wrong wire type in ", field.name()));
      entry->value = wire == WireType::kVarint ? Occurrence{nullptr, reader.number()}
                                               : Occurrence{reader.bytes().data(), reader.bytes().size()};
    }
  }
  return reader.ok() || Fail("no map entry");
}

// In the order of the keys; of two entries with one key the last counts.
bool ProtobufToJson::Map(const FieldRow& field, Run run, int depth) {
  const size_t base = entries_.size();
  for (size_t i = run.begin; i < run.end; ++i) {
    if (!ScanMapEntry(field, occurrences_[i].bytes(), &entries_.emplace_back())) return false;
  }
  const auto below = [](const MapEntry& a, const MapEntry& b) { return a.key < b.key; };
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(base);
  if (!std::is_sorted(first, entries_.end(), below)) std::stable_sort(first, entries_.end(), below);
  const size_t end = entries_.size();
  out_.Put('{');
  for (size_t i = base; i < end; ++i) {
    if (i + 1 < end && entries_[i].key == entries_[i + 1].key) continue;
    const MapEntry entry = entries_[i];  // a copy: a map inside may move them
    out_.PutComma();
    out_.PutText(entry.key);
    out_.Put(':');
    if (!Value(field, entry.value, depth)) return false;
  }
  out_.Put('}');
  entries_.resize(base);
  return true;
}

// A message that is there and empty is an empty list in Go, not none.
bool ProtobufToJson::List(const MessageType& type, absl::string_view message, int depth) {
  const size_t base = occurrences_.size();
  if (!Scan(type, message) || !Elements(type.fields()[0], {base, occurrences_.size()}, depth)) return false;
  occurrences_.resize(base);
  return true;
}

// The three forms that hold one of two things.
bool ProtobufToJson::Either(const MessageType& type, absl::string_view message, int depth) {
  const size_t base = occurrences_.size();
  if (!Scan(type, message)) return false;
  const size_t end = occurrences_.size();
  size_t middle = base;  // of the second thing the first
  while (middle < end && occurrences_[middle].place == 0) ++middle;
  const FieldRow& field = type.fields()[middle < end ? 1 : 0];
  bool done = true;
  if (middle < end && IsMany(field)) {
    done = Elements(field, {middle, end}, depth);
  } else if (end > base || type.form() == MessageForm::kSchemaOrBool) {
    Occurrence one;
    if (end > base) done = Only(field, {middle < end ? middle : base, end}, &one);
    done = done && Value(field, one, depth);
  } else {
    out_.Put("null");
  }
  occurrences_.resize(base);
  return done;
}

// `append` writes a value that needs more thought than room, to a text.
template <typename Append>
bool ProtobufToJson::Special(Append append) {
  special_.clear();
  error_ = append(&special_);
  out_.Put(special_);
  return error_.ok();
}

bool ProtobufToJson::Message(const MessageType& type, absl::string_view message, int depth) {
  if (depth > depth_max_) return Fail("too deep");
  switch (type.form()) {
    case MessageForm::kObject:
      out_.Put('{');
      if (!Fields(type, message, depth)) return false;
      out_.Put('}');
      return true;
    case MessageForm::kList:
      return List(type, message, depth);
    case MessageForm::kSchemaOrArray:
    case MessageForm::kSchemaOrBool:
    case MessageForm::kSchemaOrStringArray:
      return Either(type, message, depth);
    case MessageForm::kRaw:
      return Special([&](std::string* json) { return raw_.AppendField(message, json); });
    case MessageForm::kTime:
      return Special([&](std::string* json) { return AppendJsonTime(message, json); });
    case MessageForm::kMicroTime:
      return Special([&](std::string* json) { return AppendJsonMicroTime(message, json); });
    case MessageForm::kDuration:
      return Special([&](std::string* json) { return AppendJsonDuration(message, json); });
    case MessageForm::kQuantity:
      return Special([&](std::string* json) { return AppendJsonQuantity(message, json); });
    case MessageForm::kIntOrString:
      return Special([&](std::string* json) { return AppendJsonIntOrString(message, json); });
  }
  return Fail("no form");
}

}  // namespace tidemark::proto
