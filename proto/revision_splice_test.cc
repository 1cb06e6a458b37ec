#include "proto/revision_splice.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proto/field_writer.h"

namespace tidemark::proto {
namespace {

std::string Text(uint32_t number, absl::string_view text) {
  std::string field;
  AppendBytesField(number, text, &field);
  return field;
}

std::string WithRevision(absl::string_view message, absl::string_view digits) {
  const auto splice = FindRevision(message);
  EXPECT_TRUE(splice.has_value());
  if (!splice) return "none";
  std::string out;
  AppendWithRevision(message, *splice, digits, &out);
  EXPECT_EQ(SizeWithRevision(message, *splice, digits), out.size());
  return out;
}

TEST(RevisionSpliceTest, RevisionComesWhereItsNumberSays) {
  const std::string rest = Text(2, "spec") + Text(3, "status");
  const struct {
    std::string metadata;
    std::string expected;
  } kRows[] = {
      {"", Text(6, "7")},
      {Text(1, "a"), Text(1, "a") + Text(6, "7")},
      {Text(1, "a") + Text(5, "uid") + Text(6, "") + Text(11, "l"),
       Text(1, "a") + Text(5, "uid") + Text(6, "7") + Text(11, "l")},
      {Text(1, "a") + Text(11, "l") + Text(11, "m"), Text(1, "a") + Text(6, "7") + Text(11, "l") + Text(11, "m")},
      {Text(6, "old") + Text(7, "g"), Text(6, "7") + Text(7, "g")},
      {Text(11, "l"), Text(6, "7") + Text(11, "l")},
      // Its length needs a byte more with the revision than without.
      {Text(1, std::string(124, 'n')), Text(1, std::string(124, 'n')) + Text(6, "7")},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(WithRevision(Text(1, row.metadata) + rest, "7"), Text(1, row.expected) + rest) << row.metadata;
  }
}

TEST(RevisionSpliceTest, SplicedMessageIsSplicedAgain) {
  const std::string once = WithRevision(Text(1, Text(1, "a") + Text(8, "x")) + Text(2, "spec"), "9");
  EXPECT_EQ(WithRevision(once, "12345678901"),
            Text(1, Text(1, "a") + Text(6, "12345678901") + Text(8, "x")) + Text(2, "spec"));
}

TEST(RevisionSpliceTest, WhatNoWriterLeavesHasNoPlaceForIt) {
  const std::string metadata = Text(1, Text(1, "a"));
  const std::string kRows[] = {
      "",                                         // no metadata
      Text(2, "spec"),                            //
      Text(2, "spec") + metadata,                 // not first
      metadata + metadata,                        // twice
      Text(1, Text(6, "1") + Text(6, "2")),       // two revisions
      Text(1, Text(5, "uid") + Text(1, "a")),     // out of order
      Text(1, Text(6, "1") + Text(5, "uid")),     //
      Text(1, absl::string_view("\x0a\x05", 2)),  // metadata ends in a field
      metadata + "\x12\x05",                      // the object does
  };
  for (const std::string& row : kRows) EXPECT_FALSE(FindRevision(row).has_value()) << row;
}

}  // namespace
}  // namespace tidemark::proto
