// PairIndex is the inverted index of one resource: from each label, each label key and each indexed field value to the
// set of objects that have it. Pairs are keyed by a 64-bit hash under a random key, without a dictionary of texts: what
// a set stands for is read from one of its members, which has only one pair of that hash. Where hashes collide, texts
// are kept beside the sets.
//
//   hash(label app=web)     -> {3, 17, 44}
//   hash(field phase=Run)   -> {1, 3, 4, ...}
//   a hash of two pairs     -> CollidedNode[ tier=a {5, 9}, tier=b {7} ]
//
// Thread-safety: PairIndex is an immutable value; PairIndexWriter is confined to the store's writer.
// Ownership:     nodes belong to the writer's Reclaimer.
// Invariants:    no set is empty; a set's members all have its pair, in the state that the index belongs to.
// Cost:          a look-up 0.1 to 0.3 us and one object read; Add and Remove 0.3 to 2 us.
#ifndef TIDEMARK_CACHE_PAIR_INDEX_H_
#define TIDEMARK_CACHE_PAIR_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "cache/keyed_hash.h"
#include "cache/object_reader.h"
#include "cache/object_schema.h"
#include "cache/pair_map.h"
#include "cache/slot_set.h"
#include "cache/slot_vector.h"

namespace tidemark::cache {

struct Pair {
  enum class Kind : char { kLabel = 'l', kLabelKey = 'k', kField = 'f' };

  Kind kind = Kind::kLabel;
  absl::string_view key;    // a label's key, or a field's path
  absl::string_view value;  // empty for kLabelKey
};

// Calls for each pair that an object with these values is indexed under. An empty field is not indexed.
void ForEachPair(const Selectable& values, const ObjectSchema& schema, absl::FunctionRef<void(const Pair&)> visit);
bool HasPair(const Selectable& values, const ObjectSchema& schema, const Pair& pair);

class PairHash {
 public:
  PairHash(const KeyedHash& hash, uint64_t mask) : hash_(hash), mask_(mask) {}
  // A text that is different for each pair.
  static std::string Text(const Pair& pair);
  static size_t TextBytes(const Pair& pair);
  // Writes the text, and returns where it ends.
  static char* WriteText(const Pair& pair, char* out);
  uint64_t operator()(absl::string_view text) const { return hash_(text) & mask_; }

 private:
  const KeyedHash hash_;
  const uint64_t mask_;
};

struct CollidedNode;

class PairIndex {
 public:
  // The objects that have the pair. `slots` are those of the same state; `reader` reads one member.
  SlotSet Find(const Pair& pair, const PairHash& hash, const ObjectSchema& schema, const SlotVector& slots,
               ObjectReader* reader) const;

  void ForEachSet(absl::FunctionRef<void(uint64_t hash, SlotSet set)> visit) const;
  void ForEachNode(absl::FunctionRef<void(Piece*)> visit) const;
  void Check() const { PairMap::Check(root_); }

 private:
  friend class PairIndexWriter;
  PairNode* root_ = nullptr;
};

class PairIndexWriter {
 public:
  PairIndexWriter(std::shared_ptr<const ObjectSchema> schema, const PairHash& hash, Reclaimer* reclaimer);

  const PairIndex& index() const { return index_; }
  size_t pairs() const { return pairs_; }

  // The object in `slot` gains some pairs and loses others. `slots` is the state before: in it every object has the
  // pairs that it is indexed under. `order` as in cache/slot_tree.h.
  void Update(const std::vector<Pair>& gained, const std::vector<Pair>& lost, Slot slot, const SlotVector& slots,
              const uint64_t* order);
  // Stops the process where what is known is not what the index has.
  void Check() const;

 private:
  // The text of a pair that is in the index, by its hash, and the word that its hash has there: saves looking it up and reading a
  // member.
  struct Known {
    uint64_t hash = 0;
    uint64_t word = 0;
    std::string text;  // empty: none is known here

    bool Is(uint64_t of_hash) const { return hash == of_hash && !text.empty(); }
  };

  struct Gain {
    const Pair* pair;
    absl::string_view text;  // a part of texts_
    uint64_t hash;
    uint64_t word;  // of the hash, before the update; once separated
    bool known;     // that the word is the pair's own set
    bool shared;    // more than one is gained of the hash
  };

  void CollectGains(const std::vector<Pair>& gained);
  void FindShared();
  void FindSharedOfMany();
  void SetWord(uint64_t hash, uint64_t old_word, uint64_t word);
  void Separate(const SlotVector& slots, Gain* gain);
  void Add(const Gain& gain, Slot slot, const uint64_t* order);
  void AddCollided(const Gain& gain, Slot slot, const uint64_t* order);
  void Remove(const Pair& pair, Slot slot, const uint64_t* order);
  bool IsSetOf(const Gain& gain, const SlotVector& slots);
  // The two places of a hash in known_: the first is the one that was remembered last.
  Known* KnownPlaces(uint64_t hash) { return &known_[2 * (hash & (known_.size() / 2 - 1))]; }
  // nullptr when nothing is known of the hash.
  Known* FindKnown(uint64_t hash);
  void Remember(const Gain& gain, uint64_t word);
  void Forget(uint64_t hash);

  const std::shared_ptr<const ObjectSchema> schema_;
  const PairHash hash_;
  Reclaimer* const reclaimer_;
  ObjectReader reader_;
  PairIndex index_;
  size_t pairs_ = 0;
  std::vector<Known> known_;  // a power of two, two by two by the lowest bits of the hash
  std::vector<Gain> gains_;   // scratch
  std::string texts_;         // of gains_
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_PAIR_INDEX_H_
