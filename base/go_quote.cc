#include "base/go_quote.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/utf8.h"

namespace tidemark {
namespace {

// The characters beyond ASCII that are quoted by number: spaces, format characters and what is not assigned to anyone.
bool IsPrintable(uint32_t rune) {
  constexpr std::pair<uint32_t, uint32_t> kNot[] = {
      {0x7f, 0xa0},     {0xad, 0xad},     {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f},   {0x3000, 0x3000},
      {0xe000, 0xf8ff}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff}};
  const auto holds = [rune](const auto& range) { return rune >= range.first && rune <= range.second; };
  return rune >= 0x20 && std::none_of(std::begin(kNot), std::end(kNot), holds);
}

void AppendQuotedRune(uint32_t rune, absl::string_view bytes, std::string* out) {
  constexpr absl::string_view kNamed = "\a\b\f\n\r\t\v\"\\";
  constexpr absl::string_view kNames = "abfnrtv\"\\";
  if (rune == kInvalidRune) {
    absl::StrAppendFormat(out, "\\x%02x", static_cast<uint8_t>(bytes[0]));
  } else if (const size_t named = rune < 0x80 ? kNamed.find(static_cast<char>(rune)) : absl::string_view::npos;
             named != absl::string_view::npos) {
    absl::StrAppend(out, "\\", kNames.substr(named, 1));
  } else if (IsPrintable(rune)) {
    absl::StrAppend(out, bytes);
  } else if (rune < 0x80) {
    absl::StrAppendFormat(out, "\\x%02x", rune);
  } else if (rune < 0x10000) {
    absl::StrAppendFormat(out, "\\u%04x", rune);
  } else {
    absl::StrAppendFormat(out, "\\U%08x", rune);
  }
}

}  // namespace

std::string GoQuote(absl::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    size_t length = 0;
    const uint32_t rune = DecodeRune(text, &length);
    AppendQuotedRune(rune, text.substr(0, length), &out);
    text.remove_prefix(length);
  }
  out.push_back('"');
  return out;
}

}  // namespace tidemark
