// KvEngine is the seam to what keeps the store's state on disk: a few tables of ordered keys. It is written by whole
// batches, each atomic and synced, and read through snapshots. LmdbEngine (lmdb_engine.h) is the real one, MemoryEngine
// (memory_engine.h) its twin with faults; both pass kv_engine_conformance.h.
//
//   WriteBatch batch;
//   batch.Put(Table::kKey, key, MakeBytes(value));
//   TM_RETURN_IF_ERROR(engine->Commit(batch));
//   auto snapshot = engine->NewSnapshot();
//   std::optional<absl::string_view> value = snapshot->Get(Table::kKey, key);
//
// Thread-safety: KvEngine is thread-safe; commits come one after the other. A snapshot is thread-compatible.
// Ownership:     snapshots borrow the engine; the views they hand out live as long as the snapshot.
// Errors:        Commit: kNoSpace when the disk is full, else kCorrupt; then nothing of the batch was written, and
//                every later Commit is refused with the same status: what a failed sync left behind is known only after
//                a restart. What is read back damaged stops the process.
// Invariants:    a snapshot sees every batch whole or not at all, and exactly those committed before it was taken.
// Cost:          Get O(log n); Scan O(log n + entries). A snapshot costs well under a microsecond.
#ifndef TIDEMARK_STORE_KV_KV_ENGINE_H_
#define TIDEMARK_STORE_KV_KV_ENGINE_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/kv/write_batch.h"

namespace tidemark::kv {

// A reader gives its snapshot up after this many entries and takes a new one: an open snapshot keeps every page alive
// that was replaced since (measured: a file of 48 MB grew to 2.3 GB behind one reader).
inline constexpr int kSnapshotEntriesMax = 1000;

struct SizeFigures {
  int64_t total_bytes = 0;   // what the engine occupies
  int64_t in_use_bytes = 0;  // of that, what holds data
};

class KvSnapshot {
 public:
  virtual ~KvSnapshot() = default;
  virtual std::optional<absl::string_view> Get(Table table, absl::string_view key) const = 0;

  using Visitor = absl::FunctionRef<bool(absl::string_view key, absl::string_view value)>;
  // Visits the keys of [from, to) in ascending order until `visit` returns false. An empty `to` has no upper bound.
  // REQUIRES: `visit` asks no snapshot.
  virtual void Scan(Table table, absl::string_view from, absl::string_view to, Visitor visit) const = 0;
};

class KvEngine {
 public:
  virtual ~KvEngine() = default;
  // Makes the batch durable: after OK it survives power loss.
  virtual absl::Status Commit(const WriteBatch& batch) = 0;
  // REQUIRES: a thread holds at most one snapshot at a time, and for a short while only: growing
  // waits for snapshots to end.
  virtual std::unique_ptr<KvSnapshot> NewSnapshot() = 0;
  virtual SizeFigures Sizes() = 0;
};

}  // namespace tidemark::kv

#endif  // TIDEMARK_STORE_KV_KV_ENGINE_H_
