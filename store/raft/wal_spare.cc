#include "store/raft/wal_spare.h"

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace tidemark::raft {
namespace {

// Written and synced in pieces, so that the log's own syncs never wait behind 64 MB of zeros.
constexpr uint64_t kFillBytes = uint64_t{1} << 20;

}  // namespace

WalSpare::WalSpare(FileEnv* env, Executor* executor, std::string path)
    : env_(env), executor_(executor), path_(std::move(path)), file_(ReadyFile()) {}

WalSpare::~WalSpare() {
  MutexLock lock(&mu_);
  while (state_ == State::kRunning) finished_.Wait(&mu_);
}

void WalSpare::Prepare(uint64_t bytes) {
  if (executor_ == nullptr) return;
  {
    MutexLock lock(&mu_);
    if (state_ != State::kNone) return;
    state_ = State::kRunning;
  }
  executor_->Post([this, bytes] { MakeInBackground(bytes); });
}

void WalSpare::MakeInBackground(uint64_t bytes) {
  auto file = Make(bytes);
  MutexLock lock(&mu_);
  file_ = std::move(file);
  state_ = State::kReady;
  finished_.SignalAll();
}

absl::Status WalSpare::TakeOver(const std::string& path, uint64_t bytes_min) {
  {
    MutexLock lock(&mu_);
    if (state_ != State::kNone) return env_->Remove(path);
  }
  TM_ASSIGN_OR_RETURN(std::unique_ptr<File> file, env_->Open(path, FileEnv::OpenMode::kExisting));
  TM_ASSIGN_OR_RETURN(const uint64_t bytes, file->Size());
  if (bytes < bytes_min) return env_->Remove(path);
  TM_RETURN_IF_ERROR(env_->Rename(path, path_));
  MutexLock lock(&mu_);
  state_ = State::kReady;
  file_ = ReadyFile{std::move(file), bytes};
  return absl::OkStatus();
}

absl::StatusOr<WalSpare::ReadyFile> WalSpare::Take(uint64_t bytes) {
  {
    MutexLock lock(&mu_);
    while (state_ == State::kRunning) finished_.Wait(&mu_);
    if (state_ == State::kReady) {
      state_ = State::kNone;
      if (file_.ok()) return std::move(file_);
    }
  }
  return Make(bytes);
}

absl::StatusOr<WalSpare::ReadyFile> WalSpare::Make(uint64_t bytes) {
  TM_ASSIGN_OR_RETURN(std::unique_ptr<File> file, env_->Open(path_, FileEnv::OpenMode::kCreate));
  const std::string zeros(std::min(bytes, kFillBytes), '\0');
  for (uint64_t at = 0; at < bytes; at += zeros.size()) {
    const uint64_t count = std::min<uint64_t>(zeros.size(), bytes - at);
    TM_RETURN_IF_ERROR(file->WriteAt(at, absl::string_view(zeros).substr(0, count)));
    TM_RETURN_IF_ERROR(file->Sync());
  }
  return ReadyFile{std::move(file), bytes};
}

}  // namespace tidemark::raft
