// MvccStore keeps every key with its past: an index in memory from key to the revisions of its changes, and in the
// engine a table from revision to the change. Reads at any revision above the compaction; one writer.
//
// Engine table kKey (etcd's bucket "key"):
//   key   = main big-endian 8 bytes, '_', sub big-endian 8 bytes, [ 't' for a tombstone ]
//   value = mvccpb.KeyValue in protobuf; a tombstone has the key only
// Byte order is the order of changes, so the table is a log, and history is read by scanning it.
//
// Thread-safety: BeginWrite and what it returns have one caller at a time: inside the log's apply callback
//                (replicated_log.h). Everything else is thread-safe.
// Ownership:     borrows the engine and the lessor, which outlive it.
// Errors:        kCompacted and kFutureRevision with the revision that explains them; etcd's texts (errors.h).
// Invariants:    a revision that a reader can see is complete: index, values and watch events. The revision never goes
//                back, not over a restart either.
// Cost:          Range O(log n + keys walked) in the index, then one lookup per value that is returned; count_only and
//                keys_only touch no value. The index is locked for kIndexKeysPerLock keys at a time.
// Source:        etcd v3 server/storage/mvcc.
#ifndef TIDEMARK_STORE_MVCC_MVCC_STORE_H_
#define TIDEMARK_STORE_MVCC_MVCC_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "store/kv/kv_engine.h"
#include "store/kv/write_buffer.h"
#include "store/mvcc/count_cache.h"
#include "store/mvcc/event.h"
#include "store/mvcc/key_range.h"
#include "store/mvcc/record.h"
#include "store/mvcc/tree_index.h"

namespace etcdserverpb {
class RangeRequest;
class RangeResponse;
}  // namespace etcdserverpb

namespace tidemark::mvcc {

class Lessor;
class WriteTxn;

// Keys of which one step looks under the lock: some 20 us, which a put that waits does not notice.
inline constexpr size_t kIndexKeysPerLock = 256;

// Changes that a compaction drops under one lock of the index, and deletes under one of the write buffer.
inline constexpr size_t kDeletesPerLock = 256;

// A read that a compaction overtakes starts again, so often; each time needs a compaction of the newest revision.
inline constexpr int kReadAttemptsMax = 4;

// A commit is due this often. etcd's figure: what waits is in the log already, so this bounds replay
// after a crash, not loss.
inline constexpr absl::Duration kCommitInterval = absl::Milliseconds(100);

struct MvccStoreOptions {
  // Keys of which one step of a compaction looks, and changes that it deletes, before it pauses (etcd's batch limit).
  int compaction_batch = 1000;
};

// What HashKV answers.
struct KvHash {
  uint32_t hash = 0;
  Revision revision;              // the hash covers changes up to here
  int64_t compact_revision = -1;  // -1: never compacted (etcd)
};

// Is told of every write transaction while it becomes visible.
class CommitListener {
 public:
  virtual ~CommitListener() = default;
  // Calls `publish` exactly once; from then on readers see the transaction. One caller at a time: inside the log's apply
  // callback (replicated_log.h).
  virtual void OnCommit(EventBatchPtr batch, absl::FunctionRef<void()> publish) = 0;
};

class MvccStore {
 public:
  // Restores index and revision from the engine, and hangs keys on the leases that `lessor` has restored before.
  static absl::StatusOr<std::unique_ptr<MvccStore>> Open(kv::KvEngine* engine, Lessor* lessor,
                                                         MvccStoreOptions options);
  ~MvccStore();
  MvccStore(const MvccStore&) = delete;
  MvccStore& operator=(const MvccStore&) = delete;

  // Reads.

  // Every option of etcd's Range. The request has passed CheckRange (request_check.h). The response's header carries
  // the store's revision and nothing else.
  absl::Status Range(const etcdserverpb::RangeRequest& request, etcdserverpb::RangeResponse* response) const;
  // The same as protobuf bytes of a RangeResponse without its header, appended to `wire`: values are copied once and
  // never parsed. Returns the store's revision for the header.
  absl::StatusOr<Revision> RangeEncoded(const etcdserverpb::RangeRequest& request, std::string* wire) const;
  // The same for a reader that has settled on a revision: `newest` is what a request without a revision reads.
  absl::Status RangeAt(Revision newest, const etcdserverpb::RangeRequest& request,
                       etcdserverpb::RangeResponse* response) const;
  // Visits the keys of the range that are alive at `revision`; value and lease only when `with_values`.
  // REQUIRES: compact_revision() <= revision.
  using KeyValueVisitor = absl::FunctionRef<bool(const KeyValueRecord& kv)>;
  absl::Status Visit(const KeyRange& range, Revision revision, bool with_values, KeyValueVisitor visit) const;
  // The change that made `key` what it was at `revision`; null when there was none, or the history is compacted.
  kv::Bytes GetAt(absl::string_view key, Revision revision) const;
  // Calls `visit` for each change of [from, to] in order until it returns false. kCompacted when `from`
  // is below the compaction.
  using ChangeVisitor = absl::FunctionRef<bool(ChangeId change, bool tombstone, absl::string_view record)>;
  absl::Status ScanChanges(Revision from, Revision to, ChangeVisitor visit) const;
  // revision none: the current one.
  absl::StatusOr<KvHash> HashKv(Revision revision) const;

  Revision current_revision() const;
  // None before the first compaction.
  Revision compact_revision() const;
  kv::SizeFigures sizes() const;
  // Keys of the index, with those that were deleted since the last compaction.
  size_t keys() const;

  // Writes, one caller at a time, as BeginWrite.

  // Opens the write part of one log entry; WriteTxn::End closes it. At most one is open.
  std::unique_ptr<WriteTxn> BeginWrite();
  // The logical step of a compaction, durable with the entry. The physical step is CompactionStep.
  // kCompacted when revision <= compact_revision(), kFutureRevision above the current one.
  // REQUIRES: inside BeginEntry and EndEntry.
  absl::Status Compact(Revision revision);
  void set_listener(CommitListener* listener) { listener_ = listener; }

  // Brackets of one log entry: what lies between is committed together with the entry's index, or not at all.
  void BeginEntry();
  void EndEntry(uint64_t index, uint64_t term);
  // Other tables of the same transaction (leases, alarms). REQUIRES: inside BeginEntry and EndEntry.
  kv::WriteBuffer& buffer() { return buffer_; }

  // Physical compaction, from any one thread.

  // Works off one batch of the compaction that is due; true while there is more to do. Pause
  // between calls (Compactor does).
  bool CompactionStep();
  // Everything up to this revision has been compacted physically; none before the first.
  Revision compacted_physically() const;

  // Durability, from any thread.
  absl::Status Commit();
  bool CommitDue() const { return buffer_.CommitDue(); }
  uint64_t applied_index() const;
  uint64_t durable_index() const;

  // Compares the index with itself and with the revision; stops the process on a contradiction. O(n),
  // for tests and simulation.
  void CheckInvariants() const;

 private:
  friend class WriteTxn;
  friend class RangeCursor;
  friend class RangeReader;
  MvccStore(kv::KvEngine* engine, Lessor* lessor, MvccStoreOptions options);

  void RestoreIndex();
  void RestoreMeta();

  // Walks the index at `revision` in steps, each under the lock; kCompacted when the compaction overtakes it. `visit`
  // runs under the lock and only takes notes.
  absl::Status WalkIndex(const KeyRange& range, Revision revision, TreeIndex::Visitor visit) const;
  // Hands over the record of each of `changes`, which were found in the index at `revision`, until `visit` returns
  // false; kCompacted when they are gone by now.
  absl::Status FetchRecords(absl::Span<const ChangeId> changes, Revision revision,
                            absl::FunctionRef<bool(size_t i, absl::string_view record)> visit) const;
  uint32_t HashUpTo(Revision revision, Revision compact) const;
  // Whether HashKV at `revision` counts any change. Stays so while it runs: later changes lie above.
  bool AnyCountsInHash(Revision revision) const;
  bool CountsInHash(const DecodedRevisionKey& decoded, absl::string_view record, Revision revision) const;
  // Makes `revision` the one that readers see.
  void Publish(Revision revision);
  // One lock's worth of the compaction in progress; false when the index is through.
  bool CompactSome(std::vector<DroppedChange>* dropped);
  void DeleteDropped(const std::vector<DroppedChange>& dropped);

  const MvccStoreOptions options_;
  Lessor* const lessor_;
  CommitListener* listener_ = nullptr;  // set before the first write
  mutable kv::WriteBuffer buffer_;
  mutable CountCache count_cache_;

  mutable Mutex mu_;
  TreeIndex index_ ABSL_GUARDED_BY(mu_);
  // Revision that readers see; only rises.
  Revision current_ ABSL_GUARDED_BY(mu_) = Revision(1);
  // Reads below are refused; only rises.
  Revision compact_ ABSL_GUARDED_BY(mu_);
  // Compacted in the engine too; never above compact_.
  Revision compacted_physically_ ABSL_GUARDED_BY(mu_);
  uint64_t applied_index_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t durable_index_ ABSL_GUARDED_BY(mu_) = 0;
  // The compaction in progress: its revision, none when idle, and where to go on. Each key's changes are deleted in order, so a
  // crash leaves the newer part of a key's past, which is restored as it is.
  Revision compacting_ ABSL_GUARDED_BY(mu_);
  CompactionCursor compaction_cursor_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_MVCC_STORE_H_
