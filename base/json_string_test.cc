#include "base/json_string.h"

#include <string>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(JsonStringTest, EscapesOnlyWhatItHasTo) {
  EXPECT_EQ(JsonString(""), R"("")");
  EXPECT_EQ(JsonString("a/b <&> \xc3\xa4\x7f"), "\"a/b <&> \xc3\xa4\x7f\"");
  EXPECT_EQ(JsonString("say \"hi\" \\"), R"("say \"hi\" \\")");
  EXPECT_EQ(JsonString(std::string("\0\t\x1f", 3)), R"("\u0000\u0009\u001f")");
}

TEST(JsonStringTest, WhatIsNoUtf8IsReplaced) {
  EXPECT_EQ(JsonString("a\xff\xed\xa0"), "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace tidemark
