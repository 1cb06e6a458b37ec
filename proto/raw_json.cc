#include "proto/raw_json.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "proto/field_reader.h"
#include "proto/strict_json.h"

namespace tidemark::proto {
namespace {

// How many bytes at `text` are to be escaped as one, and as what; none: 0.
size_t EscapedAt(absl::string_view text, absl::string_view* escape) {
  switch (text[0]) {
    case '<':
      *escape = "\\u003c";
      return 1;
    case '>':
      *escape = "\\u003e";
      return 1;
    case '&':
      *escape = "\\u0026";
      return 1;
    case '\xE2':
      if (text.substr(0, 3) != "\xE2\x80\xA8" && text.substr(0, 3) != "\xE2\x80\xA9") return 0;
      *escape = text[2] == '\xA8' ? "\\u2028" : "\\u2029";
      return 3;
    default:
      return 0;
  }
}

// Of `\n` or `\u00e4`; 0 when it is no escape.
size_t EscapeLength(absl::string_view text) {
  constexpr size_t kCodeLength = 6;
  if (text.size() < 2) return 0;
  if (text[1] != 'u') return absl::StrContains("\"\\/bfnrt", text[1]) ? 2 : 0;
  if (text.size() < kCodeLength) return 0;
  return std::all_of(text.begin() + 2, text.begin() + kCodeLength, absl::ascii_isxdigit) ? kCodeLength : 0;
}

absl::Status NoJson() { return absl::InvalidArgumentError("what should be JSON is none"); }

// Reads one value from left to right, and appends it without the blanks between its tokens.
class Compactor {
 public:
  Compactor(absl::string_view text, std::string* open, std::string* json) : rest_(text), open_(*open), json_(*json) {
    open_.clear();
  }

  bool Run() {
    while (next_ != Next::kEnd) {
      SkipSpace();
      if (rest_.empty() || !Token()) return false;
    }
    SkipSpace();
    return rest_.empty();
  }

 private:
  enum class Next { kValue, kValueOrClose, kKey, kKeyOrClose, kColon, kCommaOrClose, kEnd };

  void SkipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  bool Take(size_t length) {
    json_.append(rest_.data(), length);
    rest_.remove_prefix(length);
    return true;
  }

  bool Token() {
    const char c = rest_.front();
    switch (next_) {
      case Next::kValueOrClose:
        return c == ']' ? Close(c) : Value(c);
      case Next::kValue:
        return Value(c);
      case Next::kKeyOrClose:
        if (c == '}') return Close(c);
        [[fallthrough]];
      case Next::kKey:
        next_ = Next::kColon;
        return c == '"' && Text();
      case Next::kColon:
        next_ = Next::kValue;
        return c == ':' && Take(1);
      case Next::kCommaOrClose:
        if (c != ',') return Close(c);
        next_ = open_.back() == '{' ? Next::kKey : Next::kValue;
        return Take(1);
      case Next::kEnd:
        break;
    }
    return false;
  }

  bool Value(char c) {
    if (c == '{' || c == '[') {
      if (open_.size() == kRawJsonDepthMax) return false;
      open_.push_back(c);
      next_ = c == '{' ? Next::kKeyOrClose : Next::kValueOrClose;
      return Take(1);
    }
    next_ = open_.empty() ? Next::kEnd : Next::kCommaOrClose;
    return c == '"' ? Text() : Word();
  }

  bool Close(char c) {
    if (c != (open_.back() == '{' ? '}' : ']')) return false;
    open_.pop_back();
    next_ = open_.empty() ? Next::kEnd : Next::kCommaOrClose;
    return Take(1);
  }

  bool Word() {
    const size_t length = std::min(rest_.find_first_of(" \t\r\n,]}"), rest_.size());
    const absl::string_view word = rest_.substr(0, length);
    return (word == "null" || word == "true" || word == "false" || IsJsonNumber(word)) && Take(length);
  }

  bool Text() {
    size_t plain = 0;  // up to here nothing but what stays as it is
    absl::string_view escape;
    for (size_t at = 1; at < rest_.size(); ++at) {
      const char c = rest_[at];
      if (c == '"') {
        rest_.remove_prefix(plain);
        return Take(at + 1 - plain);
      }
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\') {
        const size_t length = EscapeLength(rest_.substr(at));
        if (length == 0) return false;
        at += length - 1;
      } else if (const size_t length = EscapedAt(rest_.substr(at), &escape)) {
        json_.append(rest_.data() + plain, at - plain);
        json_.append(escape.data(), escape.size());
        plain = at + length;
        at = plain - 1;
      }
    }
    return false;
  }

  absl::string_view rest_;
  std::string& open_;  // the brackets around the place at hand
  std::string& json_;
  Next next_ = Next::kValue;
};

}  // namespace

absl::Status RawJson::AppendField(absl::string_view message, std::string* json) {
  FieldReader reader(message);
  absl::string_view text = "null";
  while (reader.Next()) {
    if (reader.tag() != 1) continue;
    if (reader.type() != WireType::kBytes) return absl::InvalidArgumentError("protobuf: wrong wire type in a value");
    text = reader.bytes().empty() ? "null" : reader.bytes();
  }
  if (!reader.ok()) return absl::InvalidArgumentError("protobuf: no message");
  if (text == "null" || text == "{}") {
    json->append(text.data(), text.size());
    return absl::OkStatus();
  }
  return Append(text, json);
}

absl::Status RawJson::Append(absl::string_view text, std::string* json) {
  const size_t begin = json->size();
  if (Compactor(text, &open_, json).Run()) return absl::OkStatus();
  json->resize(begin);
  return NoJson();
}

}  // namespace tidemark::proto
