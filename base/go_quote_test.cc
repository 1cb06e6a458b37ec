#include "base/go_quote.h"

#include <string>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(GoQuoteTest, AsGoWritesIt) {
  struct Row {
    std::string text;
    const char* quoted;
  };
  const Row kRows[] = {
      {"", R"("")"},
      {"a'b", R"("a'b")"},
      {"a\"b\\c", R"("a\"b\\c")"},
      {"\a\b\f\n\r\t\v", R"("\a\b\f\n\r\t\v")"},
      {std::string("\0\x01\x1f\x7f", 4), R"("\x00\x01\x1f\x7f")"},
      {"\xff\xc3", R"("\xff\xc3")"},
      {"\xc3\xa9\xf0\x9f\x98\x80", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
      {"\xc2\x80\xc2\xa0\xc2\xad", R"("\u0080\u00a0\u00ad")"},
      {"\xe2\x80\x8b\xe2\x80\xa8\xef\xbb\xbf", R"("\u200b\u2028\ufeff")"},
      {"\xef\xbf\xbd", "\"\xef\xbf\xbd\""},
      {"\xf3\xa0\x80\x81", R"("\U000e0001")"},
  };
  for (const Row& row : kRows) EXPECT_EQ(GoQuote(row.text), row.quoted);
}

}  // namespace
}  // namespace tidemark
