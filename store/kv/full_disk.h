// FillDiskUnder makes writes to a file that this process has open fail as on a full disk. For tests.
//
// Thread-safety: not beside whoever opens or closes files.
#ifndef TIDEMARK_STORE_KV_FULL_DISK_H_
#define TIDEMARK_STORE_KV_FULL_DISK_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace tidemark::kv {

// From here on writes through the descriptors of the file whose flags have all of `flags` fail; returns how many there are.
inline int FillDiskUnder(const std::string& path, int flags = 0) {
  const std::filesystem::path wanted = std::filesystem::canonical(path);
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  EXPECT_GE(full, 0);
  int replaced = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the directory's own descriptor, say
    if (std::filesystem::read_symlink(entry.path(), gone) != wanted) continue;
    const int file = std::stoi(entry.path().filename().string());
    if ((fcntl(file, F_GETFL) & flags) != flags) continue;
    EXPECT_GE(dup2(full, file), 0);
    ++replaced;
  }
  close(full);
  return replaced;
}

}  // namespace tidemark::kv

#endif  // TIDEMARK_STORE_KV_FULL_DISK_H_
