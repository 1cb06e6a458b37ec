#include "http/json_view.h"

#include <bit>

#include "absl/strings/str_cat.h"
#include "base/json_slices.h"
#include "simdjson.h"

namespace tidemark::http {
namespace {

namespace dom = simdjson::dom;

// Buffers that grew beyond this for one object are given back before the next.
constexpr size_t kKeptJsonBytes = 256 * 1024;

absl::string_view TextView(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

template <typename Element>
JsonView JsonView::Of(const Element& element) {
  JsonView view;
  if (element.is_null()) return view;
  view.reference_ = std::bit_cast<Reference>(element);
  view.present_ = true;
  return view;
}

// REQUIRES: present().
template <typename Element>
Element JsonView::Get() const {
  return std::bit_cast<Element>(reference_);
}

JsonView JsonView::Field(absl::string_view name) const {
  if (!present_) return {};
  dom::object object;
  dom::element field;
  if (Get<dom::element>().get(object) || object.at_key({name.data(), name.size()}).get(field)) return {};
  return Of(field);
}

absl::string_view JsonView::Text() const {
  std::string_view text;
  // Not a null one, which absl::StrSplit takes for no pieces at all.
  if (!present_ || Get<dom::element>().get(text)) return "";
  return TextView(text);
}

int64_t JsonView::Number() const {
  int64_t number = 0;
  if (!present_ || Get<dom::element>().get(number)) return 0;
  return number;
}

bool JsonView::Bool() const {
  bool flag = false;
  if (!present_ || Get<dom::element>().get(flag)) return false;
  return flag;
}

std::string JsonView::Scalar() const {
  int64_t number = 0;
  if (present_ && Get<dom::element>().get(number) == simdjson::SUCCESS) return absl::StrCat(number);
  return std::string(Text());
}

size_t JsonView::size() const {
  if (!present_) return 0;
  const auto element = Get<dom::element>();
  dom::array array;
  if (element.get(array) == simdjson::SUCCESS) return array.size();
  dom::object object;
  return element.get(object) == simdjson::SUCCESS ? object.size() : 0;
}

JsonView::Elements JsonView::elements() const {
  Elements elements;
  dom::array array;
  if (!present_ || Get<dom::element>().get(array)) return elements;
  for (const dom::element element : array) elements.push_back(Of(element));
  return elements;
}

JsonView::Members JsonView::members() const {
  Members members;
  dom::object object;
  if (!present_ || Get<dom::element>().get(object)) return members;
  for (const dom::key_value_pair member : object) members.push_back({TextView(member.key), Of(member.value)});
  return members;
}

class JsonDocument::Impl {
 public:
  dom::parser parser;
};

JsonDocument::JsonDocument() : impl_(std::make_unique<Impl>()) {}
JsonDocument::~JsonDocument() = default;
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;

void JsonDocument::Parse(absl::string_view json) {
  root_ = JsonView();
  if (impl_->parser.capacity() > kKeptJsonBytes && json.size() <= kKeptJsonBytes) impl_ = std::make_unique<Impl>();
  if (ParseAll(json)) return;
  // Numbers beyond 64 bits are good JSON, and more than this parser takes: what every object has is better than nothing.
  const absl::string_view metadata = FindJson(json, "metadata");
  if (!metadata.empty()) ParseAll(absl::StrCat("{\"metadata\":", metadata, "}"));
}

bool JsonDocument::ParseAll(absl::string_view json) {
  dom::element root;
  // The parser reads beyond the end, and so makes a padded copy of its own.
  if (impl_->parser.parse(json.data(), json.size(), /*realloc_if_needed=*/true).get(root) != simdjson::SUCCESS)
    return false;
  root_ = JsonView::Of(root);
  return true;
}

}  // namespace tidemark::http
