// FileEnv is the file system as the write-ahead log needs it: whole directories, and files written
// at an offset and synced.
//
// PosixFileEnv() is the machine's; MemoryFileEnv (memory_file_env.h) is the twin that can lose what was not synced,
// tear writes, fail syncs and fill up. Both pass file_env_test.cc.
//
// Thread-safety: FileEnv is thread-safe; a File is thread-compatible.
// Units:         offsets and sizes in bytes.
// Errors:        the operation, the path and the system's words for it; a full disk is kNoSpace.
// Cost:          one system call each, Sync as long as the disk takes.
#ifndef TIDEMARK_STORE_RAFT_FILE_ENV_H_
#define TIDEMARK_STORE_RAFT_FILE_ENV_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::raft {

class File {
 public:
  virtual ~File() = default;
  // All of the bytes or an error; after an error any part of them may have been written. Extends the file if need be.
  virtual absl::Status WriteAt(uint64_t offset, absl::string_view bytes) = 0;
  virtual absl::StatusOr<std::string> ReadAll() = 0;
  virtual absl::StatusOr<uint64_t> Size() = 0;
  // What was written before, and the file's size, survive a power cut once this returns OK.
  virtual absl::Status Sync() = 0;
};

// Held by one process at a time; released by the destructor and by the end of the process.
class DirectoryLock {
 public:
  virtual ~DirectoryLock() = default;
};

class FileEnv {
 public:
  enum class OpenMode { kExisting, kCreate };  // kCreate empties a file that exists

  virtual ~FileEnv() = default;
  virtual absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) = 0;
  // Atomic; replaces `to`. Survives a power cut after SyncDirectory.
  virtual absl::Status Rename(const std::string& from, const std::string& to) = 0;
  virtual absl::Status Remove(const std::string& path) = 0;
  // Names without the directory, sorted.
  virtual absl::StatusOr<std::vector<std::string>> List(const std::string& directory) = 0;
  // With its parents; fine when it exists. Readable by its owner only.
  virtual absl::Status CreateDirectory(const std::string& directory) = 0;
  virtual absl::Status SyncDirectory(const std::string& directory) = 0;
  // kUnavailable when another process, or another lock of this one, holds it.
  virtual absl::StatusOr<std::unique_ptr<DirectoryLock>> LockDirectory(const std::string& directory) = 0;
};

// Lives as long as the process.
FileEnv& PosixFileEnv();

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_FILE_ENV_H_
