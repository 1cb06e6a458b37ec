// TreeIndex is the ordered index of all keys, living and dead, with their past.
//
// Thread-safety: thread-compatible; MvccStore guards it.
// Cost:          O(log keys) for one key; a walk touches each key of its range.
#ifndef TIDEMARK_STORE_MVCC_TREE_INDEX_H_
#define TIDEMARK_STORE_MVCC_TREE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "store/mvcc/key_index.h"
#include "store/mvcc/key_range.h"

namespace tidemark::mvcc {

// Where a compaction goes on: at `key`, whose first `drops` changes are dropped already.
struct CompactionCursor {
  std::string key;
  size_t drops = 0;
};

class TreeIndex {
 public:
  KeyState Put(absl::string_view key, ChangeId change);
  bool Tombstone(absl::string_view key, ChangeId change);
  // A record of the table at start, in the order of the table.
  void Restore(absl::string_view key, ChangeId change, bool tombstone, int64_t create_revision, int64_t version);

  std::optional<KeyState> Get(absl::string_view key, int64_t revision) const;
  const KeyIndex* Find(absl::string_view key) const;

  // Visits the keys of the range from `from` on that are alive at `revision`, in order, but looks at no more than
  // `keys_max` keys. Returns where to go on, nullopt at the end of the range or when `visit` returned false. REQUIRES:
  // from >= range.begin().
  using Visitor = absl::FunctionRef<bool(absl::string_view key, const KeyState& state)>;
  std::optional<std::string> Walk(const KeyRange& range, absl::string_view from, int64_t revision, size_t keys_max,
                                  Visitor visit) const;

  // Compacts up to `keys_max` keys from `from` on, but stops, be it within a key, when `dropped` has `drops_max` changes:
  // they are appended. Returns where to go on, nullopt at the end.
  // REQUIRES: dropped->size() < drops_max; all steps from an empty cursor to the end are at one revision.
  std::optional<CompactionCursor> Compact(const CompactionCursor& from, int64_t revision, size_t keys_max,
                                          size_t drops_max, std::vector<DroppedChange>* dropped);

  // Asks up to `keys_max` keys from `from` on whether HashKV at `revision` counts any change of theirs, until one says
  // so: *any. Returns where to go on, nullopt at the end or when there was one.
  std::optional<std::string> FindCountedInHash(absl::string_view from, int64_t revision, size_t keys_max,
                                               bool* any) const;
  // Keys, living and dead.
  size_t size() const { return keys_.size(); }
  void CheckInvariants() const;

 private:
  KeyIndex& FindOrInsert(absl::string_view key);

  // The map's keys are views into the KeyIndex.
  absl::btree_map<absl::string_view, std::unique_ptr<KeyIndex>> keys_;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_TREE_INDEX_H_
