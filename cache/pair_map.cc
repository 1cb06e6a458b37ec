#include "cache/pair_map.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace tidemark::cache {
namespace {

constexpr size_t kSmallPairNode = PairMap::kFanout / 4;
constexpr size_t kMergedPairsMax = PairMap::kFanout * 3 / 4;
constexpr size_t kPairCapacityStep = 2;

struct Entry {
  uint64_t hash;
  uint64_t word;  // of an inner node: a PairNode*
};

Entry* Entries(PairNode* node) { return reinterpret_cast<Entry*>(node + 1); }
const Entry* Entries(const PairNode* node) { return reinterpret_cast<const Entry*>(node + 1); }
PairNode* Child(const PairNode* node, size_t i) { return reinterpret_cast<PairNode*>(Entries(node)[i].word); }
uint64_t Word(const PairNode* child) { return reinterpret_cast<uint64_t>(child); }

PairNode* NewPairNode(uint8_t level, size_t size, Reclaimer* reclaimer) {
  static_assert(sizeof(PairNode) == 8);
  const size_t capacity =
      std::min(PairMap::kFanout, (size + kPairCapacityStep - 1) / kPairCapacityStep * kPairCapacityStep);
  PairNode* const node = static_cast<PairNode*>(reclaimer->Allocate(sizeof(PairNode) + capacity * sizeof(Entry)));
  node->level = level;
  node->size = 0;
  node->capacity = static_cast<uint8_t>(capacity);
  return node;
}

void Append(PairNode* to, const PairNode* from, size_t begin, size_t end) {
  std::memcpy(Entries(to) + to->size, Entries(from) + begin, (end - begin) * sizeof(Entry));
  to->size = static_cast<uint8_t>(to->size + (end - begin));
}

PairNode* Writable(PairNode* node, size_t size, Reclaimer* reclaimer) {
  if (reclaimer->IsMine(node) && node->capacity >= size) return node;
  PairNode* const copy = NewPairNode(node->level, std::max<size_t>(size, node->size), reclaimer);
  Append(copy, node, 0, node->size);
  reclaimer->Drop(node);
  return copy;
}

void InsertAt(PairNode* node, size_t i, Entry entry) {
  std::memmove(Entries(node) + i + 1, Entries(node) + i, (node->size - i) * sizeof(Entry));
  Entries(node)[i] = entry;
  ++node->size;
}

void RemoveAt(PairNode* node, size_t i) {
  std::memmove(Entries(node) + i, Entries(node) + i + 1, (node->size - i - 1) * sizeof(Entry));
  --node->size;
}

// How many of `n` entries, ascending by hash, lie below the bound; without branches, which random hashes would mispredict.
size_t CountBelow(const Entry* entries, size_t n, uint64_t bound) {
  const Entry* base = entries;
  while (n > 1) {
    const size_t half = n / 2;
    base = base[half - 1].hash < bound ? base + half : base;
    n -= half;
  }
  return static_cast<size_t>(base - entries) + (n == 1 && base->hash < bound);
}

// The first entry with at least this hash.
size_t Place(const PairNode* leaf, uint64_t hash) { return CountBelow(Entries(leaf), leaf->size, hash); }

// The child that holds this hash if any does: the first one takes what is below all.
size_t ChildPlace(const PairNode* node, uint64_t hash) {
  if (hash == ~uint64_t{0}) return node->size - 1u;
  return CountBelow(Entries(node) + 1, node->size - 1u, hash + 1);
}

bool Has(const PairNode* leaf, size_t place, uint64_t hash) {
  return place < leaf->size && Entries(leaf)[place].hash == hash;
}

}  // namespace

struct PairMap::Split {
  PairNode* node;
  PairNode* right;  // a new neighbour, or nullptr
};

uint64_t PairMap::Find(const PairNode* root, uint64_t hash) {
  if (root == nullptr) return 0;
  const PairNode* node = root;
  while (node->level > 0) node = Child(node, ChildPlace(node, hash));
  const size_t place = Place(node, hash);
  return Has(node, place, hash) ? Entries(node)[place].word : 0;
}

void PairMap::Prefetch(const PairNode* root, uint64_t hash) {
  if (root == nullptr) return;
  const PairNode* node = root;
  while (node->level > 1) node = Child(node, ChildPlace(node, hash));
  if (node->level == 0) return;
  const char* const leaf = reinterpret_cast<const char*>(Child(node, ChildPlace(node, hash)));
  for (size_t line = 0; line < 6; ++line) __builtin_prefetch(leaf + 64 * line);
}

PairMap::Split PairMap::Put(PairNode* node, uint64_t hash, uint64_t word, Reclaimer* reclaimer) {
  Entry added = {hash, word};
  size_t place;
  if (node->level == 0) {
    place = Place(node, hash);
    if (Has(node, place, hash)) {
      node = Writable(node, node->size, reclaimer);
      Entries(node)[place].word = word;
      return {node, nullptr};
    }
  } else {
    const size_t i = ChildPlace(node, hash);
    const Split child = Put(Child(node, i), hash, word, reclaimer);
    if (child.node != Child(node, i) || hash < Entries(node)[i].hash) {
      node = Writable(node, node->size, reclaimer);
      Entries(node)[i] = {std::min(hash, Entries(node)[i].hash), Word(child.node)};
    }
    if (child.right == nullptr) return {node, nullptr};
    added = {Entries(child.right)[0].hash, Word(child.right)};
    place = i + 1;
  }
  if (node->size < kFanout) {
    node = Writable(node, node->size + 1u, reclaimer);
    InsertAt(node, place, added);
    return {node, nullptr};
  }
  constexpr size_t kCut = kFanout / 2;
  PairNode* const left = NewPairNode(node->level, kCut + 1, reclaimer);
  PairNode* const right = NewPairNode(node->level, kCut + 1, reclaimer);
  Append(left, node, 0, kCut);
  Append(right, node, kCut, kFanout);
  reclaimer->Drop(node);
  InsertAt(place > kCut ? right : left, place > kCut ? place - kCut : place, added);
  return {left, right};
}

void PairMap::MergeChild(PairNode* node, size_t i, Reclaimer* reclaimer) {
  const auto fits = [&](size_t left) {
    return Child(node, left)->size + Child(node, left + 1)->size <= kMergedPairsMax;
  };
  size_t left;
  if (i + 1 < node->size && fits(i)) {
    left = i;
  } else if (i > 0 && fits(i - 1)) {
    left = i - 1;
  } else {
    return;
  }
  PairNode* const right = Child(node, left + 1);
  PairNode* const merged = Writable(Child(node, left), Child(node, left)->size + size_t{right->size}, reclaimer);
  Append(merged, right, 0, right->size);
  reclaimer->Drop(right);
  Entries(node)[left].word = Word(merged);
  RemoveAt(node, left + 1);
}

// nullptr when nothing is left.
PairNode* PairMap::Remove(PairNode* node, uint64_t hash, Reclaimer* reclaimer) {
  size_t place;
  PairNode* child = nullptr;
  if (node->level == 0) {
    place = Place(node, hash);
    TM_CHECK(Has(node, place, hash)) << "no entry to remove";
  } else {
    place = ChildPlace(node, hash);
    child = Remove(Child(node, place), hash, reclaimer);
  }
  if (child == nullptr && node->size == 1) {
    reclaimer->Drop(node);
    return nullptr;
  }
  node = Writable(node, node->size, reclaimer);
  if (child == nullptr) {
    RemoveAt(node, place);
    return node;
  }
  Entries(node)[place].word = Word(child);
  if (child->size < kSmallPairNode) MergeChild(node, place, reclaimer);
  return node;
}

PairNode* PairMap::Set(PairNode* root, uint64_t hash, uint64_t word, Reclaimer* reclaimer) {
  if (word == 0) {
    PairNode* node = Remove(root, hash, reclaimer);
    while (node != nullptr && node->level > 0 && node->size == 1) {
      PairNode* const only = Child(node, 0);
      reclaimer->Drop(node);
      node = only;
    }
    return node;
  }
  if (root == nullptr) {
    PairNode* const leaf = NewPairNode(0, 1, reclaimer);
    InsertAt(leaf, 0, {hash, word});
    return leaf;
  }
  const Split split = Put(root, hash, word, reclaimer);
  if (split.right == nullptr) return split.node;
  PairNode* const top = NewPairNode(static_cast<uint8_t>(split.node->level + 1), 2, reclaimer);
  InsertAt(top, 0, {Entries(split.node)[0].hash, Word(split.node)});
  InsertAt(top, 1, {Entries(split.right)[0].hash, Word(split.right)});
  return top;
}

void PairMap::ForEach(const PairNode* root, absl::FunctionRef<void(uint64_t hash, uint64_t word)> visit) {
  if (root == nullptr) return;
  for (size_t i = 0; i < root->size; ++i) {
    if (root->level > 0) {
      ForEach(Child(root, i), visit);
    } else {
      visit(Entries(root)[i].hash, Entries(root)[i].word);
    }
  }
}

void PairMap::ForEachNode(PairNode* root, absl::FunctionRef<void(Piece*)> visit) {
  if (root == nullptr) return;
  for (size_t i = 0; root->level > 0 && i < root->size; ++i) ForEachNode(Child(root, i), visit);
  visit(root);
}

void PairMap::CheckNode(const PairNode* node, uint64_t low, uint64_t high) {
  TM_CHECK(node->size > 0 && node->size <= node->capacity && node->capacity <= kFanout)
      << "a node of " << int{node->size} << " entries with room for " << int{node->capacity};
  for (size_t i = 0; i < node->size; ++i) {
    const uint64_t hash = Entries(node)[i].hash;
    TM_CHECK(i == 0 || Entries(node)[i - 1].hash < hash) << "hashes do not ascend";
    if (node->level == 0) {
      TM_CHECK(hash >= low && hash <= high) << "hash " << hash << " outside of [" << low << ", " << high << "]";
      TM_CHECK(Entries(node)[i].word != 0) << "an entry without members";
      continue;
    }
    TM_CHECK(Child(node, i)->level + 1 == node->level) << "leaves at unequal depth";
    CheckNode(Child(node, i), i == 0 ? low : hash, i + 1u == node->size ? high : Entries(node)[i + 1].hash - 1);
  }
}

void PairMap::Check(const PairNode* root) {
  if (root != nullptr) CheckNode(root, 0, ~uint64_t{0});
}

}  // namespace tidemark::cache
