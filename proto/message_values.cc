#include "proto/message_values.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "proto/field_writer.h"
#include "proto/json_values.h"
#include "proto/quantity.h"

namespace tidemark::proto {
namespace {

absl::Status AppendTimeOf(absl::string_view text, int64_t nanos_unit, std::string* message) {
  if (text.empty()) return absl::OkStatus();
  absl::Time time;
  std::string error;
  if (!absl::ascii_isdigit(static_cast<unsigned char>(text[0])) ||
      !absl::ParseTime(absl::RFC3339_full, text, &time, &error)) {
    return absl::InvalidArgumentError(absl::StrCat("no time: ", error));
  }
  const int64_t seconds = absl::ToUnixSeconds(time);
  const int64_t nanos = absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds));
  if (seconds == kZeroTimeSeconds && nanos == 0) return absl::OkStatus();
  AppendNumberField(1, static_cast<uint64_t>(seconds), message);
  AppendNumberField(2, static_cast<uint64_t>(nanos - nanos % nanos_unit), message);
  return absl::OkStatus();
}

void AppendIntOrText(uint64_t type, int64_t number, absl::string_view text, std::string* message) {
  AppendNumberField(1, type, message);
  AppendNumberField(2, static_cast<uint64_t>(number), message);
  AppendBytesField(3, text, message);
}

}  // namespace

absl::Status AppendTimeMessage(absl::string_view text, std::string* message) {
  constexpr int64_t kSecond = 1'000'000'000;
  return AppendTimeOf(text, kSecond, message);
}

absl::Status AppendMicroTimeMessage(absl::string_view text, std::string* message) {
  constexpr int64_t kMicrosecond = 1000;
  return AppendTimeOf(text, kMicrosecond, message);
}

absl::Status AppendDurationMessage(absl::string_view text, std::string* message) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration)) return absl::InvalidArgumentError("no duration");
  AppendNumberField(1, static_cast<uint64_t>(absl::ToInt64Nanoseconds(duration)), message);
  return absl::OkStatus();
}

void AppendIntMessage(int64_t number, std::string* message) { AppendIntOrText(0, number, "", message); }
void AppendTextMessage(absl::string_view text, std::string* message) { AppendIntOrText(1, 0, text, message); }

absl::Status AppendQuantityMessage(absl::string_view text, std::string* message) {
  TM_ASSIGN_OR_RETURN(const std::string canonical, CanonicalQuantity(absl::StripAsciiWhitespace(text)));
  AppendBytesField(1, canonical, message);
  return absl::OkStatus();
}

void AppendZeroValue(MessageForm form, std::string* message) {
  switch (form) {
    case MessageForm::kQuantity:
      return AppendBytesField(1, "0", message);
    case MessageForm::kIntOrString:
      return AppendIntMessage(0, message);
    case MessageForm::kDuration:
    case MessageForm::kSchemaOrBool:
      return AppendNumberField(1, 0, message);
    default:
      return;  // Go's zero time, list or raw JSON is no bytes at all
  }
}

}  // namespace tidemark::proto
