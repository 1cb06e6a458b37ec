// MemoryFileEnv is a disk in memory that can fail: the twin of PosixFileEnv().
//
// Fault model. A sync makes a file's contents durable, SyncDirectory its name. Crash() keeps what is durable; of the
// writes since then it keeps an arbitrary part, sector by sector (512 bytes), in any order, as the seed says. Names
// that were not synced may stay or go. What was synced is never touched.
//
// Thread-safety: thread-safe; its files too.
// Ownership:     files and locks share the disk's state and may outlive the MemoryFileEnv.
#ifndef TIDEMARK_STORE_RAFT_MEMORY_FILE_ENV_H_
#define TIDEMARK_STORE_RAFT_MEMORY_FILE_ENV_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/raft/file_env.h"

namespace tidemark::raft {

class MemoryFileEnv : public FileEnv {
 public:
  MemoryFileEnv();
  ~MemoryFileEnv() override;

  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override;
  absl::Status Rename(const std::string& from, const std::string& to) override;
  absl::Status Remove(const std::string& path) override;
  absl::StatusOr<std::vector<std::string>> List(const std::string& directory) override;
  absl::Status CreateDirectory(const std::string& directory) override;
  absl::Status SyncDirectory(const std::string& directory) override;
  absl::StatusOr<std::unique_ptr<DirectoryLock>> LockDirectory(const std::string& directory) override;

  // Power cut and power back. Open files keep pointing at what is lost: close them and open anew. Locks are gone.
  void Crash(uint64_t seed);
  // The sync after `count` more good ones fails, and all that follow.
  void FailSyncsAfter(int count);
  void HealSyncs();
  // Writes beyond so many bytes in all files together are kNoSpace.
  void SetCapacity(uint64_t bytes);

  // For tests that damage a file: durable at once. REQUIRES: the file exists.
  std::string Contents(const std::string& path) const;
  void SetContents(const std::string& path, std::string bytes);
  int sync_count() const;

 private:
  struct Disk;
  class MemoryFile;
  class MemoryLock;

  const std::shared_ptr<Disk> disk_;
};

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_MEMORY_FILE_ENV_H_
