// KeyIndex is the past of one key: its changes in order, cut into generations. A generation is one life of the key: it
// begins with a put and ends with a tombstone, or is still alive.
//
// Example: put(1.0) put(2.0) tombstone(3.0) put(4.0) tombstone(5.0)
//   generations  {1.0, 2.0, 3.0t} {4.0, 5.0t}
//   compact(2)   {2.0, 3.0t} {4.0, 5.0t}      version and birth of the first generation are remembered
//   compact(3)   {3.0t} {4.0, 5.0t}           a tombstone at the very revision stays: a watch from there must see it
//   compact(4)   {4.0, 5.0t}
//   compact(5)   {5.0t}
//   compact(6)   empty: the key is forgotten
// Compaction at R keeps, in the first generation that has not ended before R, its newest change <=
// R, and all that is newer.
//
// Thread-safety: thread-compatible; MvccStore guards it.
// Invariants:    changes strictly ascend; only the last one of a generation is a tombstone; only the first generation
//                is ever cut.
// Cost:          Get O(log changes + generations); Compact O(log changes + drops), and what is kept is moved once; one
//                change takes 16 bytes, a key about 120 and its text.
// Source:        etcd v3 server/storage/mvcc/key_index.go.
#ifndef TIDEMARK_STORE_MVCC_KEY_INDEX_H_
#define TIDEMARK_STORE_MVCC_KEY_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "store/mvcc/change_id.h"

namespace tidemark::mvcc {

// What the index knows of a key at a revision.
struct KeyState {
  ChangeId modified;
  int64_t create_revision = 0;
  int64_t version = 0;
};

// A change that compaction has dropped; the record in the table goes with it.
struct DroppedChange {
  ChangeId change;
  bool tombstone = false;
};

class KeyIndex {
 public:
  explicit KeyIndex(absl::string_view key) : key_(key) {}

  const std::string& key() const { return key_; }
  // No change is left: the key is to be forgotten.
  bool empty() const { return changes_.empty(); }

  // REQUIRES: change is above all others.
  KeyState Put(ChangeId change);
  // False, and nothing changes, when the key is not alive.
  bool Tombstone(ChangeId change);
  // First record of a key found at start: its birth may lie below the compaction.
  // REQUIRES: empty(), version > 0.
  void Restore(ChangeId change, int64_t create_revision, int64_t version);
  // The same when all that compaction left is a tombstone. REQUIRES: empty().
  void RestoreTombstone(ChangeId change);

  // The key as it was at `revision`; nullopt when it was not alive, or that is compacted.
  std::optional<KeyState> Get(int64_t revision) const;
  // The newest change.
  // REQUIRES: !empty().
  ChangeId newest() const { return changes_.back().id(); }
  bool alive() const { return !changes_.empty() && !changes_.back().tombstone(); }

  // Appends what compaction at `revision` drops, `drops_max` changes at most. They stay in the index until the last of them has
  // been appended: then all are forgotten at once, and nullopt returned; else where to go on, the next call's `from` (0 begins).
  // Until then the key may change, but no other revision is compacted. What is to be dropped is nothing that Get finds at
  // `revision` or above.
  std::optional<size_t> Compact(int64_t revision, size_t from, size_t drops_max, std::vector<DroppedChange>* dropped);
  // Whether HashKV at `revision` counts this change: it is what compaction there would keep, and no tombstone.
  bool CountsInHash(ChangeId change, int64_t revision) const;
  // Whether it counts any change at all.
  bool AnyCountsInHash(int64_t revision) const;

  // "{1.0, 2.0, 3.0t} {4.0}", for tests and failed checks.
  std::string DebugString() const;
  void CheckInvariants() const;

 private:
  struct Change {
    Change(ChangeId id, bool tombstone) : main(id.main), sub_and_tombstone(id.sub << 1 | (tombstone ? 1 : 0)) {}
    ChangeId id() const { return {main, sub_and_tombstone >> 1}; }
    bool tombstone() const { return (sub_and_tombstone & 1) != 0; }
    int64_t main;
    int64_t sub_and_tombstone;
  };

  struct Generation {
    uint32_t begin = 0;           // of its first change in changes_
    int64_t first_version = 1;    // version at that change: above 1 when compaction cut what came before
    int64_t create_revision = 0;  // 0 when only a tombstone was found at start
  };

  void BeginGeneration(int64_t create_revision, int64_t first_version);
  // All changes before `keep_from`, which belongs to `generation` (or nothing is kept), and the generations before it.
  void Forget(size_t generation, size_t keep_from);
  size_t EndOf(size_t generation) const;
  // The first generation that has not ended before `revision`; generations_.size() when all have.
  size_t FirstReachable(int64_t revision) const;
  // Changes <= revision.
  size_t CountUpTo(int64_t revision) const;
  // The place in changes_ of a generation's newest change <= revision.
  std::optional<size_t> NewestUpTo(size_t generation, int64_t revision) const;
  // The place in changes_ of the change that HashKV counts, if any.
  std::optional<size_t> CountedInHash(int64_t revision) const;

  std::string key_;
  absl::InlinedVector<Change, 1> changes_;
  absl::InlinedVector<Generation, 1> generations_;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_KEY_INDEX_H_
