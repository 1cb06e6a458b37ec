#include "proto/strict_json.h"

#include <gtest/gtest.h>

namespace tidemark::proto {
namespace {

TEST(StrictJsonTest, Numbers) {
  for (const char* const text : {"0", "-0", "12", "1.5", "1e5", "1E+05", "-0.0e-0", "123456789012345678901234567890"}) {
    EXPECT_TRUE(IsJsonNumber(text)) << text;
  }
  for (const char* const text : {"", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "1 ", "--1", "NaN"}) {
    EXPECT_FALSE(IsJsonNumber(text)) << text;
  }
}

}  // namespace
}  // namespace tidemark::proto
