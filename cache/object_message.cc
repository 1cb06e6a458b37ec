#include "cache/object_message.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tidemark::cache {
namespace {

using proto::FieldKind;
using proto::FieldReader;
using proto::FieldRow;
using proto::MessageForm;
using proto::WireType;

// ObjectMeta is field 1 of every kind, and labels field 11 of it.
constexpr uint32_t kMetadata = 1;
constexpr uint32_t kLabels = 11;
constexpr uint32_t kKey = 1, kValue = 2;

bool IsSingle(const FieldRow& row) { return !row.Has(FieldRow::kRepeated) && !row.Has(FieldRow::kMap); }

bool IsScalar(const FieldRow& row) {
  return IsSingle(row) && row.kind != FieldKind::kMessage && row.kind != FieldKind::kBytes &&
         row.kind != FieldKind::kDouble;
}

bool IsObject(const FieldRow& row) {
  return IsSingle(row) && row.kind == FieldKind::kMessage && row.message().form() == MessageForm::kObject;
}

}  // namespace

ObjectMessage::ObjectMessage(std::shared_ptr<const ObjectSchema> schema) : schema_(std::move(schema)), steps_(1) {
  for (size_t i = 0; i < schema_->fields().size() && fits_; ++i) {
    const std::vector<absl::string_view> path = absl::StrSplit(schema_->fields()[i].path, '.');
    fits_ = AddPath(0, *schema_->message_type(), path, static_cast<int>(i));
  }
}

bool ObjectMessage::AddPath(int place, const proto::MessageType& type, absl::Span<const absl::string_view> path,
                            int field) {
  for (const FieldRow& row : type.fields()) {
    if (row.Has(FieldRow::kInline) && IsObject(row)) {
      if (AddPath(StepTo(place, row), row.message(), path, field)) return true;
      continue;
    }
    if (row.name() != path[0]) continue;
    if (path.size() > 1) return IsObject(row) && AddPath(StepTo(place, row), row.message(), path.subspan(1), field);
    if (!IsScalar(row)) return false;
    steps_[static_cast<size_t>(place)].push_back({.number = row.number, .row = &row, .field = field});
    return true;
  }
  return false;
}

int ObjectMessage::StepTo(int place, const FieldRow& row) {
  for (const Step& step : steps_[static_cast<size_t>(place)]) {
    if (step.number == row.number) return step.next;
  }
  const int next = static_cast<int>(steps_.size());
  steps_[static_cast<size_t>(place)].push_back({.number = row.number, .row = &row, .next = next});
  steps_.emplace_back();
  return next;
}

const Selectable& ObjectMessage::Read(absl::string_view message) {
  values_.labels.clear();
  values_.fields.assign(schema_->fields().size(), {});
  numbers_.clear();
  ReadMessage(0, message);
  FinishSelectable(*schema_, &values_);
  return values_;
}

void ObjectMessage::ReadMessage(int place, absl::string_view message) {
  FieldReader reader(message);
  while (reader.Next()) {
    if (place == 0 && reader.Is(kMetadata, WireType::kBytes)) ReadMetadata(reader.bytes());
    for (const Step& step : steps_[static_cast<size_t>(place)]) {
      if (step.number != reader.tag()) continue;
      if (step.next != ObjectSchema::kNone) {
        ReadMessage(step.next, reader.bytes());
      } else {
        values_.fields[static_cast<size_t>(step.field)] = ScalarText(*step.row, reader);
      }
    }
  }
}

void ObjectMessage::ReadMetadata(absl::string_view metadata) {
  FieldReader reader(metadata);
  while (reader.Next()) {
    if (reader.Is(kLabels, WireType::kBytes)) ReadLabel(reader.bytes());
  }
}

void ObjectMessage::ReadLabel(absl::string_view entry) {
  absl::string_view key, value;
  FieldReader reader(entry);
  while (reader.Next()) {
    if (reader.Is(kKey, WireType::kBytes)) key = reader.bytes();
    if (reader.Is(kValue, WireType::kBytes)) value = reader.bytes();
  }
  values_.labels.emplace_back(key, value);
}

// As JSON has it; empty where JSON has nothing.
absl::string_view ObjectMessage::ScalarText(const FieldRow& row, const FieldReader& reader) {
  if (row.kind == FieldKind::kString) return reader.bytes();
  const bool left_out = row.Has(FieldRow::kOmitEmpty) && !row.Has(FieldRow::kPointer);
  const int64_t number = row.kind == FieldKind::kInt32 ? static_cast<int32_t>(reader.number()) : reader.signed_number();
  if (number == 0 && left_out) return {};
  if (row.kind == FieldKind::kBool) return number != 0 ? "true" : "false";
  return numbers_.emplace_back(absl::StrCat(number));
}

void FinishSelectable(const ObjectSchema& schema, Selectable* values) {
  auto& labels = values->labels;
  const auto ascends = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto out_of_order = [](const auto& a, const auto& b) { return a.first >= b.first; };
  if (std::adjacent_find(labels.begin(), labels.end(), out_of_order) != labels.end()) {
    std::stable_sort(labels.begin(), labels.end(), ascends);
    // Of equal keys the last one counts.
    const auto same_key = [](const auto& a, const auto& b) { return a.first == b.first; };
    labels.erase(labels.begin(), std::unique(labels.rbegin(), labels.rend(), same_key).base());
  }
  const auto& fields = schema.fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    if (values->fields[i].empty()) values->fields[i] = fields[i].absent;
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (values->fields[i].empty() && fields[i].else_field != ObjectSchema::kNone) {
      values->fields[i] = values->fields[static_cast<size_t>(fields[i].else_field)];
    }
  }
}

}  // namespace tidemark::cache
