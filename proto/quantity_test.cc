#include "proto/quantity.h"

#include <gtest/gtest.h>

namespace tidemark::proto {
namespace {

struct Answer {
  const char* stored;
  const char* answered;
};

// clang-format off
constexpr Answer kAnswers[] = {
    {"1000m", "1"}, {"1024Mi", "1Gi"}, {"0.5", "500m"}, {"1e3", "1e3"}, {"1E3", "1E3"}, {"100m", "100m"},
    {"1.5Gi", "1536Mi"}, {"0.0005m", "500n"}, {"1500", "1500"}, {"12e-1", "1200e-3"}, {"+5", "+5"}, {"-1", "-1"},
    {"1Ki", "1Ki"}, {"8Ki", "8Ki"}, {"1024", "1024"}, {"1000k", "1M"}, {"0.1Ki", "102400m"},
    {"9223372036854775808", "9223372036854775808"}, {"1.0", "1"}, {"001", "001"}, {".5", "500m"}, {"5.", "5."},
    {"1n", "1n"}, {"0.1n", "1n"}, {"123456789012345678901234567890", "123456789012345678901234567890"}, {"0", "0"},
    {"0m", "0"}, {"1e18", "1e18"}, {"100000000000000000000Ki", "9223372036854775807"}, {"2e-9", "2e-9"},
    {"1u", "1u"}, {"1000000n", "1m"}, {"1025Ki", "1025Ki"}, {"1023.5Ki", "1048064"}, {"1E", "1E"}, {"1Ei", "1Ei"},
    {"7Ei", "7Ei"}, {"8Ei", "9223372036854775807"}, {"9Ei", "9223372036854775807"}, {"12E0", "12E0"},
    {"1e+3", "1e+3"}, {"0Ki", "0"}, {"0e3", "0"}, {"-1500m", "-1500m"}, {"+", "0"}, {".", "0"}, {"-", "0"},
    {"000", "0"}, {"1000E", "1"}, {"1e400", "10e399"}, {"1e-400", "1e-9"}, {"k", "0"}, {"m", "0"},
    {"12345678901234567890m", "12345678901234567890m"}, {"0.000000000123", "1n"}, {"1000000000000000000", "1E"},
    {"999999999999999999", "999999999999999999"}, {"1000000000000000001", "1000000000000000001"}, {"0.5Ki", "512"},
    {"512Ki", "512Ki"}, {"-0.1Ki", "-102400m"}, {"-1024Ki", "-1Mi"}, {"1e19", "10e18"}, {"1.5e3", "1500"},
    {"10", "10"}, {"100", "100"}, {"1000", "1k"}, {"10000", "10k"}, {"123456789012345Ki", "123456789012345Ki"},
    {"1234567.000", "1234567"}, {"0.0", "0"}, {"-0", "0"}, {"0.50", "500m"}, {"4096", "4096"}, {"4Ki", "4Ki"},
    {"1M", "1M"}, {"1000M", "1G"}, {"999999999999999999999m", "999999999999999999999m"}, {"1e-9", "1e-9"},
    {"1e-10", "1e-9"}, {"-1e-10", "-1e-9"}, {"-0.5", "-500m"},
};
// clang-format on

// What kube-apiserver 1.36.3 answered for emptyDir.sizeLimit of a pod that had the first text in etcd.
TEST(QuantityTest, AsKubeApiserverWritesIt) {
  for (const Answer& row : kAnswers) {
    const absl::StatusOr<std::string> canonical = CanonicalQuantity(row.stored);
    ASSERT_TRUE(canonical.ok()) << row.stored << ": " << canonical.status();
    EXPECT_EQ(*canonical, row.answered) << row.stored;
  }
}

TEST(QuantityTest, WhatIsNoneIsRefusedWithItsWords) {
  constexpr char kNoMatch[] =
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  constexpr char kNoSuffix[] = "unable to parse quantity's suffix";
  struct Row {
    const char* stored;
    const char* message;
  };
  const Row rows[] = {
      {"1kb", kNoMatch},  {"", kNoMatch},      {"1.2.3", kNoMatch}, {"1 k", kNoMatch},
      {"1e", kNoSuffix},  {"1E+", kNoSuffix},  {"1_0", kNoMatch},   {"0x10", kNoMatch},
      {"--1", kNoSuffix}, {"1Kii", kNoSuffix}, {"١", kNoMatch},
  };
  for (const Row& row : rows) EXPECT_EQ(CanonicalQuantity(row.stored).status().message(), row.message) << row.stored;
}

}  // namespace
}  // namespace tidemark::proto
