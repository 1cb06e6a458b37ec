#include "crd/quoted_text.h"

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "base/utf8.h"

namespace tidemark::crd {
namespace {

// Takes so many digits off the text; nullopt when they are not there.
std::optional<uint32_t> TakeDigits(size_t count, uint32_t base, absl::string_view* text) {
  if (text->size() < count) return std::nullopt;
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto c = static_cast<unsigned char>((*text)[i]);
    if (!absl::ascii_isxdigit(c)) return std::nullopt;
    const auto digit = static_cast<uint32_t>(absl::ascii_isdigit(c) ? c - '0' : absl::ascii_tolower(c) - 'a' + 10);
    if (digit >= base) return std::nullopt;
    number = number * base + digit;
  }
  text->remove_prefix(count);
  return number;
}

bool AppendByte(std::optional<uint32_t> byte, std::string* out) {
  if (!byte.has_value() || *byte > 0xff) return false;
  out->push_back(static_cast<char>(*byte));
  return true;
}

bool AppendRune(std::optional<uint32_t> rune, std::string* out) {
  if (!rune.has_value() || *rune > 0x10ffff || (*rune >= 0xd800 && *rune <= 0xdfff)) return false;
  AppendUtf8(*rune, out);
  return true;
}

// Takes what stands behind a backslash; false when it is no escape.
bool TakeEscape(char quote, absl::string_view* rest, std::string* out) {
  constexpr absl::string_view kLetters = "abfnrtv\\", kMeant = "\a\b\f\n\r\t\v\\";
  constexpr uint32_t kOctal = 8, kHexadecimal = 16;
  if (rest->empty()) return false;
  const char letter = rest->front();
  if (letter >= '0' && letter <= '7') return AppendByte(TakeDigits(3, kOctal, rest), out);
  rest->remove_prefix(1);
  switch (letter) {
    case 'x':
      return AppendByte(TakeDigits(2, kHexadecimal, rest), out);
    case 'u':
      return AppendRune(TakeDigits(4, kHexadecimal, rest), out);
    case 'U':
      return AppendRune(TakeDigits(8, kHexadecimal, rest), out);
    default:
      break;
  }
  const size_t found = kLetters.find(letter);
  if (found == absl::string_view::npos && letter != quote) return false;
  out->push_back(letter == quote ? quote : kMeant[found]);
  return true;
}

}  // namespace

absl::StatusOr<std::string> Unquoted(absl::string_view inside, char quote) {
  std::string text;
  while (!inside.empty()) {
    const char c = inside.front();
    if (c == quote || c == '\n') return absl::InvalidArgumentError("a quoted text ends too early");
    if (!absl::ConsumePrefix(&inside, "\\")) {
      text.push_back(c);
      inside.remove_prefix(1);
    } else if (!TakeEscape(quote, &inside, &text)) {
      return absl::InvalidArgumentError("a quoted text has an escape that is none");
    }
  }
  return text;
}

}  // namespace tidemark::crd
