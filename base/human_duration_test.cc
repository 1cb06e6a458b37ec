#include "base/human_duration.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(HumanDurationTest, UnitsGrowWithTheAge) {
  const struct {
    absl::Duration age;
    const char* text;
  } rows[] = {
      {absl::Seconds(-3), "<invalid>"},
      {absl::Seconds(-2), "<invalid>"},
      {absl::Milliseconds(-1900), "0s"},
      {absl::ZeroDuration(), "0s"},
      {absl::Milliseconds(1900), "1s"},
      {absl::Seconds(119), "119s"},
      {absl::Seconds(120), "2m"},
      {absl::Seconds(182), "3m2s"},
      {absl::Seconds(599), "9m59s"},
      {absl::Minutes(10) + absl::Seconds(59), "10m"},
      {absl::Minutes(179), "179m"},
      {absl::Minutes(180), "3h"},
      {absl::Minutes(7 * 60 + 59), "7h59m"},
      {absl::Hours(8) + absl::Minutes(59), "8h"},
      {absl::Hours(47), "47h"},
      {absl::Hours(48), "2d"},
      {absl::Hours(51), "2d3h"},
      {absl::Hours(8 * 24 + 5), "8d"},
      {absl::Hours(24 * 729), "729d"},
      {absl::Hours(24 * 730), "2y"},
      {absl::Hours(24 * 735), "2y5d"},
      {absl::Hours(24) * (365 * 2 + 10), "2y10d"},
      {absl::Hours(24) * (365 * 8 - 1), "7y364d"},
      {absl::Hours(24 * 365 * 8 + 100), "8y"},
      {absl::Hours(24) * 365 * 1000, "292y"},
      {absl::InfiniteDuration(), "292y"},
      {-absl::InfiniteDuration(), "<invalid>"},
  };
  for (const auto& row : rows) EXPECT_EQ(HumanDuration(row.age), row.text) << row.age;
}

TEST(HumanDurationTest, NothingIsKnownOfTheZeroTime) {
  EXPECT_EQ(TimeSince(kGoZeroTime, absl::UnixEpoch()), "<unknown>");
  EXPECT_EQ(TimeSince(absl::UnixEpoch(), absl::FromUnixSeconds(7)), "7s");
  EXPECT_EQ(kGoZeroTime, absl::FromCivil(absl::CivilSecond(1, 1, 1), absl::UTCTimeZone()));
}

}  // namespace
}  // namespace tidemark
