#include "http/json_text.h"

#include <cstdint>

#include "absl/strings/str_format.h"
#include "base/utf8.h"

namespace tidemark::http {
namespace {

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
