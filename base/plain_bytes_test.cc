#include "base/plain_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark {
namespace {

bool IsSpecial(int byte) {
  return byte < 0x20 || byte >= 0x80 || std::string("\"\\<>&").find(static_cast<char>(byte)) != std::string::npos;
}

TEST(PlainBytesTest, EachByteInEachPlace) {
  for (int byte = 0; byte < 256; ++byte) {
    for (const char around : {'a', '\x7f', ' ', '\xff', '&'}) {
      for (size_t at = 0; at < kPlainBlock; ++at) {
        std::string text(kPlainBlock, around);
        text[at] = static_cast<char>(byte);
        uint32_t wanted = IsSpecial(static_cast<uint8_t>(around)) ? 0xffff & ~(1u << at) : 0;
        if (IsSpecial(byte)) wanted |= 1u << at;
        char copy[kPlainBlock];
        EXPECT_EQ(CopyPlain16(text.data(), copy), wanted) << byte << " at " << at;
        EXPECT_EQ(text, std::string(copy, kPlainBlock));
        EXPECT_EQ(CopyPlain16Portable(text.data(), copy), wanted) << byte << " at " << at;
        EXPECT_EQ(text, std::string(copy, kPlainBlock));
      }
    }
  }
}

TEST(PlainBytesTest, ShortTexts) {
  for (size_t size = 0; size < kPlainBlock; ++size) {
    std::string copy(size, '?');  // a block of its own, so that a sanitizer sees what is written behind it
    const std::string plain(size, 'x');
    EXPECT_TRUE(CopyPlainShort(plain.data(), size, copy.data())) << size;
    EXPECT_EQ(copy, plain);
    for (size_t at = 0; at < size; ++at) {
      std::string text = plain;
      text[at] = '"';
      EXPECT_FALSE(CopyPlainShort(text.data(), size, copy.data())) << at << " of " << size;
    }
  }
}

}  // namespace
}  // namespace tidemark
