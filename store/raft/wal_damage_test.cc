// What a write-ahead log does with damage: an error, or a prefix of what was written.
#include <algorithm>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "gtest/gtest.h"
#include "store/raft/wal_fixture.h"
#include "store/raft/wal_format.h"

namespace tidemark::raft {
namespace {

// A small log of several segments, and what is in it.
class WalDamageTest : public WalTest {
 protected:
  void SetUp() override {
    segment_bytes_ = 512;
    auto wal = OpenOrDie();
    for (int i = 0; i < 14; ++i) {
      std::vector<std::vector<std::string>> entries = {{absl::StrCat("op", i), std::string(i * 5, 'x')}};
      if (i % 3 == 0) entries.push_back({absl::StrCat("second", i)});
      ASSERT_TRUE(Append(wal.get(), entries).ok());
    }
    all_ = Operations(wal.get());
    wal.reset();
    names_ = *disk_->List(kDirectory);
    ASSERT_GE(names_.size(), 3u);
  }

  // A copy of the log with one file replaced.
  std::unique_ptr<MemoryFileEnv> CopyWith(const std::string& name, const std::string& contents) {
    auto copy = std::make_unique<MemoryFileEnv>();
    EXPECT_TRUE(copy->CreateDirectory(kDirectory).ok());
    for (const std::string& other : names_) {
      const std::string path = absl::StrCat(kDirectory, "/", other);
      copy->SetContents(path, other == name ? contents : disk_->Contents(path));
    }
    return copy;
  }

  // Whether the damaged log opens; if it does, with a prefix of what was written, and it can be
  // written to and read again.
  bool OpensWithPrefix(MemoryFileEnv* env, const std::string& what) {
    auto wal = TryOpen(env);
    if (!wal.ok()) {
      EXPECT_EQ(KindOf(wal.status()), ErrorKind::kCorrupt) << what << ": " << wal.status();
      return false;
    }
    std::vector<std::string> seen = Operations(wal->get());
    kept_ = seen.size();
    EXPECT_LE(kept_, all_.size()) << what;
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(), all_.begin())) << what;
    if ((*wal)->term() == 0) {
      EXPECT_TRUE((*wal)->RaiseTerm(1).ok());
    }
    EXPECT_TRUE(Append(wal->get(), {{"more"}}).ok()) << what;
    seen.push_back(absl::StrCat((*wal)->last().value(), ":more"));
    wal->reset();
    wal = TryOpen(env);
    EXPECT_TRUE(wal.ok()) << what << ": " << wal.status();
    if (wal.ok()) {
      EXPECT_EQ(Operations(wal->get()), seen) << what;
    }
    return true;
  }

  // Damage that only the last segment may hide costs nothing of the others.
  void DamageIsAnErrorOrKeepsWhatItMust(const std::string& name, const std::string& contents, const std::string& what) {
    const bool opens = OpensWithPrefix(CopyWith(name, contents).get(), what);
    if (opens && name != names_.back()) {
      EXPECT_EQ(kept_, all_.size()) << what;
    }
  }

  std::vector<std::string> all_;
  size_t kept_ = 0;  // operations that the last log that opened had
  std::vector<std::string> names_;
};

TEST_F(WalDamageTest, EveryTruncationOfTheLastSegmentKeepsAPrefix) {
  const std::string whole = disk_->Contents(absl::StrCat(kDirectory, "/", names_.back()));
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto env = CopyWith(names_.back(), whole.substr(0, length));
    // Its head was synced before it got its name: without one it is damage.
    EXPECT_EQ(OpensWithPrefix(env.get(), absl::StrCat("length ", length)), length >= kWalHeadBytes) << length;
  }
}

TEST_F(WalDamageTest, EveryTruncationOfAnEarlierSegmentIsAnError) {
  const std::string whole = disk_->Contents(absl::StrCat(kDirectory, "/", names_[1]));
  const size_t end = whole.find_last_not_of('\0') + 1;
  for (size_t length = 0; length < end; ++length) {
    const auto env = CopyWith(names_[1], whole.substr(0, length));
    EXPECT_FALSE(OpensWithPrefix(env.get(), absl::StrCat("length ", length))) << length;
  }
}

TEST_F(WalDamageTest, EveryFlippedByteIsAnErrorOrKeepsAPrefix) {
  for (const std::string& name : names_) {
    const std::string whole = disk_->Contents(absl::StrCat(kDirectory, "/", name));
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x41);
      DamageIsAnErrorOrKeepsWhatItMust(name, flipped, absl::StrCat(name, " at ", at));
    }
  }
}

TEST_F(WalDamageTest, DamageBeforeALaterWriteIsAnErrorEvenInTheLastSegment) {
  const std::string name = names_.back();
  std::string contents = disk_->Contents(absl::StrCat(kDirectory, "/", name));
  const uint64_t sequence = names_.size();
  WalRecord record;
  size_t second = 0;
  ASSERT_EQ(ParseWalRecord(contents, sequence, 0, &record, &second), WalParse::kRecord);
  size_t third = 0;
  ASSERT_EQ(ParseWalRecord(contents, sequence, second, &record, &third), WalParse::kRecord);
  size_t end = 0;
  ASSERT_EQ(ParseWalRecord(contents, sequence, third, &record, &end), WalParse::kRecord)
      << "the last segment is too short for the test";
  contents[second + kWalHeaderBytes] ^= 1;
  EXPECT_FALSE(OpensWithPrefix(CopyWith(name, contents).get(), "damaged"));
}

TEST_F(WalDamageTest, RandomBytesAreAnErrorOrKeepAPrefix) {
  std::mt19937_64 random(Seed());
  for (int round = 0; round < 2000; ++round) {
    const std::string& name = names_[random() % names_.size()];
    std::string contents = disk_->Contents(absl::StrCat(kDirectory, "/", name));
    for (int change = 1 + static_cast<int>(random() % 8); change > 0; --change) {
      contents[random() % contents.size()] = static_cast<char>(random());
    }
    DamageIsAnErrorOrKeepsWhatItMust(name, contents, absl::StrCat("TIDEMARK_SEED=", Seed(), " round ", round));
  }
}

}  // namespace
}  // namespace tidemark::raft
