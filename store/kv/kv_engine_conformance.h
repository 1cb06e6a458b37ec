// The suite that defines KvEngine: every implementation passes it. An implementation's test
// instantiates it with a factory.
//
// Thread-safety: each test is confined to the test's thread unless it starts threads of its own.
#ifndef TIDEMARK_STORE_KV_KV_ENGINE_CONFORMANCE_H_
#define TIDEMARK_STORE_KV_KV_ENGINE_CONFORMANCE_H_

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/test_seed.h"
#include "gtest/gtest.h"
#include "store/kv/kv_engine.h"

namespace tidemark::kv {

// One kind of engine under test: opens it, and opens it again as after a crash (what was not committed is gone).
class EngineFixture {
 public:
  virtual ~EngineFixture() = default;
  virtual KvEngine& engine() = 0;
  // REQUIRES: no snapshot is open.
  virtual void Crash() = 0;
};

struct EngineKind {
  std::string name;
  std::function<std::unique_ptr<EngineFixture>()> make;
};

class KvEngineConformanceTest : public ::testing::TestWithParam<EngineKind> {
 protected:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  KvEngineConformanceTest() : fixture_(GetParam().make()) {}

  KvEngine& engine() { return fixture_->engine(); }
  void Crash() { fixture_->Crash(); }

  void PutNow(Table table, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(table, key, MakeBytes(value));
    ASSERT_TRUE(engine().Commit(batch).ok());
  }

  static Entries ScanAll(const KvSnapshot& snapshot, Table table, absl::string_view from = "",
                         absl::string_view to = "") {
    Entries entries;
    snapshot.Scan(table, from, to, [&](absl::string_view key, absl::string_view value) {
      entries.emplace_back(std::string(key), std::string(value));
      return true;
    });
    return entries;
  }

 private:
  const std::unique_ptr<EngineFixture> fixture_;
};

TEST_P(KvEngineConformanceTest, EmptyEngineHasNothing) {
  const auto snapshot = engine().NewSnapshot();
  for (const Table table : kTables) {
    EXPECT_EQ(snapshot->Get(table, "a"), std::nullopt);
    EXPECT_TRUE(ScanAll(*snapshot, table).empty());
  }
}

TEST_P(KvEngineConformanceTest, TablesAreApart) {
  PutNow(Table::kKey, "a", "1");
  PutNow(Table::kMeta, "a", "2");
  const auto snapshot = engine().NewSnapshot();
  EXPECT_EQ(snapshot->Get(Table::kKey, "a"), "1");
  EXPECT_EQ(snapshot->Get(Table::kMeta, "a"), "2");
  EXPECT_EQ(snapshot->Get(Table::kLease, "a"), std::nullopt);
}

TEST_P(KvEngineConformanceTest, LastChangeOfABatchCounts) {
  WriteBatch batch;
  batch.Put(Table::kKey, "kept", MakeBytes("old"));
  batch.Put(Table::kKey, "kept", MakeBytes("new"));
  batch.Put(Table::kKey, "gone", MakeBytes("x"));
  batch.Delete(Table::kKey, "gone");
  batch.Delete(Table::kKey, "never there");
  ASSERT_TRUE(engine().Commit(batch).ok());
  const auto snapshot = engine().NewSnapshot();
  EXPECT_EQ(ScanAll(*snapshot, Table::kKey), (Entries{{"kept", "new"}}));
}

TEST_P(KvEngineConformanceTest, KeysAndValuesAreBinaryAndMayBeLarge) {
  const std::string key("\0\xff_\0", 4);
  const std::string longest(kKeyBytesMax, '\xfe');
  const std::string large(3 << 20, 'v');
  PutNow(Table::kKey, key, std::string("\0", 1));
  PutNow(Table::kKey, longest, large);
  PutNow(Table::kKey, "empty", "");
  const auto snapshot = engine().NewSnapshot();
  EXPECT_EQ(snapshot->Get(Table::kKey, key), absl::string_view("\0", 1));
  EXPECT_EQ(snapshot->Get(Table::kKey, longest), large);
  EXPECT_EQ(snapshot->Get(Table::kKey, "empty"), "");
}

TEST_P(KvEngineConformanceTest, ScanHonoursBoundsAndStop) {
  for (const char* key : {"b", "a", "d", "c"}) PutNow(Table::kKey, key, absl::StrCat("v", key));
  const auto snapshot = engine().NewSnapshot();
  EXPECT_EQ(ScanAll(*snapshot, Table::kKey), (Entries{{"a", "va"}, {"b", "vb"}, {"c", "vc"}, {"d", "vd"}}));
  EXPECT_EQ(ScanAll(*snapshot, Table::kKey, "b", "d"), (Entries{{"b", "vb"}, {"c", "vc"}}));
  EXPECT_EQ(ScanAll(*snapshot, Table::kKey, "bb"), (Entries{{"c", "vc"}, {"d", "vd"}}));
  EXPECT_TRUE(ScanAll(*snapshot, Table::kKey, "e").empty());
  int visited = 0;
  snapshot->Scan(Table::kKey, "", "", [&](absl::string_view, absl::string_view) { return ++visited < 2; });
  EXPECT_EQ(visited, 2);
}

TEST_P(KvEngineConformanceTest, SnapshotSeesOneMomentOnly) {
  PutNow(Table::kKey, "a", "1");
  auto before = engine().NewSnapshot();
  PutNow(Table::kKey, "a", "2");
  PutNow(Table::kKey, "b", "2");
  EXPECT_EQ(ScanAll(*before, Table::kKey), (Entries{{"a", "1"}}));
  before.reset();
  EXPECT_EQ(engine().NewSnapshot()->Get(Table::kKey, "a"), "2");
}

TEST_P(KvEngineConformanceTest, CommittedSurvivesACrash) {
  PutNow(Table::kKey, "a", "1");
  PutNow(Table::kLease, "l", "2");
  Crash();
  const auto snapshot = engine().NewSnapshot();
  EXPECT_EQ(snapshot->Get(Table::kKey, "a"), "1");
  EXPECT_EQ(snapshot->Get(Table::kLease, "l"), "2");
}

TEST_P(KvEngineConformanceTest, SizesGrowWithData) {
  const SizeFigures before = engine().Sizes();
  for (int i = 0; i < 64; ++i) PutNow(Table::kKey, absl::StrCat("k", i), std::string(10'000, 'x'));
  const SizeFigures after = engine().Sizes();
  EXPECT_GE(after.total_bytes, before.total_bytes + 640'000);
  EXPECT_GE(after.in_use_bytes, before.in_use_bytes + 640'000);
  EXPECT_LE(after.in_use_bytes, after.total_bytes);
}

TEST_P(KvEngineConformanceTest, RandomBatchesMatchAMap) {
  const uint32_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  std::mt19937 random(seed);
  std::map<std::string, std::string> model;
  for (int round = 0; round < 60; ++round) {
    WriteBatch batch;
    for (int i = 0; i < 40; ++i) {
      const std::string key = absl::StrCat("key", random() % 300);
      if (random() % 3 == 0) {
        batch.Delete(Table::kKey, key);
        model.erase(key);
      } else {
        const std::string value(random() % 5000, static_cast<char>('a' + random() % 26));
        batch.Put(Table::kKey, key, MakeBytes(value));
        model[key] = value;
      }
    }
    ASSERT_TRUE(engine().Commit(batch).ok());
    if (random() % 10 == 0) Crash();
    ASSERT_EQ(ScanAll(*engine().NewSnapshot(), Table::kKey), Entries(model.begin(), model.end()));
  }
}

TEST_P(KvEngineConformanceTest, ReadersBesideAWriterSeeWholeBatches) {
  constexpr int kBatches = 200;
  std::thread writer([&] {
    for (int i = 1; i <= kBatches; ++i) {
      WriteBatch batch;
      batch.Put(Table::kKey, "left", MakeBytes(absl::StrCat(i)));
      batch.Put(Table::kMeta, "right", MakeBytes(absl::StrCat(i)));
      ASSERT_TRUE(engine().Commit(batch).ok());
    }
  });
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      std::string newest;
      while (newest != absl::StrCat(kBatches)) {
        const auto snapshot = engine().NewSnapshot();
        ASSERT_EQ(snapshot->Get(Table::kKey, "left"), snapshot->Get(Table::kMeta, "right"));
        newest = std::string(snapshot->Get(Table::kKey, "left").value_or(""));
      }
    });
  }
  writer.join();
  for (std::thread& reader : readers) reader.join();
}

}  // namespace tidemark::kv

#endif  // TIDEMARK_STORE_KV_KV_ENGINE_CONFORMANCE_H_
