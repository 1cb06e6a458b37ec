#include "http/json_text.h"

#include <cstdint>

#include "absl/strings/str_format.h"

namespace tidemark::http {
namespace {

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

// What a plain byte is written as, or empty when it stands for itself.
std::string EscapeOf(uint8_t byte) {
  switch (byte) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  if (byte < 0x20 || byte == '<' || byte == '>' || byte == '&') return absl::StrFormat("\\u%04x", byte);
  return "";
}

}  // namespace

size_t Utf8Length(absl::string_view text) {
  const uint8_t first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return 1;
  size_t length = 0;
  uint32_t rune = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
    rune = first & 0x1F;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    rune = first & 0x0F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    rune = first & 0x07;
  } else {
    return 0;
  }
  if (text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
    rune = rune << 6 | (static_cast<uint8_t>(text[i]) & 0x3F);
  }
  const bool overlong = (length == 3 && rune < 0x800) || (length == 4 && rune < 0x10000);
  const bool surrogate = rune >= 0xD800 && rune <= 0xDFFF;
  return overlong || surrogate || rune > 0x10FFFF ? 0 : length;
}

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  size_t plain = 0;  // start of what can be copied as it is
  size_t at = 0;
  const auto replace = [&](size_t length, absl::string_view with) {
    out->append(text.data() + plain, at - plain);
    out->append(with.data(), with.size());
    at += length;
    plain = at;
  };
  while (at < text.size()) {
    const uint8_t byte = static_cast<uint8_t>(text[at]);
    if (byte < 0x80) {
      const std::string escape = EscapeOf(byte);
      if (escape.empty()) {
        ++at;
      } else {
        replace(1, escape);
      }
      continue;
    }
    const size_t length = Utf8Length(text.substr(at));
    const absl::string_view rune = text.substr(at, length);
    if (length == 0) {
      replace(1, "\\ufffd");
    } else if (rune == "\xE2\x80\xA8") {
      replace(length, "\\u2028");
    } else if (rune == "\xE2\x80\xA9") {
      replace(length, "\\u2029");
    } else {
      at += length;
    }
  }
  out->append(text.data() + plain, at - plain);
  out->push_back('"');
}

std::string JsonString(absl::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

}  // namespace tidemark::http
