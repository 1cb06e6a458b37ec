#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "store/raft/file_env.h"

namespace tidemark::raft {
namespace {

constexpr char kLockName[] = "LOCK";

absl::Status SystemError(absl::string_view operation, absl::string_view path, int error) {
  const std::string message = absl::StrCat(operation, " ", path, ": ", strerror(error));
  if (error == ENOSPC || error == EDQUOT) return MakeError(ErrorKind::kNoSpace, message);
  if (error == ENOENT) return absl::NotFoundError(message);
  return absl::InternalError(message);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  const int fd_;
};

class PosixFile : public File {
 public:
  PosixFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  absl::Status WriteAt(uint64_t offset, absl::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return SystemError("write", path_, errno);
      offset += static_cast<uint64_t>(count);
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> Size() override {
    struct stat info {};
    if (fstat(fd_.get(), &info) != 0) return SystemError("stat", path_, errno);
    return static_cast<uint64_t>(info.st_size);
  }

  absl::StatusOr<std::string> ReadAll() override {
    TM_ASSIGN_OR_RETURN(const uint64_t size, Size());
    std::string bytes(size, '\0');
    size_t at = 0;
    while (at < bytes.size()) {
      const ssize_t count = pread(fd_.get(), &bytes[at], bytes.size() - at, static_cast<off_t>(at));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return SystemError("read", path_, errno);
      if (count == 0) break;
      at += static_cast<size_t>(count);
    }
    bytes.resize(at);
    return bytes;
  }

  absl::Status Sync() override {
    if (fdatasync(fd_.get()) != 0) return SystemError("sync", path_, errno);
    return absl::OkStatus();
  }

 private:
  const Descriptor fd_;
  const std::string path_;
};

// flock belongs to the open file: a second lock of the same process is refused too.
class PosixDirectoryLock : public DirectoryLock {
 public:
  explicit PosixDirectoryLock(int fd) : fd_(fd) {}

 private:
  const Descriptor fd_;
};

class PosixEnv : public FileEnv {
 public:
  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override {
    const int flags = O_RDWR | O_CLOEXEC | (mode == OpenMode::kCreate ? O_CREAT | O_TRUNC : 0);
    const int fd = open(path.c_str(), flags, 0600);
    if (fd < 0) return SystemError("open", path, errno);
    return std::make_unique<PosixFile>(fd, path);
  }

  absl::Status Rename(const std::string& from, const std::string& to) override {
    if (rename(from.c_str(), to.c_str()) != 0) return SystemError("rename", from, errno);
    return absl::OkStatus();
  }

  absl::Status Remove(const std::string& path) override {
    if (unlink(path.c_str()) != 0) return SystemError("remove", path, errno);
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> List(const std::string& directory) override {
    DIR* const stream = opendir(directory.c_str());
    if (stream == nullptr) return SystemError("list", directory, errno);
    std::vector<std::string> names;
    while (const dirent* entry = readdir(stream)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    closedir(stream);
    std::sort(names.begin(), names.end());
    return names;
  }

  absl::Status CreateDirectory(const std::string& directory) override {
    for (size_t slash = directory.find('/', 1);; slash = directory.find('/', slash + 1)) {
      const std::string part = directory.substr(0, slash);
      if (mkdir(part.c_str(), 0700) == 0) {
        const size_t parent = part.rfind('/');
        TM_RETURN_IF_ERROR(
            SyncDirectory(parent == std::string::npos ? "." : part.substr(0, std::max<size_t>(parent, 1))));
      } else if (errno != EEXIST) {
        return SystemError("make directory", part, errno);
      }
      if (slash == std::string::npos) break;
    }
    struct stat info {};
    if (stat(directory.c_str(), &info) != 0) return SystemError("stat", directory, errno);
    if (!S_ISDIR(info.st_mode)) return SystemError("make directory", directory, ENOTDIR);
    return absl::OkStatus();
  }

  absl::Status SyncDirectory(const std::string& directory) override {
    const Descriptor fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return SystemError("open", directory, errno);
    if (fsync(fd.get()) != 0) return SystemError("sync", directory, errno);
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<DirectoryLock>> LockDirectory(const std::string& directory) override {
    const std::string path = absl::StrCat(directory, "/", kLockName);
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return SystemError("open", path, errno);
    auto lock = std::make_unique<PosixDirectoryLock>(fd);
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) return SystemError("lock", path, errno);
    return absl::UnavailableError(absl::StrCat(directory, " is in use by another process"));
  }
};

}  // namespace

FileEnv& PosixFileEnv() {
  static PosixEnv* const env = new PosixEnv;
  return *env;
}

}  // namespace tidemark::raft
