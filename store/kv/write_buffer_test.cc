#include "store/kv/write_buffer.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/test_seed.h"
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

// An engine that tells what its scans visit, and lets the test do something while one runs.
class WatchedEngine : public KvEngine {
 public:
  absl::Status Commit(const WriteBatch& batch) override { return engine_.Commit(batch); }
  std::unique_ptr<KvSnapshot> NewSnapshot() override {
    return std::make_unique<WatchedSnapshot>(this, engine_.NewSnapshot());
  }
  SizeFigures Sizes() override { return engine_.Sizes(); }

  int scans = 0;
  size_t bytes_of_a_scan_max = 0;
  std::function<void()> during_scan = [] {};

 private:
  class WatchedSnapshot : public KvSnapshot {
   public:
    WatchedSnapshot(WatchedEngine* engine, std::unique_ptr<KvSnapshot> snapshot)
        : engine_(engine), snapshot_(std::move(snapshot)) {}
    std::optional<absl::string_view> Get(Table table, absl::string_view key) const override {
      return snapshot_->Get(table, key);
    }
    void Scan(Table table, absl::string_view from, absl::string_view to, Visitor visit) const override {
      ++engine_->scans;
      engine_->during_scan();
      size_t bytes = 0;
      snapshot_->Scan(table, from, to, [&](absl::string_view key, absl::string_view value) {
        bytes += key.size() + value.size();
        return visit(key, value);
      });
      engine_->bytes_of_a_scan_max = std::max(engine_->bytes_of_a_scan_max, bytes);
    }

   private:
    WatchedEngine* const engine_;
    const std::unique_ptr<KvSnapshot> snapshot_;
  };

  MemoryEngine engine_;
};

TEST(WriteBufferTest, StepsOfAScanAreBoundedByBytes) {
  WatchedEngine engine;
  WriteBuffer buffer(&engine);
  Model model;
  constexpr size_t kValueBytes = kScanStepBytesMax / 8;
  for (int i = 0; i < 100; ++i) {
    const std::string key = absl::StrFormat("%03d", i);
    model[key] = std::string(kValueBytes, static_cast<char>('a' + i % 26));
    buffer.Put(Table::kKey, key, MakeBytes(model[key]));
    // Half of them wait, in between the others.
    if (i == 60) {
      ASSERT_TRUE(buffer.Commit().ok());
    }
    if (i > 60) {
      const std::string gap = absl::StrFormat("%03dx", i - 60);
      buffer.Put(Table::kKey, gap, MakeBytes(model[gap] = model[key]));
      buffer.Delete(Table::kKey, absl::StrFormat("%03d", i - 61));
      model.erase(absl::StrFormat("%03d", i - 61));
    }
  }
  EXPECT_EQ(ScanAll(buffer), model);
  EXPECT_LE(engine.bytes_of_a_scan_max, kScanStepBytesMax + kValueBytes);
}

TEST(WriteBufferTest, ScanGetsOnHoweverOftenIsCommitted) {
  WatchedEngine engine;
  WriteBuffer buffer(&engine);
  for (const char* key : {"a", "b", "c"}) buffer.Put(Table::kKey, key, MakeBytes("1"));
  ASSERT_TRUE(buffer.Commit().ok());
  buffer.Put(Table::kKey, "d", MakeBytes("1"));
  engine.during_scan = [&] {
    if (engine.scans > 50) return;
    buffer.Put(Table::kMeta, "other", MakeBytes("1"));
    EXPECT_TRUE(buffer.Commit().ok());
  };
  // What was written before is there, though it was committed behind the snapshot.
  EXPECT_EQ(ScanAll(buffer), (Model{{"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}}));
  EXPECT_EQ(engine.scans, 1);
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
  const uint32_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
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
