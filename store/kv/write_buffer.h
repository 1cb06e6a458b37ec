// WriteBuffer lies over an engine and holds the changes that are not committed yet: readers see them at once, the disk
// gets them in batches. What is written between BeginEntry and EndEntry is committed whole; Commit may run on another
// thread and holds up neither the writer nor readers while the disk works.
//
//   reads:  active batch  ->  batch being committed  ->  engine
//
// Thread-safety: thread-safe; at most one entry is open at a time.
// Ownership:     borrows the engine.
// Errors:        a failed Commit is kept: later ones return it again and write nothing.
// Cost:          Put and Delete O(log batch), at the end of the table O(1); a read of a key below all that waits
//                searches no batch.
#ifndef TIDEMARK_STORE_KV_WRITE_BUFFER_H_
#define TIDEMARK_STORE_KV_WRITE_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/mutex.h"
#include "store/kv/kv_engine.h"

namespace tidemark::kv {

// A commit is due when so many changes (etcd's figure) or bytes wait, so that memory stays bounded.
inline constexpr size_t kCommitOpsMax = 10'000;
inline constexpr size_t kCommitBytesMax = 64 << 20;

// One step of a scan ends after so many bytes or kSnapshotEntriesMax entries: it copies them, since what the scan calls
// may be slow.
inline constexpr size_t kScanStepBytesMax = 1 << 20;

class WriteBuffer {
 public:
  explicit WriteBuffer(KvEngine* engine) : engine_(engine) {}

  // What is written between the two is committed together.
  void BeginEntry();
  void EndEntry();

  void Put(Table table, absl::string_view key, Bytes value);
  void Delete(Table table, absl::string_view key);
  // All of them in one commit, under one lock: keep it short.
  void DeleteAll(Table table, absl::Span<const std::string> keys);

  // The newest value, committed or not; null when there is none.
  Bytes Get(Table table, absl::string_view key) const;
  // Calls `visit` for each of `keys` in turn, with its place and its newest value, until it returns false. The value
  // lives as long as the call.
  using ValueVisitor = absl::FunctionRef<bool(size_t i, std::optional<absl::string_view> value)>;
  void GetMany(Table table, absl::Span<const absl::string_view> keys, ValueVisitor visit) const;
  // Visits [from, to) with uncommitted changes merged in, in steps (kScanStepBytesMax), each a snapshot of its own: what
  // changes after the call may be seen or not. Never reads a step twice, however often is committed. An empty `to` has
  // no upper bound.
  void Scan(Table table, absl::string_view from, absl::string_view to, KvSnapshot::Visitor visit) const;

  // Commits all whole entries so far, and waits for it. A call that comes while another runs waits for that first.
  absl::Status Commit();
  // A failed Commit's status, else OK.
  absl::Status status() const;
  bool CommitDue() const;
  // Nothing waits for a commit.
  bool empty() const;
  SizeFigures Sizes() const { return engine_->Sizes(); }

 private:
  using BatchPtr = std::shared_ptr<const WriteBatch>;

  // Moves the active batch to frozen_ between two entries; null when there is nothing to commit.
  BatchPtr Freeze();
  // Whether a batch says anything about the key; if so, *value is what it says (null: deleted).
  bool FindWaitingLocked(Table table, absl::string_view key, Bytes* value) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // One step of Scan: fills `chunk` with entries from `from` on. Returns where the next step begins, nullopt when
  // nothing is left.
  std::optional<std::string> ReadChunk(Table table, absl::string_view from, absl::string_view to,
                                       WriteBatch::Changes* chunk) const;

  KvEngine* const engine_;

  Mutex commit_mu_ ABSL_ACQUIRED_BEFORE(mu_);  // held through a commit

  mutable Mutex mu_;
  CondVar entry_ended_;
  bool entry_open_ ABSL_GUARDED_BY(mu_) = false;
  WriteBatch active_ ABSL_GUARDED_BY(mu_);
  BatchPtr frozen_ ABSL_GUARDED_BY(mu_);  // being committed; null when none is
  absl::Status failed_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::kv

#endif  // TIDEMARK_STORE_KV_WRITE_BUFFER_H_
