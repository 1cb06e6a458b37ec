#include "base/utf8.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(Utf8Test, EveryCharacterComesBack) {
  for (uint32_t rune = 0; rune <= 0x10ffff; ++rune) {
    if (rune >= 0xd800 && rune < 0xe000) continue;
    std::string text;
    AppendUtf8(rune, &text);
    size_t length = 0;
    ASSERT_EQ(DecodeRune(text + "x", &length), rune);
    ASSERT_EQ(length, text.size());
    ASSERT_EQ(Utf8Length(text), text.size());
  }
}

TEST(Utf8Test, WhatIsNoCharacterIsTakenByteByByte) {
  const std::string kBad[] = {
      "\x80",              // begins in the middle
      "\xc3",              // ends too early
      "\xe2\x80",          //
      "\xf0\x9f\x98",      //
      "\xc3x",             // goes on with something else
      "\xe2\x80x",         //
      "\xc0\x80",          // longer than needed
      "\xc1\xbf",          //
      "\xe0\x9f\xbf",      //
      "\xf0\x8f\xbf\xbf",  //
      "\xed\xa0\x80",      // half of a pair
      "\xed\xbf\xbf",      //
      "\xf4\x90\x80\x80",  // above the last
      "\xf5\x80\x80\x80",  //
      "\xff",
  };
  for (const std::string& text : kBad) {
    size_t length = 0;
    EXPECT_EQ(DecodeRune(text, &length), kInvalidRune) << static_cast<int>(text[0]);
    EXPECT_EQ(length, 1u);
    EXPECT_EQ(Utf8Length(text), 0u);
  }
}

TEST(Utf8Test, CharactersAreCountedByTheirFirstBytes) {
  EXPECT_EQ(CountRunes(""), 0u);
  EXPECT_EQ(CountRunes("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"), 5u);
}

}  // namespace
}  // namespace tidemark
