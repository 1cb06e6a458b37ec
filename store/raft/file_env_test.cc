#include "store/raft/file_env.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "store/raft/memory_file_env.h"

namespace tidemark::raft {
namespace {

using ::testing::ElementsAre;

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_((std::filesystem::temp_directory_path() / "tidemark-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What both file systems do alike; the parameter tells whether it is the one in memory.
class FileEnvTest : public ::testing::TestWithParam<bool> {
 protected:
  FileEnv& env() { return GetParam() ? static_cast<FileEnv&>(memory_) : PosixFileEnv(); }

  TemporaryDirectory temporary_;
  MemoryFileEnv memory_;
  const std::string directory_ = temporary_.path() + "/a/b";
};

TEST_P(FileEnvTest, WritesAtOffsetsExtendAndComeBack) {
  ASSERT_TRUE(env().CreateDirectory(directory_).ok());
  ASSERT_TRUE(env().CreateDirectory(directory_).ok());
  {
    auto file = env().Open(directory_ + "/f", FileEnv::OpenMode::kCreate);
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE((*file)->WriteAt(3, "def").ok());
    ASSERT_TRUE((*file)->WriteAt(0, "abc").ok());
    ASSERT_TRUE((*file)->Sync().ok());
  }
  auto file = env().Open(directory_ + "/f", FileEnv::OpenMode::kExisting);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*(*file)->ReadAll(), "abcdef");
  EXPECT_EQ(*(*env().Open(directory_ + "/f", FileEnv::OpenMode::kCreate))->ReadAll(), "");
}

TEST_P(FileEnvTest, RenameReplacesAndRemoveRemoves) {
  ASSERT_TRUE(env().CreateDirectory(directory_).ok());
  for (const char* name : {"/x", "/y"}) {
    ASSERT_TRUE((*env().Open(directory_ + name, FileEnv::OpenMode::kCreate))->WriteAt(0, name).ok());
  }
  EXPECT_THAT(*env().List(directory_), ElementsAre("x", "y"));
  ASSERT_TRUE(env().Rename(directory_ + "/x", directory_ + "/y").ok());
  ASSERT_TRUE(env().SyncDirectory(directory_).ok());
  EXPECT_THAT(*env().List(directory_), ElementsAre("y"));
  EXPECT_EQ(*(*env().Open(directory_ + "/y", FileEnv::OpenMode::kExisting))->ReadAll(), "/x");
  ASSERT_TRUE(env().Remove(directory_ + "/y").ok());
  EXPECT_EQ(env().Remove(directory_ + "/y").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(env().Open(directory_ + "/y", FileEnv::OpenMode::kExisting).status().code(), absl::StatusCode::kNotFound);
}

TEST_P(FileEnvTest, DirectoryIsLockedOnceAtATime) {
  ASSERT_TRUE(env().CreateDirectory(directory_).ok());
  auto lock = env().LockDirectory(directory_);
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_EQ(env().LockDirectory(directory_).status().code(), absl::StatusCode::kUnavailable);
  lock->reset();
  EXPECT_TRUE(env().LockDirectory(directory_).ok());
}

TEST_P(FileEnvTest, MissingDirectoryIsNotFound) {
  EXPECT_EQ(env().List(directory_).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(env().Open(directory_ + "/f", FileEnv::OpenMode::kCreate).status().code(), absl::StatusCode::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(Both, FileEnvTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Memory" : "Posix"; });

TEST(MemoryFileEnvTest, CrashKeepsWhatIsSyncedAndMayTearTheRest) {
  bool lost = false;
  bool kept = false;
  bool torn = false;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    MemoryFileEnv env;
    ASSERT_TRUE(env.CreateDirectory("/d").ok());
    auto file = env.Open("/d/f", FileEnv::OpenMode::kCreate);
    ASSERT_TRUE((*file)->WriteAt(0, std::string(512, 'a')).ok());
    ASSERT_TRUE((*file)->Sync().ok() && env.SyncDirectory("/d").ok());
    ASSERT_TRUE((*file)->WriteAt(512, std::string(1024, 'b')).ok());
    env.Crash(seed);
    const std::string contents = env.Contents("/d/f");
    ASSERT_EQ(contents.substr(0, 512), std::string(512, 'a'));
    const size_t written = std::count(contents.begin(), contents.end(), 'b');
    lost |= written == 0;
    kept |= written == 1024;
    torn |= written == 512;
  }
  EXPECT_TRUE(lost && kept && torn);
}

}  // namespace
}  // namespace tidemark::raft
