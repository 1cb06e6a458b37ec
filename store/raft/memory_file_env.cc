#include "store/raft/memory_file_env.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/mutex.h"
#include "base/status.h"

namespace tidemark::raft {
namespace {

constexpr size_t kSectorBytes = 512;  // what a disk writes whole

// One file, whatever names it.
struct Inode {
  std::string current;
  std::string durable;
};

std::string DirectoryOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

struct MemoryFileEnv::Disk {
  mutable Mutex mu;
  std::map<std::string, std::shared_ptr<Inode>> names ABSL_GUARDED_BY(mu);
  std::map<std::string, std::shared_ptr<Inode>> durable_names ABSL_GUARDED_BY(mu);
  std::set<std::string> directories ABSL_GUARDED_BY(mu);
  std::set<std::string> locked ABSL_GUARDED_BY(mu);
  uint64_t lock_generation ABSL_GUARDED_BY(mu) = 0;
  int syncs ABSL_GUARDED_BY(mu) = 0;
  int good_syncs_left ABSL_GUARDED_BY(mu) = std::numeric_limits<int>::max();
  uint64_t capacity ABSL_GUARDED_BY(mu) = std::numeric_limits<uint64_t>::max();

  uint64_t UsedLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    uint64_t used = 0;
    for (const auto& [path, inode] : names) used += inode->current.size();
    return used;
  }

  absl::Status SyncLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    if (good_syncs_left == 0) return absl::InternalError("sync: injected failure");
    if (good_syncs_left != std::numeric_limits<int>::max()) --good_syncs_left;
    ++syncs;
    return absl::OkStatus();
  }
};

class MemoryFileEnv::MemoryFile : public File {
 public:
  MemoryFile(std::shared_ptr<Disk> disk, std::shared_ptr<Inode> inode)
      : disk_(std::move(disk)), inode_(std::move(inode)) {}

  absl::Status WriteAt(uint64_t offset, absl::string_view bytes) override {
    MutexLock lock(&disk_->mu);
    const uint64_t end = offset + bytes.size();
    const uint64_t growth = end > inode_->current.size() ? end - inode_->current.size() : 0;
    if (disk_->UsedLocked() + growth > disk_->capacity) return MakeError(ErrorKind::kNoSpace, "write: disk is full");
    if (growth > 0) inode_->current.resize(end, '\0');
    inode_->current.replace(offset, bytes.size(), bytes.data(), bytes.size());
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ReadAll() override {
    MutexLock lock(&disk_->mu);
    return inode_->current;
  }

  absl::StatusOr<uint64_t> Size() override {
    MutexLock lock(&disk_->mu);
    return inode_->current.size();
  }

  absl::Status Sync() override {
    MutexLock lock(&disk_->mu);
    TM_RETURN_IF_ERROR(disk_->SyncLocked());
    inode_->durable = inode_->current;
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<Disk> disk_;
  const std::shared_ptr<Inode> inode_;
};

class MemoryFileEnv::MemoryLock : public DirectoryLock {
 public:
  MemoryLock(std::shared_ptr<Disk> disk, std::string directory, uint64_t generation)
      : disk_(std::move(disk)), directory_(std::move(directory)), generation_(generation) {}
  ~MemoryLock() override {
    MutexLock lock(&disk_->mu);
    if (generation_ == disk_->lock_generation) disk_->locked.erase(directory_);
  }

 private:
  const std::shared_ptr<Disk> disk_;
  const std::string directory_;
  const uint64_t generation_;
};

MemoryFileEnv::MemoryFileEnv() : disk_(std::make_shared<Disk>()) {}
MemoryFileEnv::~MemoryFileEnv() = default;

absl::StatusOr<std::unique_ptr<File>> MemoryFileEnv::Open(const std::string& path, OpenMode mode) {
  MutexLock lock(&disk_->mu);
  if (disk_->directories.count(DirectoryOf(path)) == 0) return absl::NotFoundError(absl::StrCat("open ", path));
  const auto found = disk_->names.find(path);
  if (mode == OpenMode::kExisting) {
    if (found == disk_->names.end()) return absl::NotFoundError(absl::StrCat("open ", path));
    return std::make_unique<MemoryFile>(disk_, found->second);
  }
  if (found == disk_->names.end()) {
    disk_->names[path] = std::make_shared<Inode>();
  } else {
    found->second->current.clear();
  }
  return std::make_unique<MemoryFile>(disk_, disk_->names[path]);
}

absl::Status MemoryFileEnv::Rename(const std::string& from, const std::string& to) {
  MutexLock lock(&disk_->mu);
  auto node = disk_->names.extract(from);
  if (node.empty()) return absl::NotFoundError(absl::StrCat("rename ", from));
  disk_->names[to] = std::move(node.mapped());
  return absl::OkStatus();
}

absl::Status MemoryFileEnv::Remove(const std::string& path) {
  MutexLock lock(&disk_->mu);
  if (disk_->names.erase(path) == 0) return absl::NotFoundError(absl::StrCat("remove ", path));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> MemoryFileEnv::List(const std::string& directory) {
  MutexLock lock(&disk_->mu);
  if (disk_->directories.count(directory) == 0) return absl::NotFoundError(absl::StrCat("list ", directory));
  std::vector<std::string> names;
  for (const auto& [path, inode] : disk_->names) {
    if (DirectoryOf(path) == directory) names.push_back(path.substr(directory.size() + 1));
  }
  return names;
}

absl::Status MemoryFileEnv::CreateDirectory(const std::string& directory) {
  MutexLock lock(&disk_->mu);
  disk_->directories.insert(directory);
  return absl::OkStatus();
}

absl::Status MemoryFileEnv::SyncDirectory(const std::string& directory) {
  MutexLock lock(&disk_->mu);
  TM_RETURN_IF_ERROR(disk_->SyncLocked());
  for (auto it = disk_->durable_names.begin(); it != disk_->durable_names.end();) {
    it = DirectoryOf(it->first) == directory ? disk_->durable_names.erase(it) : std::next(it);
  }
  for (const auto& [path, inode] : disk_->names) {
    if (DirectoryOf(path) == directory) disk_->durable_names[path] = inode;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<DirectoryLock>> MemoryFileEnv::LockDirectory(const std::string& directory) {
  MutexLock lock(&disk_->mu);
  if (!disk_->locked.insert(directory).second) {
    return absl::UnavailableError(absl::StrCat(directory, " is in use by another process"));
  }
  return std::make_unique<MemoryLock>(disk_, directory, disk_->lock_generation);
}

void MemoryFileEnv::Crash(uint64_t seed) {
  std::mt19937_64 random(seed);
  MutexLock lock(&disk_->mu);
  // A rename or removal that was not synced happened or did not: for each name on its own.
  std::map<std::string, std::shared_ptr<Inode>> names = disk_->durable_names;
  for (const auto& [path, inode] : disk_->names) {
    const auto durable = names.find(path);
    if ((durable == names.end() || durable->second != inode) && random() % 2 == 0) names[path] = inode;
  }
  for (auto it = names.begin(); it != names.end();) {
    it = disk_->names.count(it->first) == 0 && random() % 2 == 0 ? names.erase(it) : std::next(it);
  }
  for (auto& [path, inode] : names) {
    auto survivor = std::make_shared<Inode>(Inode{inode->durable, ""});
    const std::string& current = inode->current;
    for (size_t at = 0; at < current.size(); at += kSectorBytes) {
      if (random() % 2 != 0) continue;
      const size_t count = std::min(kSectorBytes, current.size() - at);
      if (survivor->current.size() < at + count) survivor->current.resize(at + count, '\0');
      survivor->current.replace(at, count, current, at, count);
    }
    survivor->durable = survivor->current;
    inode = survivor;
  }
  disk_->names = names;
  disk_->durable_names = names;
  disk_->locked.clear();
  ++disk_->lock_generation;
}

void MemoryFileEnv::FailSyncsAfter(int count) {
  MutexLock lock(&disk_->mu);
  disk_->good_syncs_left = count;
}

void MemoryFileEnv::HealSyncs() {
  MutexLock lock(&disk_->mu);
  disk_->good_syncs_left = std::numeric_limits<int>::max();
}

void MemoryFileEnv::SetCapacity(uint64_t bytes) {
  MutexLock lock(&disk_->mu);
  disk_->capacity = bytes;
}

std::string MemoryFileEnv::Contents(const std::string& path) const {
  MutexLock lock(&disk_->mu);
  const auto found = disk_->names.find(path);
  TM_CHECK(found != disk_->names.end()) << path;
  return found->second->current;
}

void MemoryFileEnv::SetContents(const std::string& path, std::string bytes) {
  MutexLock lock(&disk_->mu);
  auto inode = std::make_shared<Inode>(Inode{bytes, bytes});
  disk_->names[path] = inode;
  disk_->durable_names[path] = inode;
}

int MemoryFileEnv::sync_count() const {
  MutexLock lock(&disk_->mu);
  return disk_->syncs;
}

}  // namespace tidemark::raft
