#include "proto/json_values.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
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

absl::Status ReadSmall(absl::string_view message, SmallMessage* out) {
  FieldReader reader(message);
  while (reader.Next()) {
    if (reader.tag() > SmallMessage::kFieldsMax) continue;
    if (reader.type() == WireType::kVarint) out->numbers[reader.tag()] = reader.signed_number();
    if (reader.type() == WireType::kBytes) out->texts[reader.tag()] = reader.bytes();
  }
  return reader.ok() ? absl::OkStatus() : absl::InvalidArgumentError("protobuf: no message");
}

// Go's zero time, 1 January of the year 1.
constexpr int64_t kZeroTimeSeconds = -62135596800;

// "2006-01-02T15:04:05" and the digits of the second, if any.
void AppendTime(int64_t seconds, absl::string_view fraction, std::string* json) {
  const absl::CivilSecond civil = absl::ToCivilSecond(absl::FromUnixSeconds(seconds), absl::UTCTimeZone());
  absl::StrAppendFormat(json, "\"%04d-%02d-%02dT%02d:%02d:%02d%sZ\"", civil.year(), civil.month(), civil.day(),
                        civil.hour(), civil.minute(), civil.second(), fraction);
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
  constexpr double kScientificBelow = 1e-6;
  constexpr double kScientificFrom = 1e21;
  const double size = std::fabs(value);
  const bool scientific = size != 0 && (size < kScientificBelow || size >= kScientificFrom);
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                                 scientific ? std::chars_format::scientific : std::chars_format::fixed);
  absl::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
  // Go writes 1e-9, where C writes 1e-09.
  const size_t exponent = text.find("e-0");
  if (exponent == absl::string_view::npos) {
    json->append(text.data(), text.size());
  } else {
    absl::StrAppend(json, text.substr(0, exponent), "e-", text.substr(exponent + 3));
  }
  return absl::OkStatus();
}

absl::Status AppendJsonTime(absl::string_view message, std::string* json) {
  SmallMessage time;
  TM_RETURN_IF_ERROR(ReadSmall(message, &time));
  if (message.empty() || time.numbers[1] == kZeroTimeSeconds) {
    json->append("null");
  } else {
    AppendTime(time.numbers[1], "", json);
  }
  return absl::OkStatus();
}

absl::Status AppendJsonMicroTime(absl::string_view message, std::string* json) {
  SmallMessage time;
  TM_RETURN_IF_ERROR(ReadSmall(message, &time));
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  constexpr int64_t kNanosPerMicro = 1000;
  const int64_t nanos = ((time.numbers[2] % kNanosPerSecond) + kNanosPerSecond) % kNanosPerSecond;
  const int64_t seconds = time.numbers[1] + (time.numbers[2] - nanos) / kNanosPerSecond;
  if (message.empty() || (seconds == kZeroTimeSeconds && nanos == 0)) {
    json->append("null");
  } else {
    AppendTime(seconds, absl::StrFormat(".%06d", nanos / kNanosPerMicro), json);
  }
  return absl::OkStatus();
}

absl::Status AppendJsonDuration(absl::string_view message, std::string* json) {
  SmallMessage duration;
  TM_RETURN_IF_ERROR(ReadSmall(message, &duration));
  absl::StrAppend(json, "\"", GoDurationText(duration.numbers[1]), "\"");
  return absl::OkStatus();
}

absl::Status AppendJsonQuantity(absl::string_view message, std::string* json) {
  SmallMessage quantity;
  TM_RETURN_IF_ERROR(ReadSmall(message, &quantity));
  // One that was never set has no text at all.
  const bool set = quantity.texts[1].data() != nullptr;
  TM_ASSIGN_OR_RETURN(const std::string text, CanonicalQuantity(set ? quantity.texts[1] : "0"));
  absl::StrAppend(json, "\"", text, "\"");
  return absl::OkStatus();
}

absl::Status AppendJsonIntOrString(absl::string_view message, std::string* json) {
  SmallMessage value;
  TM_RETURN_IF_ERROR(ReadSmall(message, &value));
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
