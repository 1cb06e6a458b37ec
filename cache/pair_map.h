// PairMap maps the 64-bit hash of a pair ("label app is web") to the word of its set: a persistent B+tree. The hashes
// are random, so it needs no balance beyond the usual.
//
// A root is a plain pointer; nullptr is the empty map. What a word means is its owner's business.
//
// Thread-safety: published nodes are immutable; the functions that take a Reclaimer are the writer's.
// Cost:          16 bytes an entry and 3 of nodes; Find 0.1 us of 50,000, 0.25 us of 650,000; Set copies one path, once
//                per batch.
#ifndef TIDEMARK_CACHE_PAIR_MAP_H_
#define TIDEMARK_CACHE_PAIR_MAP_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "cache/reclaimer.h"

namespace tidemark::cache {

struct PairNode : Piece {
  uint8_t level;     // 0: a leaf
  uint8_t size;      // entries in use
  uint8_t capacity;  // entries there is room for
  // Entry[capacity]: a leaf's hashes and words; an inner node's children, each with the lowest hash that goes there.
};

class PairMap {
 public:
  static constexpr size_t kFanout = 32;

  // 0 when there is no entry.
  static uint64_t Find(const PairNode* root, uint64_t hash);
  // Brings what Find would read nearer to the processor.
  static void Prefetch(const PairNode* root, uint64_t hash);
  // Word 0 removes the entry, which is there.
  [[nodiscard]] static PairNode* Set(PairNode* root, uint64_t hash, uint64_t word, Reclaimer* reclaimer);

  static void ForEach(const PairNode* root, absl::FunctionRef<void(uint64_t hash, uint64_t word)> visit);
  static void ForEachNode(PairNode* root, absl::FunctionRef<void(Piece*)> visit);
  // Stops the process where the map breaks its own rules.
  static void Check(const PairNode* root);

 private:
  struct Split;
  static Split Put(PairNode* node, uint64_t hash, uint64_t word, Reclaimer* reclaimer);
  static PairNode* Remove(PairNode* node, uint64_t hash, Reclaimer* reclaimer);
  static void MergeChild(PairNode* node, size_t i, Reclaimer* reclaimer);
  static void CheckNode(const PairNode* node, uint64_t low, uint64_t high);
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_PAIR_MAP_H_
