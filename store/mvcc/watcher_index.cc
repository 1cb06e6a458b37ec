#include "store/mvcc/watcher_index.h"

#include <utility>

#include "base/check.h"

namespace tidemark::mvcc {
namespace {

// The end of a range, as the tree orders ends: unbounded is above all.
struct End {
  absl::string_view key;
  bool unbounded = false;

  bool Above(absl::string_view other) const { return unbounded || key > other; }
  bool operator<(const End& other) const { return !unbounded && (other.unbounded || key < other.key); }
};

End EndOf(const KeyRange& range) { return {range.end(), range.unbounded()}; }

// -1, 0 or 1: the order of nodes.
int Compare(const KeyRange& a, const KeyRange& b) {
  if (const int begins = a.begin().compare(b.begin()); begins != 0) return begins;
  return EndOf(a) < EndOf(b) ? -1 : (EndOf(b) < EndOf(a) ? 1 : 0);
}

// Spreads a counter over 64 bits (the finaliser of MurmurHash3).
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

}  // namespace

struct WatcherIndex::Node {
  Node(const KeyRange& range, uint64_t priority) : range(range), priority(priority) { Update(); }

  void Update() {
    max_end = EndOf(range);
    if (left != nullptr && max_end < left->max_end) max_end = left->max_end;
    if (right != nullptr && max_end < right->max_end) max_end = right->max_end;
  }

  static void RotateRight(NodePtr* at) {
    NodePtr top = std::move((*at)->left);
    (*at)->left = std::move(top->right);
    (*at)->Update();
    top->right = std::move(*at);
    *at = std::move(top);
    (*at)->Update();
  }

  static void RotateLeft(NodePtr* at) {
    NodePtr top = std::move((*at)->right);
    (*at)->right = std::move(top->left);
    (*at)->Update();
    top->left = std::move(*at);
    *at = std::move(top);
    (*at)->Update();
  }

  // Joins two trees, all of `left` before all of `right`.
  static NodePtr Join(NodePtr left, NodePtr right) {
    if (left == nullptr) return right;
    if (right == nullptr) return left;
    if (left->priority > right->priority) {
      left->right = Join(std::move(left->right), std::move(right));
      left->Update();
      return left;
    }
    right->left = Join(std::move(left), std::move(right->left));
    right->Update();
    return right;
  }

  static void ForEach(const Node* node, absl::string_view key, absl::FunctionRef<void(Watcher*)> visit) {
    while (node != nullptr && node->max_end.Above(key)) {
      ForEach(node->left.get(), key, visit);
      if (key < node->range.begin()) return;
      if (EndOf(node->range).Above(key)) {
        for (Watcher* watcher : node->watchers) visit(watcher);
      }
      node = node->right.get();
    }
  }

  const KeyRange range;
  const uint64_t priority;
  End max_end;  // greatest end of this node and below; a view into a node's range
  Watchers watchers;
  NodePtr left;
  NodePtr right;
};

WatcherIndex::WatcherIndex() = default;
WatcherIndex::~WatcherIndex() = default;

void WatcherIndex::Add(Watcher* watcher) {
  ++size_;
  if (watcher->spec.range.single()) {
    TM_CHECK(by_key_[watcher->spec.range.begin()].insert(watcher).second);
  } else {
    Insert(&root_, watcher);
  }
}

void WatcherIndex::Insert(NodePtr* at, Watcher* watcher) {
  const KeyRange& range = watcher->spec.range;
  if (*at == nullptr) *at = std::make_unique<Node>(range, Mix(++nodes_made_));
  const int order = Compare(range, (*at)->range);
  if (order == 0) {
    TM_CHECK((*at)->watchers.insert(watcher).second);
    return;
  }
  NodePtr& child = order < 0 ? (*at)->left : (*at)->right;
  Insert(&child, watcher);
  if (child->priority > (*at)->priority) {
    order < 0 ? Node::RotateRight(at) : Node::RotateLeft(at);
  } else {
    (*at)->Update();
  }
}

void WatcherIndex::Remove(Watcher* watcher) {
  --size_;
  if (!watcher->spec.range.single()) {
    Erase(&root_, watcher);
    return;
  }
  const auto found = by_key_.find(watcher->spec.range.begin());
  TM_CHECK(found != by_key_.end() && found->second.erase(watcher) == 1);
  if (found->second.empty()) by_key_.erase(found);
}

void WatcherIndex::Erase(NodePtr* at, Watcher* watcher) {
  TM_CHECK(*at != nullptr);
  const int order = Compare(watcher->spec.range, (*at)->range);
  if (order != 0) {
    Erase(order < 0 ? &(*at)->left : &(*at)->right, watcher);
    (*at)->Update();
    return;
  }
  TM_CHECK((*at)->watchers.erase(watcher) == 1);
  if ((*at)->watchers.empty()) *at = Node::Join(std::move((*at)->left), std::move((*at)->right));
}

void WatcherIndex::ForEach(absl::string_view key, absl::FunctionRef<void(Watcher*)> visit) const {
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    for (Watcher* watcher : found->second) visit(watcher);
  }
  Node::ForEach(root_.get(), key, visit);
}

}  // namespace tidemark::mvcc
