#include "cache/object_json.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "cache/canonical_json.h"
#include "cache/object_message.h"
#include "proto/strict_json.h"
#include "simdjson.h"

namespace tidemark::cache {
namespace {

namespace ondemand = simdjson::ondemand;
using proto::CheckJson;
using proto::ForEachJsonField;
using proto::TrimJsonEnd;
using simdjson::error_code;
using simdjson::SUCCESS;

// Documents up to here keep the parser's buffers for the next one (about 6 bytes per byte of document); bigger ones are
// rare enough to allocate anew.
constexpr size_t kKeptCapacity = 64 * 1024;
constexpr size_t kSmallestCapacity = 2048;

constexpr absl::string_view kRevision = "resourceVersion";

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// Whether `key` stands in the text as it is, without escapes.
bool StandsAsIs(ondemand::raw_json_string raw, absl::string_view key) {
  return std::memcmp(raw.raw(), key.data(), key.size()) == 0 && raw.raw()[key.size()] == '"';
}

}  // namespace

class ObjectJson::Impl {
 public:
  explicit Impl(std::shared_ptr<const ObjectSchema> schema) : schema_(std::move(schema)) {}

  void Load(absl::string_view first, absl::string_view second);
  absl::string_view text() const { return {buffer_.get(), length_}; }
  error_code ReadAll(bool check);

  const Selectable& values() const { return values_; }
  size_t splice() const { return splice_; }
  size_t metadata_end() const { return metadata_end_; }
  bool other() const { return other_; }

 private:
  void Reserve(size_t length);
  error_code Start(ondemand::document* document, ondemand::object* object);
  error_code ReadObject(ondemand::object object);
  error_code ReadMetadata(ondemand::value value);
  error_code ReadMetadataField(ondemand::field field, bool first, int node);
  error_code ReadLabels(ondemand::value value);
  error_code ReadLabel(absl::string_view key, ondemand::value label);
  error_code ReadField(ondemand::value value, int node, int depth);
  error_code ReadFields(ondemand::value value, int node, int depth);
  error_code Skip(ondemand::value value, int depth);
  // Offset behind the value that was read last; `token` is its text when it is a scalar, and empty otherwise.
  error_code EndOfValue(absl::string_view token, size_t* end);

  const std::shared_ptr<const ObjectSchema> schema_;
  ondemand::parser parser_;
  ondemand::document document_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;  // of the buffer, without padding, and of the parser
  size_t length_ = 0;

  Selectable values_;
  bool check_ = false;  // read every byte
  bool other_ = false;  // the text is not canonical
  bool metadata_seen_ = false;
  bool labels_seen_ = false;
  size_t splice_ = 0;
  size_t metadata_end_ = 0;
};

void ObjectJson::Impl::Reserve(size_t length) {
  const bool fits = length <= capacity_;
  if (fits && (capacity_ <= kKeptCapacity || length > kKeptCapacity / 2)) return;
  size_t capacity = kSmallestCapacity;
  while (capacity < length) capacity *= 2;
  parser_ = ondemand::parser();
  buffer_ = std::make_unique<char[]>(capacity + simdjson::SIMDJSON_PADDING);
  capacity_ = capacity;
  const error_code error = parser_.allocate(capacity);
  TM_CHECK(error == SUCCESS) << "no memory to read an object of " << length << " bytes";
}

void ObjectJson::Impl::Load(absl::string_view first, absl::string_view second) {
  Reserve(first.size() + second.size());
  std::memcpy(buffer_.get(), first.data(), first.size());
  if (!second.empty()) std::memcpy(buffer_.get() + first.size(), second.data(), second.size());
  length_ = first.size() + second.size();
  std::memset(buffer_.get() + length_, ' ', simdjson::SIMDJSON_PADDING);
}

error_code ObjectJson::Impl::Start(ondemand::document* document, ondemand::object* object) {
  const simdjson::padded_string_view text(buffer_.get(), length_, capacity_ + simdjson::SIMDJSON_PADDING);
  if (const error_code error = parser_.iterate(text).get(*document)) return error;
  return document->get_object().get(*object);
}

// Fills values_, and with `check` also other_, splice_ and metadata_end_.
error_code ObjectJson::Impl::ReadAll(bool check) {
  check_ = check;
  other_ = metadata_seen_ = labels_seen_ = false;
  splice_ = metadata_end_ = 0;
  values_.labels.clear();
  values_.fields.assign(schema_->fields().size(), absl::string_view());
  ondemand::object object;
  if (const error_code error = Start(&document_, &object)) return error;
  if (const error_code error = ReadObject(object)) return error;
  // Nothing may follow the object.
  if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS) return simdjson::TRAILING_CONTENT;
  FinishSelectable(*schema_, &values_);
  return SUCCESS;
}

error_code ObjectJson::Impl::ReadObject(ondemand::object object) {
  for (auto element : object) {
    ondemand::field field;
    if (const error_code error = std::move(element).get(field)) return error;
    const ondemand::raw_json_string raw = field.key();
    std::string_view key_text;
    if (const error_code error = field.unescaped_key().get(key_text)) return error;
    const absl::string_view key = View(key_text);
    error_code error;
    if (key == "metadata") {
      if (metadata_seen_ || !StandsAsIs(raw, key) || raw.raw() != buffer_.get() + 2) other_ = true;
      metadata_seen_ = true;
      error = ReadMetadata(field.value());
    } else {
      if (key == "kind" || key == "apiVersion") other_ = true;
      const int node = schema_->FindChild(0, key);
      error = node == ObjectSchema::kNone ? Skip(field.value(), 1) : ReadField(field.value(), node, 1);
    }
    if (error != SUCCESS) return error;
  }
  if (!metadata_seen_) other_ = true;
  return SUCCESS;
}

error_code ObjectJson::Impl::ReadMetadata(ondemand::value value) {
  const int node = schema_->FindChild(0, "metadata");
  ondemand::json_type type;
  if (const error_code error = value.type().get(type)) return error;
  if (type != ondemand::json_type::object) {
    other_ = true;
    return Skip(value, 1);
  }
  // Behind `{"metadata":{` unless a field before the revision is found.
  const size_t open = static_cast<size_t>(value.raw_json_token().data() - buffer_.get());
  if (open != 12) other_ = true;
  splice_ = open + 1;
  ondemand::object object;
  if (const error_code error = value.get_object().get(object)) return error;
  bool first = true;
  for (auto element : object) {
    ondemand::field field;
    if (const error_code error = std::move(element).get(field)) return error;
    if (const error_code error = ReadMetadataField(field, first, node)) return error;
    first = false;
  }
  if (first && buffer_[splice_] != '}') other_ = true;
  return check_ ? EndOfValue({}, &metadata_end_) : SUCCESS;
}

error_code ObjectJson::Impl::ReadMetadataField(ondemand::field field, bool first, int node) {
  if (first && field.key().raw() != buffer_.get() + splice_ + 1) other_ = true;
  std::string_view key_text;
  if (const error_code error = field.unescaped_key().get(key_text)) return error;
  const absl::string_view key = View(key_text);
  ondemand::value value = field.value();
  if (!check_) {
    if (key == "labels") return ReadLabels(value);
    const int child = node == ObjectSchema::kNone ? node : schema_->FindChild(node, key);
    return child == ObjectSchema::kNone ? SUCCESS : ReadField(value, child, 2);
  }

  if (key == kRevision) other_ = true;
  ondemand::json_type type;
  if (const error_code error = value.type().get(type)) return error;
  const bool scalar = type != ondemand::json_type::object && type != ondemand::json_type::array;
  const absl::string_view token = scalar ? View(value.raw_json_token()) : absl::string_view();
  const int child = node == ObjectSchema::kNone ? node : schema_->FindChild(node, key);
  error_code error;
  if (key == "labels") {
    if (labels_seen_) other_ = true;
    labels_seen_ = true;
    error = ReadLabels(value);
  } else {
    error = child == ObjectSchema::kNone ? Skip(value, 2) : ReadField(value, child, 2);
  }
  if (error != SUCCESS) return error;
  const bool before_revision = schema_->custom() ? key < kRevision : IsIdentityField(key);
  return before_revision ? EndOfValue(token, &splice_) : SUCCESS;
}

error_code ObjectJson::Impl::ReadLabels(ondemand::value value) {
  values_.labels.clear();
  ondemand::json_type type;
  if (const error_code error = value.type().get(type)) return error;
  if (type != ondemand::json_type::object) return Skip(value, 2);
  return ForEachJsonField(value,
                          [this](absl::string_view key, ondemand::value label) { return ReadLabel(key, label); });
}

error_code ObjectJson::Impl::ReadLabel(absl::string_view key, ondemand::value label) {
  ondemand::json_type type;
  if (const error_code error = label.type().get(type)) return error;
  std::string_view text;
  if (type == ondemand::json_type::string) {
    if (const error_code error = label.get_string().get(text)) return error;
  } else {
    if (const error_code error = Skip(label, 3)) return error;
    // null is the empty text; anything else is no label.
    if (type != ondemand::json_type::null) return SUCCESS;
  }
  values_.labels.emplace_back(key, View(text));
  return SUCCESS;
}

// A value at a step of some declared path.
error_code ObjectJson::Impl::ReadField(ondemand::value value, int node, int depth) {
  ondemand::json_type type;
  if (const error_code error = value.type().get(type)) return error;
  const int number = schema_->nodes()[node].field;
  absl::string_view ignored;
  absl::string_view* const out = number == ObjectSchema::kNone ? &ignored : &values_.fields[number];
  switch (type) {
    case ondemand::json_type::object:
      return ReadFields(value, node, depth);
    case ondemand::json_type::string: {
      std::string_view text;
      if (const error_code error = value.get_string().get(text)) return error;
      *out = View(text);
      return SUCCESS;
    }
    case ondemand::json_type::number:
      *out = TrimJsonEnd(View(value.raw_json_token()));
      return Skip(value, depth);
    case ondemand::json_type::boolean: {
      bool flag;
      if (const error_code error = value.get_bool().get(flag)) return error;
      *out = flag ? "true" : "false";
      return SUCCESS;
    }
    default:
      *out = absl::string_view();
      return Skip(value, depth);
  }
}

error_code ObjectJson::Impl::ReadFields(ondemand::value value, int node, int depth) {
  if (schema_->nodes()[node].children.empty()) return Skip(value, depth);
  return ForEachJsonField(value, [this, node, depth](absl::string_view key, ondemand::value child) {
    const int next = schema_->FindChild(node, key);
    return next == ObjectSchema::kNone ? Skip(child, depth + 1) : ReadField(child, next, depth + 1);
  });
}

error_code ObjectJson::Impl::Skip(ondemand::value value, int depth) {
  return check_ ? CheckJson(value, depth) : SUCCESS;
}

error_code ObjectJson::Impl::EndOfValue(absl::string_view token, size_t* end) {
  if (!token.empty()) {
    *end = static_cast<size_t>(token.data() - buffer_.get()) + TrimJsonEnd(token).size();
    return SUCCESS;
  }
  const char* next;
  if (const error_code error = document_.current_location().get(next)) return error;
  *end = TrimJsonEnd(text().substr(0, static_cast<size_t>(next - buffer_.get()))).size();
  return SUCCESS;
}

ObjectJson::ObjectJson(std::shared_ptr<const ObjectSchema> schema) : impl_(std::make_unique<Impl>(std::move(schema))) {}
ObjectJson::~ObjectJson() = default;

void ObjectJson::Load(absl::string_view first, absl::string_view second) { impl_->Load(first, second); }
absl::string_view ObjectJson::text() const { return impl_->text(); }
const Selectable& ObjectJson::values() const { return impl_->values(); }
size_t ObjectJson::splice() const { return impl_->splice(); }
size_t ObjectJson::metadata_end() const { return impl_->metadata_end(); }

const Selectable& ObjectJson::Read() {
  const error_code error = impl_->ReadAll(/*check=*/false);
  TM_CHECK(error == SUCCESS) << "a stored object does not parse: " << simdjson::error_message(error);
  return impl_->values();
}

ObjectJson::Verdict ObjectJson::ReadNew(std::string* why_broken) {
  if (const error_code error = impl_->ReadAll(/*check=*/true)) {
    *why_broken = absl::StrCat("it is not valid JSON: ", simdjson::error_message(error));
    return Verdict::kBroken;
  }
  const absl::string_view text = impl_->text();
  if (impl_->other() || std::memchr(text.data(), '\n', text.size()) != nullptr) return Verdict::kOther;
  return Verdict::kCanonical;
}

}  // namespace tidemark::cache
