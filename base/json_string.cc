#include "base/json_string.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/utf8.h"

namespace tidemark {

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    size_t length = 0;
    const uint32_t rune = DecodeRune(text, &length);
    if (rune == kInvalidRune) {
      AppendUtf8(kReplacementRune, out);
    } else if (rune < 0x20) {
      absl::StrAppendFormat(out, "\\u%04x", rune);
    } else {
      absl::StrAppend(out, rune == '"' || rune == '\\' ? "\\" : "", text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  out->push_back('"');
}

std::string JsonString(absl::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

}  // namespace tidemark
