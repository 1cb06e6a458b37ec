#include "store/kv/write_buffer.h"

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "store/kv/memory_engine.h"

namespace tidemark::kv {
namespace {

using Model = std::map<std::string, std::string>;

Model ScanAll(const WriteBuffer& buffer) {
  Model entries;
  buffer.Scan(Table::kKey, "", "", [&](absl::string_view key, absl::string_view value) {
    EXPECT_TRUE(entries.empty() || entries.rbegin()->first < key);
    entries.emplace(std::string(key), std::string(value));
    return true;
  });
  return entries;
}

std::string GetOr(const WriteBuffer& buffer, absl::string_view key, const std::string& otherwise) {
  const Bytes value = buffer.Get(Table::kKey, key);
  return value == nullptr ? otherwise : *value;
}

TEST(WriteBufferTest, UncommittedIsReadableAndLostInACrash) {
  MemoryEngine engine;
  {
    WriteBuffer buffer(&engine);
    buffer.BeginEntry();
    buffer.Put(Table::kKey, "a", MakeBytes("1"));
    buffer.EndEntry();
    ASSERT_TRUE(buffer.Commit().ok());
    buffer.Put(Table::kKey, "b", MakeBytes("2"));
    buffer.Delete(Table::kKey, "a");
    EXPECT_EQ(GetOr(buffer, "a", "none"), "none");
    EXPECT_EQ(GetOr(buffer, "b", "none"), "2");
    EXPECT_EQ(ScanAll(buffer), (Model{{"b", "2"}}));
  }
  WriteBuffer restarted(&engine);
  EXPECT_EQ(ScanAll(restarted), (Model{{"a", "1"}}));
}

TEST(WriteBufferTest, CommitWaitsForTheEndOfAnEntry) {
  MemoryEngine engine;
  WriteBuffer buffer(&engine);
  buffer.BeginEntry();
  buffer.Put(Table::kKey, "a", MakeBytes("1"));
  std::atomic<bool> ended = false;
  std::thread committer([&] {
    ASSERT_TRUE(buffer.Commit().ok());
    EXPECT_TRUE(ended);
  });
  buffer.Put(Table::kKey, "b", MakeBytes("2"));
  ended = true;
  buffer.EndEntry();
  committer.join();
  EXPECT_EQ(engine.commits(), 1);
  EXPECT_EQ(engine.NewSnapshot()->Get(Table::kKey, "b"), "2");
}

TEST(WriteBufferTest, FailedCommitStaysReadableAndIsFinal) {
  MemoryEngine engine;
  WriteBuffer buffer(&engine);
  buffer.Put(Table::kKey, "a", MakeBytes("1"));
  engine.FailNextCommit(/*takes_effect=*/false);
  const absl::Status failed = buffer.Commit();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(GetOr(buffer, "a", "none"), "1");
  buffer.Put(Table::kKey, "b", MakeBytes("2"));
  EXPECT_EQ(buffer.Commit(), failed);
  EXPECT_EQ(buffer.status(), failed);
  EXPECT_EQ(ScanAll(buffer), (Model{{"a", "1"}, {"b", "2"}}));
}

TEST(WriteBufferTest, CommitIsDueByNumberAndByBytes) {
  MemoryEngine engine;
  WriteBuffer buffer(&engine);
  for (size_t i = 0; i < kCommitOpsMax; ++i) {
    ASSERT_FALSE(buffer.CommitDue());
    buffer.Put(Table::kKey, "a", MakeBytes("1"));
  }
  EXPECT_TRUE(buffer.CommitDue());
  ASSERT_TRUE(buffer.Commit().ok());
  EXPECT_FALSE(buffer.CommitDue());
  buffer.Put(Table::kKey, "a", MakeBytes(std::string(kCommitBytesMax, 'x')));
  EXPECT_TRUE(buffer.CommitDue());
}

TEST(WriteBufferTest, RandomChangesMatchAMap) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  MemoryEngine engine;
  WriteBuffer buffer(&engine);
  Model model;
  for (int step = 0; step < 6000; ++step) {
    const std::string key = absl::StrFormat("key%05d", random() % 3000);
    if (random() % 4 == 0) {
      buffer.Delete(Table::kKey, key);
      model.erase(key);
    } else {
      buffer.Put(Table::kKey, key, MakeBytes(absl::StrCat(step)));
      model[key] = absl::StrCat(step);
    }
    if (random() % 100 == 0) {
      ASSERT_TRUE(buffer.Commit().ok());
    }
    if (random() % 300 == 0) {
      ASSERT_EQ(ScanAll(buffer), model);
    }
    const std::string other = absl::StrFormat("key%05d", random() % 3000);
    const auto expected = model.find(other);
    ASSERT_EQ(GetOr(buffer, other, "none"), expected == model.end() ? "none" : expected->second);
  }
}

TEST(WriteBufferTest, ReadersBesideCommitsMissNothing) {
  MemoryEngine engine;
  WriteBuffer buffer(&engine);
  constexpr int kKeys = 3000;
  std::atomic<int> written = 0;
  std::thread writer([&] {
    for (int i = 0; i < kKeys; ++i) {
      buffer.Put(Table::kKey, absl::StrFormat("%06d", i), MakeBytes("v"));
      written = i + 1;
    }
  });
  std::thread committer([&] {
    while (written < kKeys) ASSERT_TRUE(buffer.Commit().ok());
  });
  while (written < kKeys) {
    const int floor = written;
    if (floor > 0) {
      ASSERT_EQ(GetOr(buffer, absl::StrFormat("%06d", floor - 1), "none"), "v");
    }
    ASSERT_GE(ScanAll(buffer).size(), static_cast<size_t>(floor));
    std::vector<std::string> keys;
    for (int i = 0; i < floor; ++i) keys.push_back(absl::StrFormat("%06d", i));
    const std::vector<absl::string_view> views(keys.begin(), keys.end());
    buffer.GetMany(Table::kKey, views, [](size_t, std::optional<absl::string_view> value) {
      EXPECT_TRUE(value.has_value());
      return value.has_value();
    });
  }
  writer.join();
  committer.join();
}

}  // namespace
}  // namespace tidemark::kv
