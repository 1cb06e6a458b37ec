#include "store/raft/entry_codec.h"

#include "absl/strings/escaping.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::raft {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EntryCodecTest, WorkedExample) {
  std::string entry;
  AppendOperation("a", &entry);
  AppendOperation("", &entry);
  EXPECT_EQ(absl::BytesToHexString(entry),
            "01000000"
            "61"
            "00000000");
  const auto operations = SplitEntry(entry);
  ASSERT_TRUE(operations.ok());
  EXPECT_THAT(*operations, ElementsAre("a", ""));
}

TEST(EntryCodecTest, EmptyEntryHasNoOperations) { EXPECT_THAT(*SplitEntry(""), IsEmpty()); }

TEST(EntryCodecTest, EveryTruncationIsCorruptOrAPrefix) {
  std::string entry;
  AppendOperation("abc", &entry);
  AppendOperation("de", &entry);
  for (size_t length = 0; length < entry.size(); ++length) {
    const auto operations = SplitEntry(absl::string_view(entry).substr(0, length));
    if (length == 0 || length == 7) {
      EXPECT_TRUE(operations.ok()) << length;
    } else {
      EXPECT_EQ(KindOf(operations.status()), ErrorKind::kCorrupt) << length;
    }
  }
}

}  // namespace
}  // namespace tidemark::raft
