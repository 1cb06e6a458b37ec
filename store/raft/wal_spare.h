// WalSpare prepares the file that becomes the log's next segment: zeros, written and synced in the background, because
// a sync into blocks that are written already costs less than half of one that has to extend the file. A segment that
// nobody needs any more serves as well, and costs nothing.
//
// Thread-safety: thread-compatible, but for its own task on the executor.
// Ownership:     the file that Take returns belongs to the caller, under the name path() until renamed.
// Units:         bytes.
// Errors:        those of FileEnv; an error of the background task is reported by Take, and the
//                next Prepare tries again.
#ifndef TIDEMARK_STORE_RAFT_WAL_SPARE_H_
#define TIDEMARK_STORE_RAFT_WAL_SPARE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "store/raft/file_env.h"

namespace tidemark::raft {

class WalSpare {
 public:
  // `executor` may be null: then Take makes the file. REQUIRES: env and executor outlive the object.
  WalSpare(FileEnv* env, Executor* executor, std::string path);
  // Waits for the background task.
  ~WalSpare();

  // Begins to make a file of so many zeros, unless one is ready or under way.
  void Prepare(uint64_t bytes);
  // Removes a file that is not needed any more, or keeps it as the spare: it must have `bytes_min`, and no other be
  // there. Its contents stay.
  absl::Status TakeOver(const std::string& path, uint64_t bytes_min);

  struct ReadyFile {
    std::unique_ptr<File> file;
    uint64_t bytes = 0;
  };
  // The spare, or a file of `bytes` zeros made here and now. Waits for one under way.
  absl::StatusOr<ReadyFile> Take(uint64_t bytes);
  const std::string& path() const { return path_; }

 private:
  enum class State { kNone, kRunning, kReady };

  absl::StatusOr<ReadyFile> Make(uint64_t bytes);
  void MakeInBackground(uint64_t bytes);

  FileEnv* const env_;
  Executor* const executor_;
  const std::string path_;

  Mutex mu_;
  CondVar finished_;
  State state_ ABSL_GUARDED_BY(mu_) = State::kNone;
  absl::StatusOr<ReadyFile> file_ ABSL_GUARDED_BY(mu_);  // when kReady
};

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_WAL_SPARE_H_
