// WatcherIndex finds the watchers that a key concerns: single keys by a hash map, ranges by an interval tree.
//
// The tree is a treap by (begin, range end, watcher) whose nodes carry the greatest end below them; priorities come from a counter
// through a mixing function, so that its shape is the same in each run.
//
// Thread-safety: thread-compatible; WatchableStore guards it.
// Ownership:     borrows the watchers.
// Cost:          Add and Remove O(log n); ForEach O(1) for the map, O(log n + found) for the tree.
#ifndef TIDEMARK_STORE_MVCC_WATCHER_INDEX_H_
#define TIDEMARK_STORE_MVCC_WATCHER_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "store/mvcc/watcher.h"

namespace tidemark::mvcc {

class WatcherIndex {
 public:
  WatcherIndex();
  ~WatcherIndex();
  WatcherIndex(const WatcherIndex&) = delete;
  WatcherIndex& operator=(const WatcherIndex&) = delete;

  // REQUIRES: not in the index.
  void Add(Watcher* watcher);
  // REQUIRES: in the index.
  void Remove(Watcher* watcher);
  // Calls `visit` once for each watcher whose range contains `key`, in no certain order. `visit` must not change the index.
  void ForEach(absl::string_view key, absl::FunctionRef<void(Watcher*)> visit) const;
  size_t size() const { return size_; }

 private:
  struct Node;

  absl::flat_hash_map<std::string, absl::flat_hash_set<Watcher*>> by_key_;
  // Watchers of one and the same range share a node: thousands watch one prefix.
  std::unique_ptr<Node> root_;
  uint64_t next_priority_ = 1;
  size_t size_ = 0;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WATCHER_INDEX_H_
