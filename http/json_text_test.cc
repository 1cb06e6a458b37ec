#include "http/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark::http {
namespace {

TEST(JsonTextTest, EscapesAsGoDoes) {
  EXPECT_EQ(JsonString("plain"), "\"plain\"");
  EXPECT_EQ(JsonString(""), "\"\"");
  EXPECT_EQ(JsonString("a\"b\\c\n\t\r\b\f"), R"("a\"b\\c\n\t\r\b\f")");
  EXPECT_EQ(JsonString("<&>"), R"("\u003c\u0026\u003e")");
  EXPECT_EQ(JsonString(std::string("k\0", 2)), R"("k\u0000")");
  EXPECT_EQ(JsonString("\xE2\x80\xA8 \xE2\x80\xA9"), R"("\u2028 \u2029")");
  EXPECT_EQ(JsonString("\xC3\xA9\xF0\x9F\x98\x80"), "\"\xC3\xA9\xF0\x9F\x98\x80\"");
}

TEST(JsonTextTest, InvalidUtf8BecomesTheReplacementRune) {
  EXPECT_EQ(JsonString("a\xFF"
                       "b"),
            R"("a\ufffdb")");
  EXPECT_EQ(JsonString("\xC3"), R"("\ufffd")");
  EXPECT_EQ(JsonString("\xED\xA0\x80"), R"("\ufffd\ufffd\ufffd")");  // a surrogate
  EXPECT_EQ(JsonString("\xC0\x80"), R"("\ufffd\ufffd")");            // an overlong zero
}

}  // namespace
}  // namespace tidemark::http
