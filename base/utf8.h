// UTF-8, one character at a time.
//
//   size_t length = 0;
//   for (; !text.empty(); text.remove_prefix(length)) Use(DecodeRune(text, &length));
//
// Thread-safety: pure functions.
// Source:        the Unicode standard's table of well-formed sequences: no surrogates, nothing overlong, nothing above
//                U+10FFFF.
#ifndef TIDEMARK_BASE_UTF8_H_
#define TIDEMARK_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tidemark {

// Not a character: what stands there is no UTF-8.
inline constexpr uint32_t kInvalidRune = 0xffffffff;
// What is shown in its place.
inline constexpr uint32_t kReplacementRune = 0xfffd;

// The character that `text` begins with, and its length in bytes; kInvalidRune and 1 when it is none.
// REQUIRES: !text.empty().
uint32_t DecodeRune(absl::string_view text, size_t* length);
// The same length, but 0 when it is none. REQUIRES: !text.empty().
size_t Utf8Length(absl::string_view text);
// Whether this byte goes on with a character that an earlier one has begun.
inline bool IsInsideRune(char byte) { return (static_cast<uint8_t>(byte) & 0xc0) == 0x80; }
// REQUIRES: `text` is UTF-8.
size_t CountRunes(absl::string_view text);
// REQUIRES: rune <= 0x10ffff.
void AppendUtf8(uint32_t rune, std::string* out);

}  // namespace tidemark

#endif  // TIDEMARK_BASE_UTF8_H_
