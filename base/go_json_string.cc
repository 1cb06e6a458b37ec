#include "base/go_json_string.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "base/utf8.h"

namespace tidemark {
namespace {

// Of ASCII what stands for itself.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (int byte = 0x20; byte < 0x80; ++byte) plain[static_cast<size_t>(byte)] = true;
  for (const char special : {'"', '\\', '<', '>', '&'}) plain[static_cast<size_t>(special)] = false;
  return plain;
}();

// What a byte of ASCII that is not plain is written as.
std::string EscapeOf(uint8_t byte) {
  constexpr absl::string_view kSpecial = "\"\\\b\f\n\r\t";
  constexpr absl::string_view kShort = "\"\\bfnrt";
  const size_t at = kSpecial.find(static_cast<char>(byte));
  return at == absl::string_view::npos ? absl::StrFormat("\\u%04x", byte) : std::string{'\\', kShort[at]};
}

}  // namespace

void AppendGoJsonString(absl::string_view text, std::string* out) {
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
    if (kPlain[byte]) {
      ++at;
      continue;
    }
    if (byte < 0x80) {
      replace(1, EscapeOf(byte));
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

std::string GoJsonString(absl::string_view text) {
  std::string out;
  AppendGoJsonString(text, &out);
  return out;
}

}  // namespace tidemark
