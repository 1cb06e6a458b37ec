#include "crd/quoted_text.h"

#include <gtest/gtest.h>

namespace tidemark::crd {
namespace {

TEST(QuotedTextTest, EscapesAreThoseOfGo) {
  const struct {
    const char* inside;
    char quote;
    const char* text;
  } rows[] = {
      {"", '"', ""},
      {"plain 'text'", '"', "plain 'text'"},
      {R"(a\tb\nc\\d)", '"', "a\tb\nc\\d"},
      {R"(\a\b\f\r\v)", '\'', "\a\b\f\r\v"},
      {R"(\x41\101\u0041\U00000041)", '"', "AAAA"},
      {R"(\u00e4)", '"', "\xc3\xa4"},
      {R"(\xe4)", '"', "\xe4"},
      {R"(it\'s)", '\'', "it's"},
      {R"(say \"a\")", '"', R"(say "a")"},
  };
  for (const auto& row : rows) {
    const auto text = Unquoted(row.inside, row.quote);
    ASSERT_TRUE(text.ok()) << row.inside;
    EXPECT_EQ(*text, row.text) << row.inside;
  }
}

TEST(QuotedTextTest, WhatGoRefuses) {
  for (const char* inside : {R"(\d)", R"(\')", R"(a"b)", R"(\)", R"(\x4)", R"(\x4g)", R"(\400)", R"(\08)", R"(\ud800)",
                             R"(\U00110000)", R"(\u004)", "a\nb"}) {
    EXPECT_FALSE(Unquoted(inside, '"').ok()) << inside;
  }
}

}  // namespace
}  // namespace tidemark::crd
