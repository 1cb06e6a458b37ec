#include "http/go_text.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/go_quote.h"
#include "base/utf8.h"

namespace tidemark::http {
namespace {

enum class NumberError { kNone, kSyntax, kRange };

// Decimal digits only, at least one.
NumberError ParseDigits(absl::string_view digits, uint64_t max, uint64_t* value) {
  if (digits.empty()) return NumberError::kSyntax;
  bool too_large = false;
  uint64_t sum = 0;
  for (const char c : digits) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return NumberError::kSyntax;
    const uint64_t digit = static_cast<uint64_t>(c - '0');
    if (sum > (max - digit) / 10) {
      too_large = true;
      sum = 0;  // further digits are still checked for their syntax
      continue;
    }
    sum = sum * 10 + digit;
  }
  *value = sum;
  return too_large ? NumberError::kRange : NumberError::kNone;
}

absl::Status NumberStatus(absl::string_view function, absl::string_view text, NumberError error) {
  return absl::InvalidArgumentError(
      absl::StrCat("strconv.", function, ": parsing ", GoQuote(text), ": ",
                   error == NumberError::kRange ? "value out of range" : "invalid syntax"));
}

// The unit that `text` begins with in Go's sense: all up to the next digit or point.
absl::string_view LeadingUnit(absl::string_view text) {
  size_t end = 0;
  while (end < text.size() && text[end] != '.' && !absl::ascii_isdigit(static_cast<unsigned char>(text[end]))) ++end;
  return text.substr(0, end);
}

std::optional<absl::Duration> UnitSpan(absl::string_view unit) {
  if (unit == "ns") return absl::Nanoseconds(1);
  if (unit == "us" || unit == "\xC2\xB5s" || unit == "\xCE\xBCs") return absl::Microseconds(1);
  if (unit == "ms") return absl::Milliseconds(1);
  if (unit == "s") return absl::Seconds(1);
  if (unit == "m") return absl::Minutes(1);
  if (unit == "h") return absl::Hours(1);
  return std::nullopt;
}

// Takes the digits that `rest` begins with. Whole digits that overflow make the duration invalid.
absl::string_view TakeDigits(absl::string_view* rest) {
  size_t end = 0;
  while (end < rest->size() && absl::ascii_isdigit(static_cast<unsigned char>((*rest)[end]))) ++end;
  const absl::string_view digits = rest->substr(0, end);
  rest->remove_prefix(end);
  return digits;
}

}  // namespace

absl::StatusOr<int64_t> ParseGoInt64(absl::string_view text) {
  absl::string_view digits = text;
  const bool negative = !digits.empty() && digits[0] == '-';
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  uint64_t value = 0;
  const NumberError error = ParseDigits(digits, negative ? kMax + 1 : kMax, &value);
  if (error != NumberError::kNone) return NumberStatus("ParseInt", text, error);
  if (!negative) return static_cast<int64_t>(value);
  return value == kMax + 1 ? std::numeric_limits<int64_t>::min() : -static_cast<int64_t>(value);
}

absl::StatusOr<uint64_t> ParseGoUint64(absl::string_view text) {
  uint64_t value = 0;
  const NumberError error = ParseDigits(text, std::numeric_limits<uint64_t>::max(), &value);
  if (error != NumberError::kNone) return NumberStatus("ParseUint", text, error);
  return value;
}

absl::StatusOr<absl::Duration> ParseGoDuration(absl::string_view text) {
  const auto invalid = [&] {
    return absl::InvalidArgumentError(absl::StrCat("time: invalid duration ", GoQuote(text)));
  };
  absl::string_view rest = text;
  const bool negative = !rest.empty() && rest[0] == '-';
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  if (rest == "0") return absl::ZeroDuration();
  if (rest.empty()) return invalid();
  absl::Duration total;
  while (!rest.empty()) {
    const absl::string_view whole = TakeDigits(&rest);
    absl::string_view fraction;
    if (!rest.empty() && rest[0] == '.') {
      rest.remove_prefix(1);
      fraction = TakeDigits(&rest);
    }
    if (whole.empty() && fraction.empty()) return invalid();
    const absl::string_view unit = LeadingUnit(rest);
    if (unit.empty()) return absl::InvalidArgumentError(absl::StrCat("time: missing unit in duration ", GoQuote(text)));
    const std::optional<absl::Duration> span = UnitSpan(unit);
    if (!span.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("time: unknown unit ", GoQuote(unit), " in duration ", GoQuote(text)));
    }
    rest.remove_prefix(unit.size());
    uint64_t count = 0;
    if (!whole.empty() && ParseDigits(whole, std::numeric_limits<int64_t>::max(), &count) != NumberError::kNone)
      return invalid();
    total += *span * static_cast<int64_t>(count);
    absl::Duration digit_span = *span;
    for (const char digit : fraction) {
      digit_span /= 10;
      total += digit_span * (digit - '0');
    }
    if (total > absl::Nanoseconds(std::numeric_limits<int64_t>::max())) return invalid();
  }
  return negative ? -total : total;
}

std::string GoQuoteByte(uint8_t byte) {
  if (byte == '\'') return "'\\''";
  if (byte == '"') return "'\"'";
  std::string rune;
  AppendUtf8(byte, &rune);
  const std::string quoted = GoQuote(rune);
  return absl::StrCat("'", quoted.substr(1, quoted.size() - 2), "'");
}

}  // namespace tidemark::http
