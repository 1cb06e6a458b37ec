#include "base/human_duration.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tidemark {
namespace {

// "3m2s", and "3m" when nothing is left over.
std::string TwoUnits(int64_t whole, absl::string_view unit, int64_t rest, absl::string_view rest_unit) {
  return rest == 0 ? absl::StrCat(whole, unit) : absl::StrCat(whole, unit, rest, rest_unit);
}

}  // namespace

std::string HumanDuration(absl::Duration age) {
  // Go's durations end after 292 years.
  constexpr absl::Duration kMax = absl::Nanoseconds(std::numeric_limits<int64_t>::max());
  const int64_t seconds = absl::ToInt64Seconds(std::clamp(age, -kMax, kMax));
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * 60) return absl::StrCat(seconds, "s");
  const int64_t minutes = seconds / 60;
  if (minutes < 10) return TwoUnits(minutes, "m", seconds % 60, "s");
  if (minutes < 3 * 60) return absl::StrCat(minutes, "m");
  const int64_t hours = minutes / 60;
  if (hours < 8) return TwoUnits(hours, "h", minutes % 60, "m");
  if (hours < 48) return absl::StrCat(hours, "h");
  const int64_t days = hours / 24;
  if (days < 8) return TwoUnits(days, "d", hours % 24, "h");
  if (days < 2 * 365) return absl::StrCat(days, "d");
  if (days < 8 * 365) return TwoUnits(days / 365, "y", days % 365, "d");
  return absl::StrCat(days / 365, "y");
}

std::string TimeSince(absl::Time time, absl::Time now) {
  return time == kGoZeroTime ? "<unknown>" : HumanDuration(now - time);
}

}  // namespace tidemark
