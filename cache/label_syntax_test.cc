#include "cache/label_syntax.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

// The words of a refusal are kube-apiserver's: label_selector_test.cc holds them against recorded answers.
TEST(LabelSyntaxTest, Keys) {
  const std::string k63(63, 'a');
  for (const std::string& key : std::vector<std::string>{"a", "A-b_c.d1", "example.com/app", k63, "a.b/" + k63}) {
    EXPECT_EQ(WhyNotLabelKey(key), "") << key;
  }
  for (const std::string& key :
       std::vector<std::string>{"", "-a", "a.", "a b", "/a", "a/", "A.b/c", "a..b/c", "a/b/c", k63 + "a"}) {
    EXPECT_NE(WhyNotLabelKey(key), "") << key;
  }
  EXPECT_EQ(WhyNotLabelKey(std::string(254, 'a') + "/b"), "prefix part must be no more than 253 bytes");
}

TEST(LabelSyntaxTest, Values) {
  for (const char* const value : {"", "a", "A-b_c.d1"}) EXPECT_EQ(WhyNotLabelValue(value), "") << value;
  for (const char* const value : {"-a", "a.", "a b", "a/b", "\xc3\xa4"}) {
    EXPECT_NE(WhyNotLabelValue(value), "") << value;
  }
  EXPECT_EQ(WhyNotLabelValue(std::string(64, 'a')), "must be no more than 63 bytes");
}

TEST(LabelSyntaxTest, IntegersAreWhatGoTakesThemFor) {
  EXPECT_EQ(ParseInt64("5"), 5);
  EXPECT_EQ(ParseInt64("+5"), 5);
  EXPECT_EQ(ParseInt64("-9223372036854775808"), INT64_MIN);
  for (const char* const text : {"", "+", "-", "+-5", " 5", "5 ", "0x5", "1_000", "9223372036854775808", "5.0"}) {
    EXPECT_EQ(ParseInt64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tidemark::cache
