#include "base/go_json_string.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/plain_bytes.h"
#include "base/utf8.h"

namespace tidemark {
namespace {

char* Write(absl::string_view text, char* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

// What a byte of ASCII that cannot stand for itself is written as.
char* WriteEscape(uint8_t byte, char* out) {
  constexpr absl::string_view kSpecial = "\"\\\b\f\n\r\t";
  constexpr absl::string_view kShort = "\"\\bfnrt";
  constexpr absl::string_view kHex = "0123456789abcdef";
  if (const size_t at = kSpecial.find(static_cast<char>(byte)); at != absl::string_view::npos) {
    *out++ = '\\';
    *out++ = kShort[at];
    return out;
  }
  out = Write("\\u00", out);
  *out++ = kHex[byte >> 4];
  *out++ = kHex[byte & 0xf];
  return out;
}

// The byte or rune at the front of `text`, which is taken off.
char* WriteSpecial(absl::string_view* text, char* out) {
  const uint8_t byte = static_cast<uint8_t>((*text)[0]);
  if (byte < 0x80) {
    text->remove_prefix(1);
    return WriteEscape(byte, out);
  }
  const size_t length = Utf8Length(*text);
  const absl::string_view rune = text->substr(0, length);
  text->remove_prefix(std::max<size_t>(length, 1));
  if (length == 0) return Write("\\ufffd", out);
  if (rune == "\xE2\x80\xA8") return Write("\\u2028", out);
  if (rune == "\xE2\x80\xA9") return Write("\\u2029", out);
  return Write(rune, out);
}

// Of a text in which something is to be escaped. Blocks that are written beyond their plain bytes are written over.
char* WriteMixed(absl::string_view text, char* out) {
  while (!text.empty()) {
    size_t plain = 0;
    if (text.size() >= kPlainBlock) {
      const uint32_t special = CopyPlain16(text.data(), out);
      plain = special == 0 ? kPlainBlock : static_cast<size_t>(std::countr_zero(special));
    } else {
      while (plain < text.size() && CopyPlainShort(text.data() + plain, 1, out + plain)) ++plain;
    }
    text.remove_prefix(plain);
    out += plain;
    if (plain < kPlainBlock && !text.empty()) out = WriteSpecial(&text, out);
  }
  return out;
}

// The last block overlaps the one before it.
char* WriteLong(absl::string_view text, char* out) {
  const size_t last = text.size() - kPlainBlock;
  size_t at = 0;
  for (; at < last; at += kPlainBlock) {
    if (CopyPlain16(text.data() + at, out + at) != 0) return WriteMixed(text.substr(at), out + at);
  }
  if (CopyPlain16(text.data() + last, out + last) != 0) return WriteMixed(text.substr(last), out + last);
  return out + text.size();
}

// Where `text` can be cut, at `at` or a little before, so that no rune is: four bytes that only continue one belong to none.
size_t CutNear(absl::string_view text, size_t at) {
  for (size_t back = 0; back < 4; ++back) {
    if ((text[at - back] & 0xc0) != 0x80) return at - back;
  }
  return at;
}

}  // namespace

char* WriteGoJsonString(absl::string_view text, char* out) {
  *out++ = '"';
  if (text.size() >= kPlainBlock) {
    out = WriteLong(text, out);
  } else if (CopyPlainShort(text.data(), text.size(), out)) {
    out += text.size();
  } else {
    out = WriteMixed(text, out);
  }
  *out++ = '"';
  return out;
}

void AppendGoJsonString(absl::string_view text, std::string* out) {
  constexpr size_t kPiece = 256;
  char buffer[GoJsonStringMax(kPiece)];
  if (text.size() <= kPiece) {
    out->append(buffer, static_cast<size_t>(WriteGoJsonString(text, buffer) - buffer));
    return;
  }
  out->push_back('"');
  while (!text.empty()) {
    const size_t length = text.size() <= kPiece ? text.size() : CutNear(text, kPiece);
    out->append(buffer, static_cast<size_t>(WriteMixed(text.substr(0, length), buffer) - buffer));
    text.remove_prefix(length);
  }
  out->push_back('"');
}

std::string GoJsonString(absl::string_view text) {
  std::string out;
  AppendGoJsonString(text, &out);
  return out;
}

}  // namespace tidemark
