#include "http/yaml_nodes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/utf8.h"
#include "http/yaml_text.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kNextLine = "\xc2\x85", kLineSeparator = "\xe2\x80\xa8",
                            kParagraphSeparator = "\xe2\x80\xa9";

absl::Status YamlError(absl::string_view what) { return absl::InvalidArgumentError(absl::StrCat("yaml: ", what)); }

absl::Status NoObject() { return YamlError("did not find expected ',' or '}'"); }

// The length of the line break that begins the text, 0 when there is none.
size_t BreakLength(absl::string_view text) {
  if (absl::StartsWith(text, "\r\n") || absl::StartsWith(text, kNextLine)) return 2;
  if (absl::StartsWith(text, kLineSeparator) || absl::StartsWith(text, kParagraphSeparator)) return 3;
  return !text.empty() && (text[0] == '\n' || text[0] == '\r') ? 1 : 0;
}

bool IsYamlCharacter(uint32_t rune) {
  if (rune < 0x80) return (rune >= 0x20 && rune != 0x7f) || rune == '\t' || rune == '\n' || rune == '\r';
  return rune == 0x85 || (rune >= 0xa0 && rune != 0xfffe && rune != 0xffff);
}

}  // namespace

absl::Status YamlNodes::Read(absl::string_view json) {
  json_ = json;
  at_ = 0;
  nodes_.clear();
  texts_.clear();
  TM_RETURN_IF_ERROR(Value(0));
  SkipSpace();
  return at_ == json_.size() ? absl::OkStatus() : YamlError("did not find expected <document start>");
}

void YamlNodes::SkipSpace() {
  while (at_ < json_.size() && absl::ascii_isspace(json_[at_])) ++at_;
}

absl::Status YamlNodes::Value(int depth) {
  if (depth > kDepthMax) return YamlError("exceeded max depth");
  if (nodes_.size() >= kValuesMax) return absl::ResourceExhaustedError("too many values for YAML: ask for JSON");
  SkipSpace();
  if (at_ == json_.size()) return NoObject();
  const size_t place = nodes_.size();
  nodes_.emplace_back();
  const char first = json_[at_];
  if (first == '{' || first == '[') {
    nodes_[place].kind = first == '{' ? YamlNode::Kind::kObject : YamlNode::Kind::kList;
    ++at_;
    TM_RETURN_IF_ERROR(Members(first == '{' ? '}' : ']', depth));
  } else if (first == '"') {
    nodes_[place].kind = YamlNode::Kind::kText;
    TM_RETURN_IF_ERROR(Text(&nodes_[place].text));
  } else {
    const absl::string_view rest = json_.substr(at_);
    const absl::string_view word = rest.substr(0, rest.find_first_of(",]} \t\r\n"));
    at_ += word.size();
    if (word == "null" || word == "true" || word == "false") {
      nodes_[place].text = word;
    } else if (!word.empty() && (absl::ascii_isdigit(word[0]) || word[0] == '-')) {
      Number(word, &nodes_[place]);
    } else {
      return NoObject();
    }
  }
  nodes_[place].end = static_cast<uint32_t>(nodes_.size());
  return absl::OkStatus();
}

absl::Status YamlNodes::Members(char close, int depth) {
  SkipSpace();
  if (at_ < json_.size() && json_[at_] == close) {
    ++at_;
    return absl::OkStatus();
  }
  while (true) {
    if (close == '}') TM_RETURN_IF_ERROR(Key());
    TM_RETURN_IF_ERROR(Value(depth + 1));
    SkipSpace();
    if (at_ == json_.size()) return NoObject();
    const char c = json_[at_++];
    if (c == close) return absl::OkStatus();
    if (c != ',') return NoObject();
  }
}

absl::Status YamlNodes::Key() {
  SkipSpace();
  if (at_ == json_.size() || json_[at_] != '"') return NoObject();
  const size_t begin = at_;
  YamlNode node{.end = static_cast<uint32_t>(nodes_.size() + 1), .kind = YamlNode::Kind::kText};
  TM_RETURN_IF_ERROR(Text(&node.text));
  const absl::string_view source = json_.substr(begin, at_ - begin);
  if (source.size() > kKeyCharactersMax && CountRunes(source) > kKeyCharactersMax) return NoObject();
  for (size_t i = 0; i < source.size(); ++i) {
    if (BreakLength(source.substr(i)) > 0) return NoObject();
  }
  nodes_.push_back(node);
  SkipSpace();
  if (at_ == json_.size() || json_[at_] != ':') return NoObject();
  ++at_;
  return absl::OkStatus();
}

void YamlNodes::Number(absl::string_view digits, YamlNode* node) {
  node->text = digits;
  std::string number = YamlNumber(digits);
  if (number == digits) return;
  node->text = texts_.emplace_back(std::move(number));
}

// Most texts are taken as they lie there.
absl::Status YamlNodes::Text(absl::string_view* out) {
  const size_t begin = ++at_;
  for (; at_ < json_.size(); ++at_) {
    const auto c = static_cast<uint8_t>(json_[at_]);
    if (c == '"') {
      *out = json_.substr(begin, at_++ - begin);
      return absl::OkStatus();
    }
    if (c == '\\' || c < 0x20 || c >= 0x7f) break;
  }
  at_ = begin;
  return EscapedText(out);
}

absl::Status YamlNodes::EscapedText(absl::string_view* out) {
  std::string text;
  while (at_ < json_.size()) {
    const char c = json_[at_];
    if (c == '"') {
      ++at_;
      *out = texts_.emplace_back(std::move(text));
      return absl::OkStatus();
    }
    if (c == '\\') {
      TM_RETURN_IF_ERROR(Escape(&text));
    } else if (c == ' ' || c == '\t' || BreakLength(json_.substr(at_)) > 0) {
      Blanks(&text);
    } else {
      const size_t begin = at_;
      TM_RETURN_IF_ERROR(Character());
      absl::StrAppend(&text, json_.substr(begin, at_ - begin));
    }
  }
  return YamlError("found unexpected end of stream");
}

absl::Status YamlNodes::Character() {
  size_t length = 0;
  const uint32_t rune = DecodeRune(json_.substr(at_), &length);
  if (rune == kInvalidRune) return YamlError("invalid UTF-8");
  if (!IsYamlCharacter(rune)) return YamlError("control characters are not allowed");
  at_ += length;
  return absl::OkStatus();
}

// A line break in a quoted text is folded: one becomes a blank, of several the first is dropped.
void YamlNodes::Blanks(std::string* text) {
  std::string blanks, first, others;
  while (at_ < json_.size()) {
    const absl::string_view rest = json_.substr(at_);
    const size_t length = BreakLength(rest);
    if (length == 0 && rest[0] != ' ' && rest[0] != '\t') break;
    if (length == 0) {
      if (first.empty()) blanks.push_back(rest[0]);
    } else {
      std::string& to = first.empty() ? first : others;
      absl::StrAppend(&to, length == 3 ? rest.substr(0, 3) : "\n");
    }
    at_ += length == 0 ? 1 : length;
  }
  if (first.empty()) {
    text->append(blanks);
  } else if (first == "\n") {
    absl::StrAppend(text, others.empty() ? " " : others);
  } else {
    absl::StrAppend(text, first, others);
  }
}

absl::Status YamlNodes::Escape(std::string* text) {
  constexpr absl::string_view kLetters = "\"\\bfnrt", kMeant = "\"\\\b\f\n\r\t";
  constexpr size_t kCodeDigits = 4;
  const char letter = at_ + 1 < json_.size() ? json_[at_ + 1] : '\0';
  at_ += 2;
  if (letter != 'u') {
    const size_t found = kLetters.find(letter);
    // A slash needs no escape, and YAML knows none for it.
    if (found == absl::string_view::npos) return YamlError("found unknown escape character");
    text->push_back(kMeant[found]);
    return absl::OkStatus();
  }
  const absl::string_view code = json_.substr(std::min(at_, json_.size()), kCodeDigits);
  uint32_t rune = 0;
  if (code.size() < kCodeDigits) return YamlError("did not find expected hexdecimal number");
  for (const char c : code) {
    if (!absl::ascii_isxdigit(c)) return YamlError("did not find expected hexdecimal number");
    const int digit = absl::ascii_isdigit(c) ? c - '0' : absl::ascii_tolower(c) - 'a' + 10;
    rune = rune * 16 + static_cast<uint32_t>(digit);
  }
  // Halves of a pair: JSON puts two together, YAML does not.
  if (rune >= 0xd800 && rune <= 0xdfff) return YamlError("found invalid Unicode character escape code");
  AppendUtf8(rune, text);
  at_ += kCodeDigits;
  return absl::OkStatus();
}

}  // namespace tidemark::http
