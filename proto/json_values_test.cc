#include "proto/json_values.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

#include "proto/field_writer.h"

namespace tidemark::proto {
namespace {

uint64_t BitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// Written by Go's encoding/json.
TEST(JsonValuesTest, Doubles) {
  struct Row {
    double value;
    const char* json;
  };
  const Row rows[] = {{0, "0"},
                      {-0.0, "-0"},
                      {1, "1"},
                      {0.1, "0.1"},
                      {1e20, "100000000000000000000"},
                      {1e21, "1e+21"},
                      {1e-6, "0.000001"},
                      {1e-7, "1e-7"},
                      {9223372036854775807.0, "9223372036854776000"},
                      {1152921504606846976.0, "1152921504606847000"},
                      {123456, "123456"},
                      {0.00001234, "0.00001234"},
                      {1.25e30, "1.25e+30"},
                      {1.5e-10, "1.5e-10"},
                      {-2.5, "-2.5"},
                      {1e100, "1e+100"},
                      {123456789.125, "123456789.125"}};
  for (const Row& row : rows) {
    std::string json;
    EXPECT_TRUE(AppendJsonDouble(BitsOf(row.value), &json).ok());
    EXPECT_EQ(json, row.json);
  }
  std::string json;
  EXPECT_FALSE(AppendJsonDouble(BitsOf(std::numeric_limits<double>::infinity()), &json).ok());
  EXPECT_FALSE(AppendJsonDouble(BitsOf(std::numeric_limits<double>::quiet_NaN()), &json).ok());
}

std::string Seconds(int64_t seconds, int64_t nanos) {
  std::string message;
  AppendNumberField(1, static_cast<uint64_t>(seconds), &message);
  AppendNumberField(2, static_cast<uint64_t>(nanos), &message);
  return message;
}

TEST(JsonValuesTest, Times) {
  struct Row {
    std::string message;
    const char* time;
    const char* micro_time;
  };
  const Row rows[] = {
      {"", "null", "null"},
      {Seconds(0, 0), "\"1970-01-01T00:00:00Z\"", "\"1970-01-01T00:00:00.000000Z\""},
      {Seconds(1'700'000'000, 123'456'789), "\"2023-11-14T22:13:20Z\"", "\"2023-11-14T22:13:20.123456Z\""},
      {Seconds(-62135596800, 0), "null", "null"},
      {Seconds(0, -1), "\"1970-01-01T00:00:00Z\"", "\"1970-01-01T00:00:00.000000Z\""},
      {Seconds(0, -2000), "\"1970-01-01T00:00:00Z\"", "\"1969-12-31T23:59:59.999998Z\""},
      {Seconds(0, int64_t{1} << 32), "\"1970-01-01T00:00:00Z\"", "\"1970-01-01T00:00:00.000000Z\""},
      {Seconds(0, std::numeric_limits<int64_t>::min()), "\"1970-01-01T00:00:00Z\"", "\"1970-01-01T00:00:00.000000Z\""},
      {Seconds(-62135596800, 5), "null", "null"},
      {Seconds(-62198755200, 0), "\"-0001-01-01T00:00:00Z\"", "\"-0001-01-01T00:00:00.000000Z\""},
      {Seconds(951'782'400, 0), "\"2000-02-29T00:00:00Z\"", "\"2000-02-29T00:00:00.000000Z\""},
      {Seconds(-2'203'977'600, 0), "\"1900-02-28T00:00:00Z\"", "\"1900-02-28T00:00:00.000000Z\""},
      {Seconds(1'735'689'599, 0), "\"2024-12-31T23:59:59Z\"", "\"2024-12-31T23:59:59.000000Z\""},
      {Seconds(253'402'300'800, 0), "\"10000-01-01T00:00:00Z\"", "\"10000-01-01T00:00:00.000000Z\""},
      {Seconds(-1, 0), "\"1969-12-31T23:59:59Z\"", "\"1969-12-31T23:59:59.000000Z\""},
  };
  for (const Row& row : rows) {
    std::string time, micro_time;
    EXPECT_TRUE(AppendJsonTime(row.message, &time).ok());
    EXPECT_TRUE(AppendJsonMicroTime(row.message, &micro_time).ok());
    EXPECT_EQ(time, row.time);
    EXPECT_EQ(micro_time, row.micro_time);
  }
  for (const Row& row : rows) EXPECT_TRUE(IsTime(row.message));
  EXPECT_FALSE(IsTime("\x08"));
  std::string json;
  EXPECT_FALSE(AppendJsonTime("\x08", &json).ok());
  EXPECT_FALSE(AppendJsonTime(std::string("\x0a\x00", 2), &json).ok()) << "a text where the seconds belong";
  EXPECT_TRUE(AppendJsonMicroTime(Seconds(std::numeric_limits<int64_t>::max(), 2'000'000'000), &json).ok());
}

// Written by Go's time.Duration.
TEST(JsonValuesTest, Durations) {
  struct Row {
    int64_t nanos;
    const char* json;
  };
  const Row rows[] = {{0, "\"0s\""},
                      {1, "\"1ns\""},
                      {1500, "\"1.5\xC2\xB5s\""},
                      {2'000'000, "\"2ms\""},
                      {1'500'000'000, "\"1.5s\""},
                      {60'000'000'000, "\"1m0s\""},
                      {3'600'000'000'000, "\"1h0m0s\""},
                      {-5'400'000'000'001, "\"-1h30m0.000000001s\""}};
  for (const Row& row : rows) {
    std::string message, json;
    AppendNumberField(1, static_cast<uint64_t>(row.nanos), &message);
    EXPECT_TRUE(AppendJsonDuration(message, &json).ok());
    EXPECT_EQ(json, row.json);
  }
}

TEST(JsonValuesTest, NumberOrText) {
  struct Row {
    std::string message;
    const char* json;
  };
  const Row rows[] = {{"", "0"},
                      {std::string("\x08\x00\x10\x50\x1a\x00", 6), "80"},
                      {std::string("\x08\x01\x10\x00\x1a\x04http", 10), "\"http\""}};
  for (const Row& row : rows) {
    std::string json;
    EXPECT_TRUE(AppendJsonIntOrString(row.message, &json).ok());
    EXPECT_EQ(json, row.json);
  }
  std::string json;
  EXPECT_FALSE(AppendJsonIntOrString("\x08\x02", &json).ok());
}

}  // namespace
}  // namespace tidemark::proto
