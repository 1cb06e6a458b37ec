#include "proto/field_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/field_writer.h"

namespace tidemark::proto {
namespace {

using ::testing::ElementsAre;

TEST(FieldReaderTest, ReadsWhatFieldWriterWrites) {
  std::string message;
  AppendNumberField(1, 300, &message);
  AppendBytesField(2, "text", &message);
  AppendNumberField(15, ~uint64_t{0}, &message);
  AppendBytesField(3000, "", &message);
  FieldReader reader(message);
  ASSERT_TRUE(reader.Next());
  EXPECT_TRUE(reader.Is(1, WireType::kVarint));
  EXPECT_EQ(reader.number(), 300u);
  ASSERT_TRUE(reader.Next());
  EXPECT_TRUE(reader.Is(2, WireType::kBytes));
  EXPECT_EQ(reader.bytes(), "text");
  EXPECT_EQ(absl::string_view(reader.begin(), static_cast<size_t>(reader.end() - reader.begin())), "\x12\x04text");
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.signed_number(), -1);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.tag(), 3000u);
  EXPECT_EQ(reader.bytes(), "");
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.ok());
}

TEST(FieldReaderTest, StepsOverWhatNobodyAsksFor) {
  const std::string message(
      "\x09"
      "12345678"
      "\x15"
      "1234"
      "\x1b\x08\x07\x23\x2a\x01x\x24\x1c"
      "\x28\x01",
      25);
  FieldReader reader(message);
  std::vector<uint32_t> tags;
  while (reader.Next()) tags.push_back(reader.tag());
  EXPECT_TRUE(reader.ok());
  EXPECT_THAT(tags, ElementsAre(1, 2, 3, 5));
}

TEST(FieldReaderTest, WhatIsNoMessageIsAnError) {
  struct Row {
    const char* what;
    std::string bytes;
  };
  const Row rows[] = {
      {"a tag without content", "\x08"},
      {"a tag of number 0", std::string("\x00\x01", 2)},
      {"a number that does not end", "\x08\x80"},
      {"a number of eleven bytes", "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"},
      {"a text longer than the message", "\x12\x05text"},
      {"a length of 64 bits", "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
      {"seven bytes of eight",
       "\x09"
       "1234567"},
      {"wire type 6", "\x0e\x01"},
      {"a group that does not end", "\x1b\x08\x07"},
      {"the end of no group", "\x1c"},
      {"a negative number of a field", "\x80\x80\x80\x80\x40\x01"},
  };
  for (const Row& row : rows) {
    FieldReader reader(row.bytes);
    while (reader.Next()) {
    }
    EXPECT_FALSE(reader.ok()) << row.what;
  }
}

TEST(FieldReaderTest, PackedNumbers) {
  std::vector<uint64_t> numbers;
  const auto visit = [&numbers](uint64_t number) { numbers.push_back(number); };
  EXPECT_TRUE(ForEachVarint("\x01\xac\x02\x05", visit));
  EXPECT_THAT(numbers, ElementsAre(1, 300, 5));
  EXPECT_TRUE(ForEachVarint("", visit));
  EXPECT_FALSE(ForEachVarint("\x01\xac", visit));
  EXPECT_FALSE(ForEachVarint("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", visit));
}

}  // namespace
}  // namespace tidemark::proto
