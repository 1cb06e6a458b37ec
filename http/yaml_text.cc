#include "http/yaml_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/go_float.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kDigits = "0123456789";

constexpr absl::string_view kReserved[] = {
    "",      "~",    "null", "Null", "NULL", "y",    "Y",    "yes",   "Yes",   "YES",   "true",  "True",  "TRUE",
    "on",    "On",   "ON",   "n",    "N",    "no",   "No",   "NO",    "off",   "Off",   "OFF",   "false", "False",
    "FALSE", ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
};

bool ConsumeSign(absl::string_view* text) { return absl::ConsumePrefix(text, "+") || absl::ConsumePrefix(text, "-"); }

size_t ConsumeDigits(absl::string_view* text) {
  const size_t count = std::min(text->find_first_not_of(kDigits), text->size());
  text->remove_prefix(count);
  return count;
}

// The number that begins the text: one digit or two.
bool ConsumeShortNumber(absl::string_view* text, int* number) {
  absl::string_view digits = text->substr(0, std::min(text->find_first_not_of(kDigits), size_t{2}));
  text->remove_prefix(digits.size());
  return absl::SimpleAtoi(digits, number);
}

// Two digits, neither less nor more.
bool ConsumePair(absl::string_view* text, int* number) {
  if (text->size() < 2 || !absl::ascii_isdigit((*text)[1])) return false;
  return ConsumeShortNumber(text, number);
}

bool IsDay(int year, int month, int day) {
  constexpr int kDaysOfMonths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= kDaysOfMonths[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool ConsumeTimeOfDay(absl::string_view* text) {
  int hour = 0, minute = 0, second = 0;
  if (!ConsumeShortNumber(text, &hour) || hour > 23 || !absl::ConsumePrefix(text, ":")) return false;
  if (!ConsumeShortNumber(text, &minute) || minute > 59 || !absl::ConsumePrefix(text, ":")) return false;
  if (!ConsumeShortNumber(text, &second) || second > 59) return false;
  if (text->size() < 2 || ((*text)[0] != '.' && (*text)[0] != ',') || !absl::ascii_isdigit((*text)[1])) return true;
  text->remove_prefix(1);
  ConsumeDigits(text);
  return true;
}

bool IsZone(absl::string_view text) {
  constexpr int kHourMax = 24, kMinuteMax = 60;  // Go's own limits
  if (text == "Z") return true;
  int hours = 0, minutes = 0;
  return ConsumeSign(&text) && ConsumePair(&text, &hours) && absl::ConsumePrefix(&text, ":") &&
         ConsumePair(&text, &minutes) && text.empty() && hours <= kHourMax && minutes <= kMinuteMax;
}

// "2001-2-3", "2001-2-3T4:5:6.7Z", "2001-2-3 4:5:6.7".
bool IsTimestamp(absl::string_view text) {
  int year = 0, month = 0, day = 0;
  const absl::string_view digits = text.substr(0, std::min(text.find_first_not_of(kDigits), text.size()));
  if (digits.size() != 4 || !absl::SimpleAtoi(digits, &year)) return false;
  text.remove_prefix(digits.size());
  if (!absl::ConsumePrefix(&text, "-") || !ConsumeShortNumber(&text, &month)) return false;
  if (!absl::ConsumePrefix(&text, "-") || !ConsumeShortNumber(&text, &day) || !IsDay(year, month, day)) return false;
  if (text.empty()) return true;
  if (absl::ConsumePrefix(&text, "T") || absl::ConsumePrefix(&text, "t"))
    return ConsumeTimeOfDay(&text) && IsZone(text);
  if (text[0] != ' ') return false;
  return ConsumeTimeOfDay(&(text = absl::StripLeadingAsciiWhitespace(text))) && text.empty();
}

int DigitOf(char c) {
  if (absl::ascii_isdigit(c)) return c - '0';
  const char lower = absl::ascii_tolower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

// A whole number as Go reads it: a prefix says the base, a sign leaves 63 bits for the rest.
bool IsGoInteger(absl::string_view text) {
  const bool negative = absl::StartsWith(text, "-");
  const bool sign = ConsumeSign(&text);
  uint64_t base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char prefix = absl::ascii_tolower(text[1]);
    base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
    text.remove_prefix(prefix == 'x' || prefix == 'b' || prefix == 'o' ? 2 : 1);
  }
  constexpr uint64_t kInt64Max = std::numeric_limits<int64_t>::max();
  const uint64_t max = !sign ? std::numeric_limits<uint64_t>::max() : kInt64Max + (negative ? 1 : 0);
  uint64_t number = 0;
  for (const char c : text) {
    const auto digit = static_cast<uint64_t>(DigitOf(c));
    if (digit >= base || number > (max - digit) / base) return false;
    number = number * base + digit;
  }
  return !text.empty();
}

// Behind 0b the parser takes a sign once more.
bool IsSignedBinary(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "0b") || text.empty() || (text[0] != '+' && text[0] != '-')) return false;
  return IsGoInteger(absl::StrCat(text.substr(0, 1), "0b", text.substr(1)));
}

bool ConsumeExponent(absl::string_view* text) {
  if (text->empty()) return true;
  if (!absl::ConsumePrefix(text, "e") && !absl::ConsumePrefix(text, "E")) return false;
  ConsumeSign(text);
  return ConsumeDigits(text) > 0;
}

// Go calls a number that is too large for a double an error, and one that is too small zero.
bool ReadDouble(absl::string_view text, double* value) {
  absl::ConsumePrefix(&text, "+");
  const absl::from_chars_result result = absl::from_chars(text.data(), text.data() + text.size(), *value);
  return result.ec != std::errc::result_out_of_range || (*value < 1 && *value > -1);
}

bool IsFloat(absl::string_view text) {
  const absl::string_view whole = text;
  ConsumeSign(&text);
  const bool leading = ConsumeDigits(&text) > 0;
  if (absl::ConsumePrefix(&text, ".") && ConsumeDigits(&text) == 0 && !leading) return false;
  if (!leading && whole.find('.') == absl::string_view::npos) return false;
  double value = 0;
  return ConsumeExponent(&text) && text.empty() && ReadDouble(whole, &value);
}

// What begins with a point: here Go's own grammar holds, with underscores between two digits.
bool IsPointFloat(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') continue;
    if (!absl::ascii_isdigit(text[i - 1]) || i + 1 == text.size() || !absl::ascii_isdigit(text[i + 1])) return false;
  }
  const std::string plain = absl::StrReplaceAll(text, {{"_", ""}});
  return plain.size() > 1 && absl::ascii_isdigit(plain[1]) && IsFloat(plain);
}

// YAML 1.1's minutes and seconds, "12:30:45.6", which the parser itself no longer reads.
bool IsBase60(absl::string_view text) {
  ConsumeSign(&text);
  if (text.empty() || !absl::ascii_isdigit(text[0])) return false;
  text.remove_prefix(std::min(text.find_first_not_of("0123456789_"), text.size()));
  if (text.empty() || text[0] != ':') return false;
  while (absl::ConsumePrefix(&text, ":")) {
    int number = 0;
    const size_t before = text.size();
    if (!ConsumeShortNumber(&text, &number)) return false;
    if (before - text.size() == 2 && number > 59) return false;
  }
  if (absl::ConsumePrefix(&text, ".")) text.remove_prefix(std::min(text.find_first_not_of("0123456789_"), text.size()));
  return text.empty();
}

bool IsNumberOrTime(absl::string_view text) {
  if (text[0] == '.') return IsPointFloat(text);
  if (text[0] != '+' && text[0] != '-' && !absl::ascii_isdigit(text[0])) return false;
  if (IsTimestamp(text) || IsBase60(text)) return true;
  const std::string plain = absl::StrReplaceAll(text, {{"_", ""}});
  return IsGoInteger(plain) || IsFloat(plain) || IsSignedBinary(plain);
}

}  // namespace

bool ReadsAsYamlText(absl::string_view text) {
  if (std::find(std::begin(kReserved), std::end(kReserved), text) != std::end(kReserved)) return false;
  return !IsNumberOrTime(text);
}

std::string YamlNumber(absl::string_view digits) {
  if (digits == "-0") return "0";
  if (IsGoInteger(digits)) return std::string(digits);
  double value = 0;
  return ReadDouble(digits, &value) ? GoFloatText(value) : std::string(digits);
}

}  // namespace tidemark::http
