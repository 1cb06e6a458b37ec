#include "store/raft/wal_format.h"

#include <string>

#include "absl/strings/escaping.h"
#include "base/status.h"
#include "gtest/gtest.h"

namespace tidemark::raft {
namespace {

constexpr uint64_t kSequence = 9;

WalRecord Entry(uint64_t index, Term term, uint32_t write, bool ends_write, absl::string_view payload) {
  return {WalRecordType::kEntry, ends_write, write, /*count=*/1, LogIndex(index), term, payload};
}

TEST(WalFormatTest, WorkedExample) {
  std::string bytes;
  AppendWalRecord(Entry(7, 3, 5, true, "hi"), kSequence, &bytes);
  EXPECT_EQ(absl::BytesToHexString(bytes),
            "02000000"
            "35889897"
            "0700000000000000"
            "0300000000000000"
            "05000000"
            "02"
            "01"
            "0100"
            "6869"
            "000000000000");
}

TEST(WalFormatTest, RecordComesBack) {
  std::string bytes;
  AppendWalRecord(Entry(7, 3, 5, true, "hi"), kSequence, &bytes);
  AppendWalRecord(Entry(8, 4, 6, false, ""), kSequence, &bytes);
  WalRecord record;
  size_t next = 0;
  ASSERT_EQ(ParseWalRecord(bytes, kSequence, 0, &record, &next), WalParse::kRecord);
  EXPECT_EQ(record.index, LogIndex(7));
  EXPECT_EQ(record.term, 3u);
  EXPECT_EQ(record.count, 1);
  EXPECT_EQ(record.write, 5u);
  EXPECT_TRUE(record.ends_write);
  EXPECT_EQ(record.payload, "hi");
  ASSERT_EQ(ParseWalRecord(bytes, kSequence, next, &record, &next), WalParse::kRecord);
  EXPECT_EQ(record.index, LogIndex(8));
  EXPECT_FALSE(record.ends_write);
  EXPECT_EQ(ParseWalRecord(bytes, kSequence, next, &record, &next), WalParse::kZeros);
  EXPECT_EQ(ParseWalRecord(bytes + std::string(100, '\0'), kSequence, bytes.size(), &record, &next), WalParse::kZeros);
}

TEST(WalFormatTest, RecordOfAnotherSegmentIsBad) {
  std::string bytes;
  AppendWalRecord(Entry(7, 3, 5, true, "hi"), kSequence, &bytes);
  WalRecord record;
  size_t next = 0;
  EXPECT_EQ(ParseWalRecord(bytes, kSequence + 1, 0, &record, &next), WalParse::kBad);
}

TEST(WalFormatTest, EveryFlippedBitIsBad) {
  std::string bytes;
  AppendWalRecord(Entry(7, 3, 5, true, "payload8"), kSequence, &bytes);  // no pad: every byte counts
  WalRecord record;
  size_t next = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(ParseWalRecord(flipped, kSequence, 0, &record, &next), WalParse::kBad) << bit;
  }
}

TEST(WalFormatTest, MetadataComesBackAndOthersAreRefused) {
  const std::string bytes = EncodeWalMetadata({0x1122334455667788, 42});
  ASSERT_EQ(bytes.size(), kWalMetadataBytes);
  const auto identity = DecodeWalMetadata(bytes);
  ASSERT_TRUE(identity.ok()) << identity.status();
  EXPECT_EQ(identity->cluster_id, 0x1122334455667788u);
  EXPECT_EQ(identity->member_id, 42u);
  std::string newer = bytes;
  newer[4] = 2;
  EXPECT_EQ(KindOf(DecodeWalMetadata(newer).status()), ErrorKind::kCorrupt);
  EXPECT_EQ(KindOf(DecodeWalMetadata("short").status()), ErrorKind::kCorrupt);
}

struct DamageCase {
  const char* name;
  bool before_ends_write;
  uint32_t later_write;  // that of the readable record behind the bad one
  bool damage;
};

TEST(WalFormatTest, LaterWriteProvesDamage) {
  const DamageCase cases[] = {
      {"same write, torn in the middle", false, 5, false},
      {"next write behind a torn one", false, 6, true},
      {"first of the next write torn, its second there", true, 6, false},
      {"a write after the torn one", true, 7, true},
      {"wrapped number", false, 0, true},
  };
  for (const DamageCase& row : cases) {
    const uint32_t write = row.later_write == 0 ? UINT32_MAX : 5;
    const WalRecord before = Entry(1, 1, write, row.before_ends_write, "");
    std::string bytes(48, '\x55');
    AppendWalRecord(Entry(3, 1, row.later_write, true, "later"), kSequence, &bytes);
    EXPECT_EQ(ProvesDamage(bytes, kSequence, 0, before), row.damage) << row.name;
  }
}

}  // namespace
}  // namespace tidemark::raft
