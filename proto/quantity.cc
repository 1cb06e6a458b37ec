#include "proto/quantity.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace tidemark::proto {
namespace {

constexpr absl::string_view kDigits = "0123456789";
constexpr int32_t kNanoExponent = -9;  // no quantity is finer
constexpr absl::string_view kBinaryMax = "9223372036854775807";

enum class Format : uint8_t { kDecimal, kBinary, kExponent };

struct Suffix {
  Format format = Format::kDecimal;
  int32_t exponent = 0;  // of 10, or of 2
};

struct NamedSuffix {
  absl::string_view name;
  Format format;
  int32_t exponent;
};
constexpr NamedSuffix kSuffixes[] = {
    {"n", Format::kDecimal, -9}, {"u", Format::kDecimal, -6}, {"m", Format::kDecimal, -3}, {"", Format::kDecimal, 0},
    {"k", Format::kDecimal, 3},  {"M", Format::kDecimal, 6},  {"G", Format::kDecimal, 9},  {"T", Format::kDecimal, 12},
    {"P", Format::kDecimal, 15}, {"E", Format::kDecimal, 18}, {"Ki", Format::kBinary, 10}, {"Mi", Format::kBinary, 20},
    {"Gi", Format::kBinary, 30}, {"Ti", Format::kBinary, 40}, {"Pi", Format::kBinary, 50}, {"Ei", Format::kBinary, 60}};

// The parts of a text: whole and fraction are digits, whole without leading zeros.
struct Parts {
  bool negative = false;
  bool has_digits = false;
  absl::string_view whole;
  absl::string_view fraction;
  absl::string_view suffix;
};

absl::string_view TakeAll(absl::string_view of, absl::string_view* text) {
  const size_t length = std::min(text->find_first_not_of(of), text->size());
  const absl::string_view taken = text->substr(0, length);
  text->remove_prefix(length);
  return taken;
}

absl::Status NoMatch() {
  return absl::InvalidArgumentError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

absl::StatusOr<Parts> Split(absl::string_view text) {
  Parts parts;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    parts.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  parts.has_digits = !TakeAll("0", &text).empty();
  parts.whole = TakeAll(kDigits, &text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    parts.fraction = TakeAll(kDigits, &text);
  }
  parts.has_digits |= !parts.whole.empty() || !parts.fraction.empty();
  parts.suffix = text;
  TakeAll("eEinumkKMGTP", &text);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  TakeAll(kDigits, &text);
  if (!text.empty()) return NoMatch();
  return parts;
}

absl::StatusOr<Suffix> ReadSuffix(absl::string_view text) {
  for (const NamedSuffix& suffix : kSuffixes) {
    if (suffix.name == text) return Suffix{suffix.format, suffix.exponent};
  }
  int64_t exponent;
  const bool is_exponent =
      text.size() > 1 && (text[0] == 'e' || text[0] == 'E') && absl::SimpleAtoi(text.substr(1), &exponent);
  if (!is_exponent) return absl::InvalidArgumentError("unable to parse quantity's suffix");
  return Suffix{Format::kExponent, static_cast<int32_t>(exponent)};  // cut as Go cuts it
}

// digits x 10^exponent. Zero has no digits.
struct Decimal {
  std::string digits;  // without leading zeros
  int64_t exponent = 0;

  void Multiply(int factor) {
    int carry = 0;
    for (size_t i = digits.size(); i-- > 0;) {
      const int product = (digits[i] - '0') * factor + carry;
      digits[i] = static_cast<char>('0' + product % 10);
      carry = product / 10;
    }
    if (carry > 0) digits = absl::StrCat(carry, digits);
  }
  // Away from zero.
  void RoundUpTo(int64_t to) {
    if (exponent >= to || digits.empty()) return;
    const size_t dropped = static_cast<size_t>(std::min<int64_t>(to - exponent, static_cast<int64_t>(digits.size())));
    const bool exact = digits.find_last_not_of('0') < digits.size() - dropped;
    digits.resize(digits.size() - dropped);
    exponent = to;
    if (!exact) AddOne();
  }
  void AddOne() {
    const size_t nines = digits.size() - (digits.find_last_not_of('9') + 1);
    std::fill(digits.end() - static_cast<std::ptrdiff_t>(nines), digits.end(), '0');
    if (nines == digits.size()) {
      digits.insert(digits.begin(), '1');
    } else {
      ++digits[digits.size() - nines - 1];
    }
  }
  void DropTens() {
    const size_t zeros = digits.size() - (digits.find_last_not_of('0') + 1);
    digits.resize(digits.size() - zeros);
    exponent += static_cast<int64_t>(zeros);
  }
  // REQUIRES: DropTens was the last to change it, so that an integer has no negative exponent.
  bool IsInteger() const { return exponent >= 0; }
  // Whether it is more than `integer`, whose digits are without leading zeros. REQUIRES: as IsInteger.
  bool Exceeds(absl::string_view integer) const {
    const int64_t whole_digits = static_cast<int64_t>(digits.size()) + exponent;
    const int64_t its_digits = static_cast<int64_t>(integer.size());
    if (whole_digits != its_digits) return whole_digits > its_digits;
    const int order = absl::string_view(digits).substr(0, integer.size()).compare(integer.substr(0, digits.size()));
    return order > 0 || (order == 0 && digits.size() > integer.size());
  }
  // REQUIRES: IsInteger(), and it does not exceed kBinaryMax.
  uint64_t Integer() const {
    uint64_t value = 0;
    for (const char c : digits) value = value * 10 + static_cast<uint64_t>(c - '0');
    for (int64_t i = 0; i < exponent; ++i) value *= 10;
    return value;
  }
};

std::string PrintDecimal(Decimal value, Format format) {
  value.DropTens();
  while (value.exponent % 3 != 0) {
    value.digits.push_back('0');
    --value.exponent;
  }
  if (format == Format::kExponent) {
    return value.exponent == 0 ? value.digits : absl::StrCat(value.digits, "e", value.exponent);
  }
  for (const NamedSuffix& suffix : kSuffixes) {
    if (suffix.format == format && suffix.exponent == value.exponent) return absl::StrCat(value.digits, suffix.name);
  }
  return value.digits;  // a suffix that is needed and does not exist is left out
}

std::string PrintBinary(Decimal value) {
  constexpr uint64_t kStep = 1024;
  value.DropTens();
  const absl::string_view below = "1023";
  if (!value.IsInteger() || !value.Exceeds(below)) return PrintDecimal(value, Format::kDecimal);
  uint64_t number = value.Integer();
  int32_t exponent = 0;
  for (; number % kStep == 0; number /= kStep) exponent += 10;
  for (const NamedSuffix& suffix : kSuffixes) {
    if (suffix.format == Format::kBinary && suffix.exponent == exponent) return absl::StrCat(number, suffix.name);
  }
  return absl::StrCat(number);
}

// Whether the parser keeps the text: it looks canonical to it, and fits 64 bits.
bool IsKept(const Parts& parts, const Suffix& suffix) {
  constexpr int32_t kDigitsMax = 18;
  constexpr int32_t kBinaryDigitsMax = 14;
  const int32_t whole = static_cast<int32_t>(std::max<size_t>(parts.whole.size(), 1));
  const int32_t fraction = static_cast<int32_t>(parts.fraction.size());
  if (suffix.format == Format::kBinary) {
    if (fraction > 0 || whole > kBinaryDigitsMax - suffix.exponent * 3 / 10) return false;
    uint64_t value = 0;
    for (const char c : parts.whole) value = value * 10 + static_cast<uint64_t>(c - '0');
    constexpr uint64_t kMax = ~uint64_t{0} >> 1;
    return value % 8 != 0 && value <= kMax >> suffix.exponent;
  }
  const int64_t exponent = int64_t{suffix.exponent} - fraction;
  if (whole + fraction > kDigitsMax || exponent < kNanoExponent || exponent % 3 != 0) return false;
  if (parts.whole.empty()) return false;
  const std::string digits = absl::StrCat(parts.whole, parts.fraction);
  return !absl::EndsWith(digits, "000");
}

// The digits at the front of a text like "100m" or "128Mi", which are all but its suffix: without a sign, a point or a leading
// zero, and surely within 63 bits. 0: of no such text.
size_t PlainDigits(absl::string_view text) {
  constexpr size_t kPlainDigitsMax = 18;
  if (text.empty() || text[0] < '1' || text[0] > '9') return 0;
  size_t digits = 1;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  return digits <= kPlainDigitsMax ? digits : 0;
}

// Most quantities are a number and a unit that are canonical already, or would be with a larger unit of the binary ones. Empty:
// it takes more thought.
std::string PlainQuantity(absl::string_view text) {
  const size_t digits = PlainDigits(text);
  const absl::string_view unit = text.substr(digits);
  if (digits == 0 || unit.size() > 2) return "";
  if (unit.size() < 2) {
    const bool is_unit = unit.empty() || absl::string_view("numkMGTPE").find(unit[0]) != absl::string_view::npos;
    return is_unit && !absl::EndsWith(text.substr(0, digits), "000") ? std::string(text) : "";
  }
  constexpr absl::string_view kUnits = "KMGTPE";
  size_t at = kUnits.find(unit[0]);
  if (at == absl::string_view::npos || unit[1] != 'i') return "";
  uint64_t number = 0;
  for (const char c : text.substr(0, digits)) number = number * 10 + static_cast<uint64_t>(c - '0');
  const uint64_t whole = ~uint64_t{0} >> 1 >> 10 * (at + 1);
  if (number > whole) return "";
  for (; number % 1024 == 0; number /= 1024) ++at;
  char buffer[kBinaryMax.size() + 2];
  char* end = std::to_chars(buffer, buffer + kBinaryMax.size(), number).ptr;
  *end++ = kUnits[at];
  *end++ = 'i';
  return std::string(buffer, end);
}

}  // namespace

absl::StatusOr<std::string> CanonicalQuantity(absl::string_view text) {
  if (std::string plain = PlainQuantity(text); !plain.empty()) return plain;
  if (text.empty()) return NoMatch();
  TM_ASSIGN_OR_RETURN(const Parts parts, Split(text));
  TM_ASSIGN_OR_RETURN(const Suffix suffix, ReadSuffix(parts.suffix));
  // Without a digit it is zero to the parser's fast path, and nothing to the exact one.
  if (!parts.has_digits && suffix.exponent < kNanoExponent) {
    return absl::InvalidArgumentError("unable to parse numeric part of quantity");
  }
  if (IsKept(parts, suffix)) return std::string(text);
  Decimal value{.digits = absl::StrCat(parts.whole, parts.fraction),
                .exponent = -static_cast<int64_t>(parts.fraction.size())};
  value.digits.erase(0, std::min(value.digits.find_first_not_of('0'), value.digits.size()));
  if (value.digits.empty()) return std::string("0");
  if (suffix.format == Format::kBinary) {
    constexpr int kFactor = 1024;
    for (int32_t i = 0; i < suffix.exponent; i += 10) value.Multiply(kFactor);
  } else {
    value.exponent += suffix.exponent;
  }
  value.RoundUpTo(kNanoExponent);
  value.DropTens();
  if (suffix.format == Format::kBinary && value.Exceeds(kBinaryMax)) value = {.digits = std::string(kBinaryMax)};
  return absl::StrCat(parts.negative ? "-" : "",
                      suffix.format == Format::kBinary ? PrintBinary(value) : PrintDecimal(value, suffix.format));
}

}  // namespace tidemark::proto
