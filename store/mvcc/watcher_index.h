// WatcherIndex finds the watchers that a key concerns: single keys by a hash map, ranges by an interval tree.
//
// The tree is a treap by (begin, end) whose nodes carry the greatest end below them; watchers of one and the same range
// share a node, since thousands watch one prefix. Priorities come from a counter through a mixing function: the shape
// is the same in each run.
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

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
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
  // Calls `visit` once for each watcher whose range contains `key`; the order is the same in each run. `visit` must not
  // change the index.
  void ForEach(absl::string_view key, absl::FunctionRef<void(Watcher*)> visit) const;
  size_t size() const { return size_; }

 private:
  struct Node;
  using NodePtr = std::unique_ptr<Node>;
  using Watchers = absl::btree_set<Watcher*, WatcherOrder>;

  void Insert(NodePtr* at, Watcher* watcher);
  void Erase(NodePtr* at, Watcher* watcher);

  absl::flat_hash_map<std::string, Watchers> by_key_;
  NodePtr root_;
  uint64_t nodes_made_ = 0;
  size_t size_ = 0;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WATCHER_INDEX_H_
