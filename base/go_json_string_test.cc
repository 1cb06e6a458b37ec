#include "base/go_json_string.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

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

// Whatever the way a text of this length goes: short, in blocks, in pieces.
TEST(GoJsonStringTest, SpecialsAnywhereInTextsOfEveryLength) {
  const std::pair<std::string, std::string> specials[] = {{"<", "\\u003c"},
                                                          {"\xE2\x80\xA8", "\\u2028"},
                                                          {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
                                                          {"\x80", "\\ufffd"},
                                                          {"", ""}};
  for (const size_t size : {0, 1, 3, 7, 12, 15, 16, 17, 31, 32, 33, 100, 255, 256, 257, 259, 300, 600}) {
    for (size_t at = 0; at <= size; ++at) {
      for (const auto& [special, escaped] : specials) {
        const std::string before(at, 'a'), behind(size - at, 'b');
        const std::string text = before + special + behind;
        const std::string wanted = "\"" + before + escaped + behind + "\"";
        ASSERT_EQ(GoJsonString(text), wanted) << size << " at " << at;
        std::string room(GoJsonStringMax(text.size()), '?');
        room.resize(static_cast<size_t>(WriteGoJsonString(text, room.data()) - room.data()));
        ASSERT_EQ(room, wanted);
      }
    }
  }
}

// Four bytes of a rune and one too many, wherever a long text is cut.
TEST(GoJsonStringTest, RunesAreNotCut) {
  for (size_t before = 245; before < 260; ++before) {
    const std::string rune = "\xF0\x9F\x98\x80";
    const std::string a(before, 'a'), b(300, 'b');
    EXPECT_EQ(GoJsonString(a + rune + "\x80" + b), "\"" + a + rune + "\\ufffd" + b + "\"") << before;
  }
}

}  // namespace
}  // namespace tidemark
