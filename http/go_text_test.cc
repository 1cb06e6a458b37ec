#include "http/go_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace tidemark::http {
namespace {

TEST(GoTextTest, Int64) {
  struct Row {
    std::string text;
    int64_t value;
  };
  for (const Row& row : {Row{"0", 0}, Row{"7", 7}, Row{"+5", 5}, Row{"-1", -1}, Row{"007", 7},
                         Row{"9223372036854775807", std::numeric_limits<int64_t>::max()},
                         Row{"-9223372036854775808", std::numeric_limits<int64_t>::min()}}) {
    const auto value = ParseGoInt64(row.text);
    ASSERT_TRUE(value.ok()) << row.text;
    EXPECT_EQ(*value, row.value) << row.text;
  }
}

TEST(GoTextTest, Int64RefusedInGosWords) {
  for (const std::string text : {"", "abc", "1.5", " 5", "0x5", "-", "+", "1e3", "5 "}) {
    EXPECT_EQ(ParseGoInt64(text).status().message(), "strconv.ParseInt: parsing \"" + text + "\": invalid syntax");
  }
  for (const std::string text : {"9223372036854775808", "-9223372036854775809", "99999999999999999999999"}) {
    EXPECT_EQ(ParseGoInt64(text).status().message(), "strconv.ParseInt: parsing \"" + text + "\": value out of range");
  }
}

TEST(GoTextTest, Uint64) {
  EXPECT_EQ(*ParseGoUint64("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(*ParseGoUint64("080"), 80u);
  EXPECT_EQ(ParseGoUint64("18446744073709551616").status().message(),
            "strconv.ParseUint: parsing \"18446744073709551616\": value out of range");
  for (const std::string text : {"-1", "+1", "", "1.5", "99999999999999999999999x"}) {
    EXPECT_EQ(ParseGoUint64(text).status().message(), "strconv.ParseUint: parsing \"" + text + "\": invalid syntax");
  }
}

TEST(GoTextTest, Duration) {
  struct Row {
    std::string text;
    absl::Duration value;
  };
  for (const Row& row :
       {Row{"5m39s", absl::Seconds(339)}, Row{"0", absl::ZeroDuration()}, Row{"-3s", absl::Seconds(-3)},
        Row{"1.5h", absl::Minutes(90)}, Row{".5s", absl::Milliseconds(500)},
        Row{"1us2\xC2\xB5s", absl::Microseconds(3)}, Row{"1h1ms", absl::Hours(1) + absl::Milliseconds(1)}}) {
    const auto value = ParseGoDuration(row.text);
    ASSERT_TRUE(value.ok()) << row.text << ": " << value.status();
    EXPECT_EQ(*value, row.value) << row.text;
  }
}

TEST(GoTextTest, DurationRefusedInGosWords) {
  struct Row {
    std::string text;
    std::string message;
  };
  for (const Row& row :
       {Row{"abc", "time: invalid duration \"abc\""}, Row{"", "time: invalid duration \"\""},
        Row{"5", "time: missing unit in duration \"5\""}, Row{"-", "time: invalid duration \"-\""},
        Row{"5x", "time: unknown unit \"x\" in duration \"5x\""}, Row{".s", "time: invalid duration \".s\""},
        Row{"99999999999h", "time: invalid duration \"99999999999h\""}}) {
    EXPECT_EQ(ParseGoDuration(row.text).status().message(), row.message);
  }
}

TEST(GoTextTest, QuotesOneByte) {
  EXPECT_EQ(GoQuoteByte('i'), "'i'");
  EXPECT_EQ(GoQuoteByte('\''), "'\\''");
  EXPECT_EQ(GoQuoteByte('"'), "'\"'");
  EXPECT_EQ(GoQuoteByte(0xAE), "'\xC2\xAE'");
  EXPECT_EQ(GoQuoteByte(0x00), "'\\x00'");
  EXPECT_EQ(GoQuoteByte(0x07), "'\\a'");
  EXPECT_EQ(GoQuoteByte(0x80), "'\\u0080'");
  EXPECT_EQ(GoQuoteByte(0xA0), "'\\u00a0'");
  EXPECT_EQ(GoQuoteByte(0xAD), "'\\u00ad'");
}

}  // namespace
}  // namespace tidemark::http
