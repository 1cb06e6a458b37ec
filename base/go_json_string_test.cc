#include "base/go_json_string.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark {
namespace {

TEST(GoJsonStringTest, EscapesAsGoDoes) {
  EXPECT_EQ(GoJsonString("plain"), "\"plain\"");
  EXPECT_EQ(GoJsonString(""), "\"\"");
  EXPECT_EQ(GoJsonString("a\"b\\c\n\t\r\b\f"), R"("a\"b\\c\n\t\r\b\f")");
  EXPECT_EQ(GoJsonString("<&>"), R"("\u003c\u0026\u003e")");
  EXPECT_EQ(GoJsonString(std::string("k\0", 2)), R"("k\u0000")");
  EXPECT_EQ(GoJsonString("\xE2\x80\xA8 \xE2\x80\xA9"), R"("\u2028 \u2029")");
  EXPECT_EQ(GoJsonString("\xC3\xA9\xF0\x9F\x98\x80"), "\"\xC3\xA9\xF0\x9F\x98\x80\"");
}

TEST(GoJsonStringTest, InvalidUtf8BecomesTheReplacementRune) {
  EXPECT_EQ(GoJsonString("a\xFF"
                         "b"),
            R"("a\ufffdb")");
  EXPECT_EQ(GoJsonString("\xC3"), R"("\ufffd")");
  EXPECT_EQ(GoJsonString("\xED\xA0\x80"), R"("\ufffd\ufffd\ufffd")");  // a surrogate
  EXPECT_EQ(GoJsonString("\xC0\x80"), R"("\ufffd\ufffd")");            // an overlong zero
}

}  // namespace
}  // namespace tidemark
