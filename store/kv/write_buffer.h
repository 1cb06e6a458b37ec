// WriteBuffer lies over an engine and holds the changes that are not committed yet: readers see them at once, the disk gets them in
// batches. One thread writes, between BeginEntry and EndEntry, and only whole entries are committed; Commit may run on another
// thread and holds up neither the writer nor readers while the disk works.
//
//   reads:  active batch  ->  batch being committed  ->  engine
//
// Thread-safety: BeginEntry, Put, Delete and EndEntry are confined to one thread; everything else is thread-safe.
// Ownership:     borrows the engine.
// Errors:        a failed Commit is kept: later ones return it again and write nothing.
// Cost:          Put and Delete O(log batch); a Get of what is committed looks at no batch when the caller says so.
#ifndef TIDEMARK_STORE_KV_WRITE_BUFFER_H_
#define TIDEMARK_STORE_KV_WRITE_BUFFER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "store/kv/kv_engine.h"

namespace tidemark::kv {

// A commit is due when so many changes (etcd's figure) or bytes wait, so that memory stays bounded.
inline constexpr size_t kCommitOpsMax = 10'000;
inline constexpr size_t kCommitBytesMax = 64 << 20;

class WriteBuffer {
 public:
  explicit WriteBuffer(KvEngine* engine) : engine_(engine) {}

  void BeginEntry();
  // REQUIRES: between BeginEntry and EndEntry.
  void Put(Table table, absl::string_view key, Bytes value);
  void Delete(Table table, absl::string_view key);
  void EndEntry();

  // The newest value, committed or not; null when there is none.
  Bytes Get(Table table, absl::string_view key) const;
  // Visits [from, to) with uncommitted changes merged in, in steps of kSnapshotEntriesMax, each a snapshot of its own: what changes
  // between two steps may be seen or not. An empty `to` has no upper bound.
  void Scan(Table table, absl::string_view from, absl::string_view to, KvSnapshot::Visitor visit) const;

  // Commits all whole entries so far, and waits for it. A call that comes while another runs waits for that first.
  absl::Status Commit();
  // A failed Commit's status, else OK.
  absl::Status status() const;
  bool CommitDue() const;
  KvEngine& engine() const { return *engine_; }

 private:
  using BatchPtr = std::shared_ptr<const WriteBatch>;

  // Moves the active batch to frozen_ between two entries; null when there is nothing to commit.
  BatchPtr Freeze();
  // One step of Scan: fills `chunk` with up to kSnapshotEntriesMax entries from `from` on. False when nothing is left behind it.
  bool ReadChunk(Table table, absl::string_view from, absl::string_view to,
                 absl::btree_map<std::string, Bytes>* chunk) const;

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
