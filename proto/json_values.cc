#include "proto/json_values.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/go_json_string.h"
#include "base/status.h"
#include "proto/field_reader.h"
#include "proto/quantity.h"

namespace tidemark::proto {
namespace {

// Of a message of up to three fields, numbers or texts.
struct SmallMessage {
  static constexpr uint32_t kFieldsMax = 3;
  int64_t numbers[kFieldsMax + 1] = {};
  absl::string_view texts[kFieldsMax + 1];
};

constexpr WireType kNumber = WireType::kVarint;
constexpr WireType kText = WireType::kBytes;

// `types` of the fields from 1 on.
absl::Status ReadSmall(absl::string_view message, std::initializer_list<WireType> types, SmallMessage* out) {
  FieldReader reader(message);
  while (reader.Next()) {
    if (reader.tag() > types.size()) continue;
    if (reader.type() != types.begin()[reader.tag() - 1]) {
      return absl::InvalidArgumentError("protobuf: wrong wire type in a value");
    }
    if (reader.type() == kNumber) out->numbers[reader.tag()] = reader.signed_number();
    if (reader.type() == kText) out->texts[reader.tag()] = reader.bytes();
  }
  return reader.ok() ? absl::OkStatus() : absl::InvalidArgumentError("protobuf: no message");
}

// The shortest digits of a double, "-1.25e+07", as Go lays them out: a point among them or zeros behind them from 1e-6 to 1e21,
// and an exponent of no more digits than it has beyond.
void AppendShortest(absl::string_view scientific, std::string* json) {
  constexpr int kExponentMin = -6;
  constexpr int kExponentEnd = 21;
  if (absl::ConsumePrefix(&scientific, "-")) json->push_back('-');
  const size_t e = scientific.find('e');
  int exponent = 0;
  TM_CHECK(absl::SimpleAtoi(scientific.substr(e + 1), &exponent)) << scientific;
  std::string digits(scientific.substr(0, 1));
  if (e > 2) absl::StrAppend(&digits, scientific.substr(2, e - 2));
  if (digits != "0" && (exponent < kExponentMin || exponent >= kExponentEnd)) {
    absl::StrAppend(json, scientific.substr(0, e), exponent < 0 ? "e-" : "e+", std::abs(exponent));
  } else if (exponent < 0) {
    absl::StrAppend(json, "0.", std::string(static_cast<size_t>(-exponent - 1), '0'), digits);
  } else {
    const size_t whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() < whole) digits.resize(whole, '0');
    absl::StrAppend(json, digits.substr(0, whole), digits.size() > whole ? "." : "", digits.substr(whole));
  }
}

char* WriteTwoDigits(int64_t number, char* out) {
  out[0] = static_cast<char>('0' + number / 10);
  out[1] = static_cast<char>('0' + number % 10);
  return out + 2;
}

struct Date {
  int64_t year;
  int64_t month;
  int64_t day;
};

// Of a day counted from 1970 on. Years begin in March here, so that the odd day is a year's last, and the months' lengths
// repeat every five: 153 days.
Date DateOf(int64_t days) {
  constexpr int64_t kDaysTo1970 = 719468;  // from 1 March of the year 0
  constexpr int64_t kDaysOf400 = 146097;
  days += kDaysTo1970;
  const int64_t age = days >= 0 ? days / kDaysOf400 : (days - kDaysOf400 + 1) / kDaysOf400;
  const int64_t of_age = days - age * kDaysOf400;
  const int64_t year = (of_age - of_age / 1460 + of_age / 36524 - of_age / 146096) / 365;
  const int64_t of_year = of_age - (year * 365 + year / 4 - year / 100);
  const int64_t march = (of_year * 5 + 2) / 153;  // months since
  const int64_t month = march < 10 ? march + 3 : march - 9;
  return {age * 400 + year + (month <= 2 ? 1 : 0), month, of_year - (march * 153 + 2) / 5 + 1};
}

// "2006-01-02T15:04:05" and the digits of the second, if any.
void AppendTime(int64_t seconds, absl::string_view fraction, std::string* json) {
  constexpr int64_t kDay = 86400;
  const int64_t of_day = (seconds % kDay + kDay) % kDay;
  const Date date = DateOf(seconds / kDay - (seconds % kDay < 0 ? 1 : 0));
  json->push_back('"');
  if (date.year < 0) json->push_back('-');  // Go pads the year behind its sign
  const int64_t year = date.year < 0 ? -date.year : date.year;
  char text[] = "0000-00-00T00:00:00";
  if (year > 9999) {
    absl::StrAppend(json, year);
  } else {
    WriteTwoDigits(year % 100, WriteTwoDigits(year / 100, text));
  }
  char* at = text + 5;
  for (const int64_t part : {date.month, date.day, of_day / 3600, of_day / 60 % 60, of_day % 60}) {
    at = WriteTwoDigits(part, at) + 1;
  }
  const size_t year_digits = year > 9999 ? 4 : 0;
  json->append(text + year_digits, sizeof(text) - 1 - year_digits);
  json->append(fraction.data(), fraction.size());
  json->append("Z\"");
}

// "1h2m3.5s", "1.5ms", "0s".
std::string GoDurationText(int64_t nanos) {
  if (nanos == 0) return "0s";
  const uint64_t size = nanos < 0 ? 0 - static_cast<uint64_t>(nanos) : static_cast<uint64_t>(nanos);
  const absl::string_view sign = nanos < 0 ? "-" : "";
  const auto with_fraction = [](uint64_t value, uint64_t unit, int digits) {
    std::string text = absl::StrFormat("%d.%0*d", value / unit, digits, value % unit);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  };
  if (size < 1000) return absl::StrCat(sign, size, "ns");
  if (size < 1'000'000) return absl::StrCat(sign, with_fraction(size, 1000, 3), "\xC2\xB5s");
  if (size < 1'000'000'000) return absl::StrCat(sign, with_fraction(size, 1'000'000, 6), "ms");
  constexpr uint64_t kMinute = 60'000'000'000;
  constexpr uint64_t kHour = 60 * kMinute;
  const std::string hours = size >= kHour ? absl::StrCat(size / kHour, "h") : "";
  const std::string minutes = size >= kMinute ? absl::StrCat(size % kHour / kMinute, "m") : "";
  return absl::StrCat(sign, hours, minutes, with_fraction(size % kMinute, 1'000'000'000, 9), "s");
}

}  // namespace

void AppendJsonBase64(absl::string_view bytes, std::string* json) {
  json->push_back('"');
  json->append(absl::Base64Escape(bytes));
  json->push_back('"');
}

absl::Status AppendJsonDouble(uint64_t bits, std::string* json) {
  double value;
  static_assert(sizeof(value) == sizeof(bits));
  std::memcpy(&value, &bits, sizeof(value));
  if (!std::isfinite(value)) return absl::InvalidArgumentError("protobuf: a number that JSON cannot hold");
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  AppendShortest({buffer, static_cast<size_t>(end.ptr - buffer)}, json);
  return absl::OkStatus();
}

bool IsTime(absl::string_view message) {
  SmallMessage time;
  return ReadSmall(message, {kNumber, kNumber}, &time).ok();
}

bool IsZeroTime(absl::string_view message) {
  SmallMessage time;
  return message.empty() || (ReadSmall(message, {kNumber, kNumber}, &time).ok() && time.numbers[1] == kZeroTimeSeconds);
}

absl::Status AppendJsonTime(absl::string_view message, std::string* json) {
  SmallMessage time;
  TM_RETURN_IF_ERROR(ReadSmall(message, {kNumber, kNumber}, &time));
  if (message.empty() || time.numbers[1] == kZeroTimeSeconds) {
    json->append("null");
  } else {
    AppendTime(time.numbers[1], "", json);
  }
  return absl::OkStatus();
}

absl::Status AppendJsonMicroTime(absl::string_view message, std::string* json) {
  SmallMessage time;
  TM_RETURN_IF_ERROR(ReadSmall(message, {kNumber, kNumber}, &time));
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  constexpr int64_t kNanosPerMicro = 1000;
  // An int32 in Go, cut to microseconds towards zero; seconds wrap.
  int64_t nanos = static_cast<int32_t>(time.numbers[2]);
  nanos -= nanos % kNanosPerMicro;
  int64_t carry = nanos / kNanosPerSecond;
  nanos %= kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    --carry;
  }
  const int64_t seconds = static_cast<int64_t>(static_cast<uint64_t>(time.numbers[1]) + static_cast<uint64_t>(carry));
  if (message.empty() || (seconds == kZeroTimeSeconds && nanos == 0)) {
    json->append("null");
  } else {
    AppendTime(seconds, absl::StrFormat(".%06d", nanos / kNanosPerMicro), json);
  }
  return absl::OkStatus();
}

absl::Status AppendJsonDuration(absl::string_view message, std::string* json) {
  SmallMessage duration;
  TM_RETURN_IF_ERROR(ReadSmall(message, {kNumber}, &duration));
  absl::StrAppend(json, "\"", GoDurationText(duration.numbers[1]), "\"");
  return absl::OkStatus();
}

absl::Status AppendJsonQuantity(absl::string_view message, std::string* json) {
  SmallMessage quantity;
  TM_RETURN_IF_ERROR(ReadSmall(message, {kText}, &quantity));
  // One that was never set has no text at all.
  const bool set = quantity.texts[1].data() != nullptr;
  TM_ASSIGN_OR_RETURN(const std::string text, CanonicalQuantity(set ? quantity.texts[1] : "0"));
  absl::StrAppend(json, "\"", text, "\"");
  return absl::OkStatus();
}

absl::Status AppendJsonIntOrString(absl::string_view message, std::string* json) {
  SmallMessage value;
  TM_RETURN_IF_ERROR(ReadSmall(message, {kNumber, kNumber, kText}, &value));
  switch (value.numbers[1]) {
    case 0:
      absl::StrAppend(json, static_cast<int32_t>(value.numbers[2]));
      return absl::OkStatus();
    case 1:
      AppendGoJsonString(value.texts[3], json);
      return absl::OkStatus();
    default:
      return absl::InvalidArgumentError("protobuf: neither a number nor a text");
  }
}

}  // namespace tidemark::proto
