#include "base/utf8.h"

#include <algorithm>

#include "base/check.h"

namespace tidemark {

uint32_t DecodeRune(absl::string_view text, size_t* length) {
  TM_CHECK(!text.empty());
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  *length = 1;
  const uint8_t first = byte(0);
  if (first < 0x80) return first;
  const size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < n) return kInvalidRune;
  uint32_t rune = first & (0xffu >> (n + 1));
  for (size_t i = 1; i < n; ++i) {
    if (!IsInsideRune(text[i])) return kInvalidRune;
    rune = rune << 6 | (byte(i) & 0x3fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (rune < kLeast[n] || rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return kInvalidRune;
  *length = n;
  return rune;
}

size_t Utf8Length(absl::string_view text) {
  size_t length = 0;
  return DecodeRune(text, &length) == kInvalidRune ? 0 : length;
}

size_t CountRunes(absl::string_view text) {
  return text.size() - static_cast<size_t>(std::count_if(text.begin(), text.end(), IsInsideRune));
}

void AppendUtf8(uint32_t rune, std::string* out) {
  TM_CHECK(rune <= 0x10ffff) << rune;
  const auto tail = [&](int shift) { out->push_back(static_cast<char>(0x80 | (rune >> shift & 0x3f))); };
  if (rune < 0x80) {
    out->push_back(static_cast<char>(rune));
  } else if (rune < 0x800) {
    out->push_back(static_cast<char>(0xc0 | rune >> 6));
    tail(0);
  } else if (rune < 0x10000) {
    out->push_back(static_cast<char>(0xe0 | rune >> 12));
    tail(6);
    tail(0);
  } else {
    out->push_back(static_cast<char>(0xf0 | rune >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace tidemark
