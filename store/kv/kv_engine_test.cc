#include <fcntl.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "base/status.h"
#include "store/kv/full_disk.h"
#include "store/kv/kv_engine_conformance.h"
#include "store/kv/lmdb_engine.h"
#include "store/kv/memory_engine.h"

namespace tidemark::kv {
namespace {

class TempDirectory {
 public:
  TempDirectory() {
    std::string pattern = ::testing::TempDir() + "/kv_engine_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TempDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class LmdbFixture : public EngineFixture {
 public:
  LmdbFixture() { Open(); }
  KvEngine& engine() override { return *engine_; }
  void Crash() override {
    engine_.reset();
    Open();
  }

 private:
  void Open() {
    auto opened = OpenLmdbEngine(directory_.path());
    TM_CHECK_OK(opened.status());
    engine_ = *std::move(opened);
  }

  TempDirectory directory_;
  std::unique_ptr<KvEngine> engine_;
};

class MemoryFixture : public EngineFixture {
 public:
  KvEngine& engine() override { return engine_; }
  void Crash() override { engine_.Restart(); }

 private:
  MemoryEngine engine_;
};

INSTANTIATE_TEST_SUITE_P(Engines, KvEngineConformanceTest,
                         ::testing::Values(EngineKind{"Lmdb", [] { return std::make_unique<LmdbFixture>(); }},
                                           EngineKind{"Memory", [] { return std::make_unique<MemoryFixture>(); }}),
                         [](const auto& info) { return info.param.name; });

WriteBatch OnePut(const std::string& key, const std::string& value) {
  WriteBatch batch;
  batch.Put(Table::kKey, key, MakeBytes(value));
  return batch;
}

TEST(LmdbEngineTest, SecondOpenerIsRefused) {
  const TempDirectory directory;
  const auto first = OpenLmdbEngine(directory.path());
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = OpenLmdbEngine(directory.path());
  EXPECT_EQ(KindOf(second.status()), ErrorKind::kOverloaded) << second.status();
}

TEST(LmdbEngineTest, DamagedFileIsRefused) {
  const TempDirectory directory;
  std::FILE* file = std::fopen((directory.path() + "/data.mdb").c_str(), "w");
  std::fputs(std::string(8192, 'x').c_str(), file);
  std::fclose(file);
  EXPECT_EQ(KindOf(OpenLmdbEngine(directory.path()).status()), ErrorKind::kCorrupt);
}

TEST(LmdbEngineTest, AnotherFormatIsRefused) {
  const TempDirectory directory;
  ASSERT_TRUE(OpenLmdbEngine(directory.path()).ok());
  const std::string path = directory.path() + "/data.mdb";
  std::stringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  std::string bytes = content.str();
  const size_t at = bytes.find("version1");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 7] = '9';
  std::ofstream(path, std::ios::binary) << bytes;
  const absl::Status status = OpenLmdbEngine(directory.path()).status();
  EXPECT_EQ(status.message(), "the data directory has format 9, this program reads format 1");
}

TEST(LmdbEngineTest, MapGrowsBesideReaders) {
  const TempDirectory directory;
  auto engine = OpenLmdbEngine(directory.path(), {.map_bytes_min = 1 << 20});
  ASSERT_TRUE(engine.ok());
  std::thread reader([&] {
    while (!(*engine)->NewSnapshot()->Get(Table::kKey, "last").has_value()) {
    }
  });
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE((*engine)->Commit(OnePut(absl::StrCat("key", i), std::string(1 << 20, 'v'))).ok());
  }
  ASSERT_TRUE((*engine)->Commit(OnePut("last", "1")).ok());
  reader.join();
  EXPECT_EQ((*engine)->NewSnapshot()->Get(Table::kKey, "key19")->size(), size_t{1} << 20);
}

TEST(LmdbEngineTest, ReadsGoOnWhenNotEvenTheMetaPageCanBeWritten) {
  const TempDirectory directory;
  {
    auto engine = OpenLmdbEngine(directory.path());
    ASSERT_TRUE(engine.ok());
    ASSERT_TRUE((*engine)->Commit(OnePut("a", "1")).ok());
    (*engine)->NewSnapshot();  // one to be renewed later
    // LMDB has a descriptor of its own for the meta pages, which syncs each write.
    ASSERT_EQ(FillDiskUnder(directory.path() + "/data.mdb", O_DSYNC), 1);
    std::thread reader([&] {
      for (int i = 0; i < 1000; ++i) EXPECT_EQ((*engine)->NewSnapshot()->Get(Table::kKey, "a"), "1");
    });
    EXPECT_FALSE((*engine)->Commit(OnePut("b", "2")).ok());
    reader.join();
    EXPECT_FALSE((*engine)->Commit(OnePut("c", "3")).ok());
    const auto snapshot = (*engine)->NewSnapshot();
    EXPECT_EQ(snapshot->Get(Table::kKey, "b"), std::nullopt);
    int seen = 0;
    snapshot->Scan(Table::kKey, "", "", [&](absl::string_view, absl::string_view) { return ++seen > 0; });
    EXPECT_EQ(seen, 1);
    EXPECT_EQ((*engine)->Sizes().total_bytes, 0);
  }
  const auto again = OpenLmdbEngine(directory.path());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->NewSnapshot()->Get(Table::kKey, "a"), "1");
}

TEST(MemoryEngineTest, FailedCommitLeavesNothingAndRefusesLaterOnes) {
  MemoryEngine engine;
  ASSERT_TRUE(engine.Commit(OnePut("a", "1")).ok());
  engine.FailNextCommit(/*takes_effect=*/false);
  EXPECT_FALSE(engine.Commit(OnePut("b", "2")).ok());
  EXPECT_FALSE(engine.Commit(OnePut("c", "3")).ok());
  engine.Restart();
  EXPECT_EQ(engine.NewSnapshot()->Get(Table::kKey, "a"), "1");
  EXPECT_EQ(engine.NewSnapshot()->Get(Table::kKey, "b"), std::nullopt);
  EXPECT_TRUE(engine.Commit(OnePut("c", "3")).ok());
}

TEST(MemoryEngineTest, FailedCommitMayTakeEffect) {
  MemoryEngine engine;
  engine.FailNextCommit(/*takes_effect=*/true);
  EXPECT_FALSE(engine.Commit(OnePut("b", "2")).ok());
  engine.Restart();
  EXPECT_EQ(engine.NewSnapshot()->Get(Table::kKey, "b"), "2");
}

}  // namespace
}  // namespace tidemark::kv
