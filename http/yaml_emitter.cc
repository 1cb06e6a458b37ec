#include "http/yaml_emitter.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "base/utf8.h"
#include "http/yaml_text.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kByteOrderMark = "\xef\xbb\xbf";

uint8_t ByteAt(absl::string_view text, size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0; }

size_t WidthAt(absl::string_view text, size_t i) {
  const uint8_t first = ByteAt(text, i);
  const size_t width = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return std::min(width, text.size() - i);
}

bool IsBreakAt(absl::string_view text, size_t i) {
  const uint8_t c = ByteAt(text, i);
  if (c == '\n' || c == '\r') return true;
  if (c == 0xc2) return ByteAt(text, i + 1) == 0x85;
  return c == 0xe2 && ByteAt(text, i + 1) == 0x80 && (ByteAt(text, i + 2) == 0xa8 || ByteAt(text, i + 2) == 0xa9);
}

bool IsSpaceAt(absl::string_view text, size_t i) { return ByteAt(text, i) == ' '; }

// YAML's printable characters, but for tabs and for what takes four bytes.
bool IsPrintableAt(absl::string_view text, size_t i) {
  const uint8_t c = ByteAt(text, i), next = ByteAt(text, i + 1), third = ByteAt(text, i + 2);
  if (c < 0x80) return c == '\n' || (c >= 0x20 && c <= 0x7e);
  if (c == 0xc2) return next >= 0xa0;
  if (c == 0xed) return next < 0xa0;
  if (c == 0xef) return !(next == 0xbb && third == 0xbf) && !(next == 0xbf && (third == 0xbe || third == 0xbf));
  return c > 0xc2 && c <= 0xee;
}

// A mark that an unquoted text of a block must not hold here.
bool IsIndicatorAt(absl::string_view text, size_t i, bool after_blank, bool before_blank) {
  constexpr absl::string_view kNeverFirst = "#,[]{}&*!|>'\"%@`";
  const char c = text[i];
  if (c == ':') return before_blank;
  if (i > 0) return c == '#' && after_blank;
  return absl::StrContains(kNeverFirst, c) || ((c == '?' || c == '-') && before_blank);
}

}  // namespace

struct YamlEmitter::Traits {
  bool multiline = false;
  bool plain = true;
  bool single = true;
  bool literal = true;
};

YamlEmitter::Traits YamlEmitter::Analyze(absl::string_view text) {
  if (text.empty()) return {.literal = false};
  Traits traits;
  traits.plain = !absl::StartsWith(text, "---") && !absl::StartsWith(text, "...");
  bool after_blank = true, after_space = false, after_break = false;
  for (size_t i = 0, width = 0; i < text.size(); i += width) {
    width = WidthAt(text, i);
    const bool last = i + width == text.size();
    const bool before_blank = last || IsSpaceAt(text, i + width) || text[i + width] == '\t';
    const bool space = text[i] == ' ', line_break = IsBreakAt(text, i);
    if (IsIndicatorAt(text, i, after_blank, before_blank)) traits.plain = false;
    if (!IsPrintableAt(text, i) || (line_break && after_space)) traits.plain = traits.single = traits.literal = false;
    if (space && (i == 0 || last || after_break)) traits.plain = false;
    if (space && last) traits.literal = false;
    if (space && after_break) traits.single = false;
    if (line_break) traits.multiline = true;
    after_blank = space || line_break || text[i] == '\t' || text[i] == '\0';
    after_space = space;
    after_break = line_break;
  }
  if (traits.multiline) traits.plain = false;
  return traits;
}

YamlEmitter::Style YamlEmitter::StyleOf(absl::string_view text, bool simple_key) {
  const Traits traits = Analyze(text);
  if (absl::StrContains(text, '\n')) return traits.literal && !simple_key ? Style::kLiteral : Style::kDouble;
  if (!ReadsAsYamlText(text) || (simple_key && traits.multiline)) return Style::kDouble;
  if (traits.plain && !(simple_key && text.empty())) return Style::kPlain;
  return traits.single ? Style::kSingle : Style::kDouble;
}

bool YamlEmitter::IsSimpleKey(absl::string_view text) {
  if (text.size() > kSimpleKeyBytesMax) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsBreakAt(text, i)) return false;
  }
  return true;
}

void YamlEmitter::Put(char c) {
  out_->push_back(c);
  ++column_;
}

void YamlEmitter::PutBlankUnlessThere() {
  if (!whitespace_) Put(' ');
}

void YamlEmitter::PutBreak() {
  out_->push_back('\n');
  column_ = 0;
}

size_t YamlEmitter::Write(absl::string_view text, size_t i) {
  const size_t width = WidthAt(text, i);
  out_->append(text.data() + i, width);
  ++column_;
  return i + width;
}

size_t YamlEmitter::WriteBreak(absl::string_view text, size_t i) {
  const size_t next = Write(text, i);
  column_ = 0;
  return next;
}

void YamlEmitter::Line(int indent) {
  if (!indention_ || column_ > indent || (column_ == indent && !whitespace_)) PutBreak();
  if (column_ < indent) {
    out_->append(static_cast<size_t>(indent - column_), ' ');
    column_ = indent;
  }
  whitespace_ = true;
  indention_ = true;
}

void YamlEmitter::Mark(char mark, bool blank_before, bool block) {
  if (blank_before) PutBlankUnlessThere();
  Put(mark);
  whitespace_ = false;
  indention_ = indention_ && block;
}

void YamlEmitter::Plain(absl::string_view word) {
  PutBlankUnlessThere();
  out_->append(word.data(), word.size());
  column_ += static_cast<int>(word.size());
  whitespace_ = false;
  indention_ = false;
}

void YamlEmitter::Text(absl::string_view text, int indent, bool simple_key) {
  const Style style = StyleOf(text, simple_key);
  const bool fold = !simple_key;
  if (style == Style::kPlain) {
    PutBlankUnlessThere();
    Folded(text, indent, fold, false);
  } else if (style == Style::kLiteral) {
    return Literal(text, indent);
  } else {
    const char quote = style == Style::kSingle ? '\'' : '"';
    Mark(quote, true, false);
    style == Style::kSingle ? Folded(text, indent, fold, true) : Escaped(text, indent, fold);
    Mark(quote, false, false);
  }
  whitespace_ = false;
  indention_ = false;
}

// Breaks here are those that are no newlines: a text with a newline is a literal, or escaped.
void YamlEmitter::Folded(absl::string_view text, int indent, bool fold, bool quoted) {
  bool after_space = false, after_break = false;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      const bool inside = !quoted || (i > 0 && i + 1 < text.size());
      if (fold && !after_space && column_ > kWidth && inside && !IsSpaceAt(text, i + 1)) {
        Line(indent);
        ++i;
      } else {
        i = Write(text, i);
      }
      after_space = true;
    } else if (IsBreakAt(text, i)) {
      i = WriteBreak(text, i);
      indention_ = true;
      after_break = true;
    } else {
      if (after_break) Line(indent);
      if (quoted && text[i] == '\'') Put('\'');
      i = Write(text, i);
      indention_ = false;
      after_space = after_break = false;
    }
  }
}

void YamlEmitter::EscapedCharacter(absl::string_view character) {
  struct Short {
    uint32_t rune;
    char letter;
  };
  constexpr Short kShort[] = {{0, '0'},     {7, 'a'},    {8, 'b'},    {9, 't'},      {10, 'n'},
                              {11, 'v'},    {12, 'f'},   {13, 'r'},   {0x1b, 'e'},   {'"', '"'},
                              {'\\', '\\'}, {0x85, 'N'}, {0xa0, '_'}, {0x2028, 'L'}, {0x2029, 'P'}};
  size_t length = 0;
  const uint32_t rune = DecodeRune(character, &length);
  std::string text;
  for (const Short& row : kShort) {
    if (row.rune == rune) text = {'\\', row.letter};
  }
  if (text.empty()) {
    text = rune <= 0xff     ? absl::StrFormat("\\x%02X", rune)
           : rune <= 0xffff ? absl::StrFormat("\\u%04X", rune)
                            : absl::StrFormat("\\U%08X", rune);
  }
  out_->append(text);
  column_ += static_cast<int>(text.size());
}

void YamlEmitter::Escaped(absl::string_view text, int indent, bool fold) {
  const bool escape_all = absl::StartsWith(text, kByteOrderMark);
  bool after_space = false;
  for (size_t i = 0; i < text.size();) {
    const bool escape =
        escape_all || !IsPrintableAt(text, i) || IsBreakAt(text, i) || text[i] == '"' || text[i] == '\\';
    const bool space = !escape && text[i] == ' ';
    if (escape) {
      const size_t width = WidthAt(text, i);
      EscapedCharacter(text.substr(i, width));
      i += width;
    } else if (space && fold && !after_space && column_ > kWidth && i > 0 && i + 1 < text.size()) {
      Line(indent);
      if (IsSpaceAt(text, i + 1)) Put('\\');
      ++i;
    } else {
      i = Write(text, i);
    }
    after_space = space;
  }
}

void YamlEmitter::Literal(absl::string_view text, int indent) {
  Mark('|', true, false);
  if (text[0] == ' ' || IsBreakAt(text, 0)) Mark(static_cast<char>('0' + kIndent), false, false);
  size_t last = text.size() - 1;
  while (last > 0 && IsInsideRune(text[last])) --last;
  if (!IsBreakAt(text, last)) {
    Mark('-', false, false);
  } else {
    size_t before = last;
    while (before > 0 && (before == last || IsInsideRune(text[before]))) --before;
    if (last == 0 || IsBreakAt(text, before)) Mark('+', false, false);
  }
  PutBreak();
  indention_ = true;
  whitespace_ = true;
  bool after_break = true;
  for (size_t i = 0; i < text.size();) {
    if (IsBreakAt(text, i)) {
      i = WriteBreak(text, i);
      indention_ = true;
      after_break = true;
    } else {
      if (after_break) Line(indent);
      i = Write(text, i);
      indention_ = false;
      after_break = false;
    }
  }
}

}  // namespace tidemark::http
