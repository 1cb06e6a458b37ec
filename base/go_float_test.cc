#include "base/go_float.h"

#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(GoFloatTest, ExponentsOnlyWhereGoHasThem) {
  const struct {
    double number;
    const char* text;
  } rows[] = {
      {0, "0"},
      {-0.0, "-0"},
      {2.5, "2.5"},
      {-3, "-3"},
      {0.1, "0.1"},
      {999999, "999999"},
      {999999.5, "999999.5"},
      {1000000, "1e+06"},
      {1234567, "1.234567e+06"},
      {0.0001, "0.0001"},
      {0.00012345678901234567, "0.00012345678901234567"},
      {0.00001, "1e-05"},
      {1e21, "1e+21"},
      {-1.7976931348623157e308, "-1.7976931348623157e+308"},
      {5e-324, "5e-324"},
  };
  for (const auto& row : rows) EXPECT_EQ(GoFloatText(row.number), row.text);
}

}  // namespace
}  // namespace tidemark
