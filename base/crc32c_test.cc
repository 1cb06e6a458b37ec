#include "base/crc32c.h"

#include <random>
#include <string>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(Crc32cTest, KnownValues) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32cTest, InstructionAgreesWithTableAtEveryLengthAndSplit) {
  std::mt19937 random(1);
  std::string bytes(100, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (size_t length = 0; length <= bytes.size(); ++length) {
    const absl::string_view part = absl::string_view(bytes).substr(0, length);
    const uint32_t sum = internal::Crc32cByTable(part, 0);
    EXPECT_EQ(Crc32c(part), sum) << length;
    EXPECT_EQ(Crc32c(part.substr(length / 3), Crc32c(part.substr(0, length / 3))), sum) << length;
  }
}

}  // namespace
}  // namespace tidemark
