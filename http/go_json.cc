#include "http/go_json.h"

#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"
#include "base/status.h"
#include "base/utf8.h"
#include "http/go_text.h"

namespace tidemark::http {
namespace {

// Go's is 10,000; nothing that we read nests at all, and each level costs a stack frame.
constexpr int kDepthMax = 1000;

bool IsHighSurrogate(uint32_t rune) { return rune >= 0xD800 && rune < 0xDC00; }
bool IsLowSurrogate(uint32_t rune) { return rune >= 0xDC00 && rune < 0xE000; }

class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  // `top` gets the members of the outermost value, if it is an object.
  absl::StatusOr<GoJsonValue> Document(GoJsonObject* top) {
    TM_ASSIGN_OR_RETURN(GoJsonValue value, Value(0, top));
    SkipSpace();
    if (at_ < text_.size()) return Unexpected("after top-level value");
    return value;
  }

 private:
  absl::Status Unexpected(absl::string_view context) const {
    if (at_ >= text_.size()) return absl::InvalidArgumentError("unexpected end of JSON input");
    return absl::InvalidArgumentError(
        absl::StrCat("invalid character ", GoQuoteByte(static_cast<uint8_t>(text_[at_])), " ", context));
  }
  bool Is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool IsDigit() const { return at_ < text_.size() && absl::ascii_isdigit(static_cast<unsigned char>(text_[at_])); }
  void SkipSpace() {
    while (Is(' ') || Is('\t') || Is('\r') || Is('\n')) ++at_;
  }

  absl::StatusOr<GoJsonValue> Value(int depth, GoJsonObject* top) {
    if (depth > kDepthMax) return absl::InvalidArgumentError("exceeded max depth");
    SkipSpace();
    using Type = GoJsonValue::Type;
    if (Is('{')) return Object(depth, top);
    if (Is('[')) return Array(depth);
    if (Is('"')) {
      GoJsonValue value{.type = Type::kString};
      TM_RETURN_IF_ERROR(String(&value.text));
      return value;
    }
    if (Is('-') || IsDigit()) return Number();
    if (Is('t')) return Literal("true", Type::kBool);
    if (Is('f')) return Literal("false", Type::kBool);
    if (Is('n')) return Literal("null", Type::kNull);
    return Unexpected("looking for beginning of value");
  }

  absl::StatusOr<GoJsonValue> Object(int depth, GoJsonObject* top) {
    ++at_;
    SkipSpace();
    const GoJsonValue object{.type = GoJsonValue::Type::kObject};
    if (Is('}')) {
      ++at_;
      return object;
    }
    while (true) {
      SkipSpace();
      if (!Is('"')) return Unexpected("looking for beginning of object key string");
      GoJsonMember member;
      TM_RETURN_IF_ERROR(String(&member.name));
      SkipSpace();
      if (!Is(':')) return Unexpected("after object key");
      ++at_;
      TM_ASSIGN_OR_RETURN(member.value, Value(depth + 1, nullptr));
      if (top != nullptr) top->members.push_back(std::move(member));
      SkipSpace();
      if (!Is(',') && !Is('}')) return Unexpected("after object key:value pair");
      if (text_[at_++] == '}') return object;
    }
  }

  absl::StatusOr<GoJsonValue> Array(int depth) {
    ++at_;
    SkipSpace();
    const GoJsonValue array{.type = GoJsonValue::Type::kArray};
    if (Is(']')) {
      ++at_;
      return array;
    }
    while (true) {
      TM_RETURN_IF_ERROR(Value(depth + 1, nullptr).status());
      SkipSpace();
      if (!Is(',') && !Is(']')) return Unexpected("after array element");
      if (text_[at_++] == ']') return array;
    }
  }

  absl::StatusOr<GoJsonValue> Literal(absl::string_view word, GoJsonValue::Type type) {
    for (const char expected : word) {
      if (!Is(expected)) {
        return Unexpected(
            absl::StrCat("in literal ", word, " (expecting ", GoQuoteByte(static_cast<uint8_t>(expected)), ")"));
      }
      ++at_;
    }
    return GoJsonValue{.type = type};
  }

  absl::StatusOr<GoJsonValue> Number() {
    const size_t start = at_;
    if (Is('-')) ++at_;
    if (!IsDigit()) return Unexpected("in numeric literal");
    if (Is('0')) {
      ++at_;
    } else {
      while (IsDigit()) ++at_;
    }
    if (Is('.')) {
      ++at_;
      if (!IsDigit()) return Unexpected("after decimal point in numeric literal");
      while (IsDigit()) ++at_;
    }
    if (Is('e') || Is('E')) {
      ++at_;
      if (Is('+') || Is('-')) ++at_;
      if (!IsDigit()) return Unexpected("in exponent of numeric literal");
      while (IsDigit()) ++at_;
    }
    return GoJsonValue{.type = GoJsonValue::Type::kNumber, .text = std::string(text_.substr(start, at_ - start))};
  }

  absl::Status String(std::string* out) {
    ++at_;
    while (!Is('"')) {
      if (at_ >= text_.size() || static_cast<uint8_t>(text_[at_]) < 0x20) return Unexpected("in string literal");
      if (Is('\\')) {
        ++at_;
        TM_RETURN_IF_ERROR(Escape(out));
        continue;
      }
      const size_t length = Utf8Length(text_.substr(at_));
      if (length == 0) {
        AppendUtf8(kReplacementRune, out);
        ++at_;
      } else {
        absl::StrAppend(out, text_.substr(at_, length));
        at_ += length;
      }
    }
    ++at_;
    return absl::OkStatus();
  }

  absl::Status Escape(std::string* out) {
    constexpr absl::string_view kFrom = "\"\\/bfnrt";
    constexpr absl::string_view kTo = "\"\\/\b\f\n\r\t";
    if (at_ < text_.size() && kFrom.find(text_[at_]) != absl::string_view::npos) {
      out->push_back(kTo[kFrom.find(text_[at_++])]);
      return absl::OkStatus();
    }
    if (!Is('u')) return Unexpected("in string escape code");
    ++at_;
    uint32_t rune = 0;
    TM_RETURN_IF_ERROR(Hex4(&rune));
    if (IsHighSurrogate(rune) && text_.substr(at_, 2) == "\\u") {
      const size_t second = at_;
      at_ += 2;
      uint32_t low = 0;
      TM_RETURN_IF_ERROR(Hex4(&low));
      if (IsLowSurrogate(low)) {
        rune = 0x10000 + ((rune - 0xD800) << 10) + (low - 0xDC00);
      } else {
        at_ = second;  // a rune of its own
      }
    }
    AppendUtf8(IsHighSurrogate(rune) || IsLowSurrogate(rune) ? kReplacementRune : rune, out);
    return absl::OkStatus();
  }

  absl::Status Hex4(uint32_t* rune) {
    for (int i = 0; i < 4; ++i) {
      if (at_ >= text_.size() || !absl::ascii_isxdigit(static_cast<unsigned char>(text_[at_]))) {
        return Unexpected("in \\u hexadecimal character escape");
      }
      const char c = absl::ascii_tolower(static_cast<unsigned char>(text_[at_++]));
      *rune = *rune << 4 | static_cast<uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return absl::OkStatus();
  }

  const absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::string_view GoJsonValue::TypeName() const {
  switch (type) {
    case Type::kNull:
      return "null";
    case Type::kBool:
      return "bool";
    case Type::kNumber:
      return "number";
    case Type::kString:
      return "string";
    case Type::kArray:
      return "array";
    case Type::kObject:
      return "object";
  }
  return "";
}

absl::StatusOr<GoJsonObject> ReadGoJsonObject(absl::string_view text) {
  GoJsonObject object;
  TM_ASSIGN_OR_RETURN(const GoJsonValue value, Reader(text).Document(&object));
  object.type = value.type;
  return object;
}

}  // namespace tidemark::http
