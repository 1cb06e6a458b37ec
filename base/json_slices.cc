#include "base/json_slices.h"

#include <algorithm>
#include <cstddef>

namespace tidemark {
namespace {

bool IsJsonSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// A position in the text; every step stays inside of it.
class SliceScanner {
 public:
  explicit SliceScanner(absl::string_view text) : text_(text) {}

  // Takes white space, and then `c` if it is next.
  bool Consume(char c) {
    SkipSpace();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // A text with its quotes; empty when there is none.
  absl::string_view Text() {
    SkipSpace();
    const size_t begin = at_;
    if (at_ == text_.size() || text_[at_] != '"') return {};
    SkipText();
    return text_.substr(begin, at_ - begin);
  }

  // A value of any kind; empty when there is none.
  absl::string_view Value() {
    SkipSpace();
    const size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        SkipText();
        --at_;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']' || c == ',') {
        if (depth == 0) break;
        if (c != ',') --depth;
      }
    }
    size_t end = at_;
    while (end > begin && IsJsonSpace(text_[end - 1])) --end;
    return text_.substr(begin, end - begin);
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && IsJsonSpace(text_[at_])) ++at_;
  }
  void SkipText() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
  }

  const absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::vector<JsonField> JsonFields(absl::string_view object) {
  std::vector<JsonField> fields;
  SliceScanner scanner(object);
  if (!scanner.Consume('{')) return fields;
  do {
    const absl::string_view name = scanner.Text();
    if (name.size() < 2 || !scanner.Consume(':')) return fields;
    fields.push_back({name.substr(1, name.size() - 2), scanner.Value()});
  } while (scanner.Consume(','));
  return fields;
}

std::vector<absl::string_view> JsonElements(absl::string_view array) {
  std::vector<absl::string_view> elements;
  SliceScanner scanner(array);
  if (!scanner.Consume('[')) return elements;
  do {
    const absl::string_view value = scanner.Value();
    if (value.empty()) return elements;
    elements.push_back(value);
  } while (scanner.Consume(','));
  return elements;
}

absl::string_view FindJson(absl::string_view object, absl::string_view path) {
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    const absl::string_view name = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    absl::string_view value;
    for (const JsonField& field : JsonFields(object)) {
      if (field.name == name) value = field.value;
    }
    object = value;
  }
  return object;
}

}  // namespace tidemark
