#include "cache/pair_index.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace tidemark::cache {

// The sets of pairs that share one hash.
struct CollidedNode : Piece {
  uint32_t size;

  uint64_t* words() { return reinterpret_cast<uint64_t*>(this + 1); }
};

namespace {

// 8,192 texts of some 100 bytes: the pairs that many objects share come by again soon, the others are read from a member.
constexpr size_t kKnownMax = 8192;
constexpr size_t kKnownMin = 64;

bool IsCollided(uint64_t word) { return (word & SlotSet::kTagMask) == SlotSet::kForeignTag; }
CollidedNode* Collided(uint64_t word) { return reinterpret_cast<CollidedNode*>(word & ~SlotSet::kTagMask); }

uint64_t NewCollided(const std::vector<uint64_t>& words, Reclaimer* reclaimer) {
  static_assert(sizeof(CollidedNode) == 8);
  CollidedNode* const node = static_cast<CollidedNode*>(
      reclaimer->Allocate(sizeof(CollidedNode) + words.size() * sizeof(uint64_t)));
  node->size = static_cast<uint32_t>(words.size());
  std::memcpy(node->words(), words.data(), words.size() * sizeof(uint64_t));
  return reinterpret_cast<uint64_t>(node) | SlotSet::kForeignTag;
}

std::vector<uint64_t> WordsOf(uint64_t word) {
  if (!IsCollided(word)) return {word};
  CollidedNode* const node = Collided(word);
  return std::vector<uint64_t>(node->words(), node->words() + node->size);
}

}  // namespace

void ForEachPair(const Selectable& values, const ObjectSchema& schema, absl::FunctionRef<void(const Pair&)> visit) {
  for (const auto& [key, value] : values.labels) {
    visit({Pair::Kind::kLabel, key, value});
    visit({Pair::Kind::kLabelKey, key, {}});
  }
  for (size_t i = 0; i < schema.fields().size(); ++i) {
    const ObjectSchema::Field& field = schema.fields()[i];
    if (field.indexed && !values.fields[i].empty()) visit({Pair::Kind::kField, field.path, values.fields[i]});
  }
}

bool HasPair(const Selectable& values, const ObjectSchema& schema, const Pair& pair) {
  if (pair.kind == Pair::Kind::kField) {
    const int field = schema.FindField(pair.key);
    return field != ObjectSchema::kNone && values.fields[field] == pair.value;
  }
  const absl::string_view* const value = values.FindLabel(pair.key);
  return value != nullptr && (pair.kind == Pair::Kind::kLabelKey || *value == pair.value);
}

std::string PairHash::Text(const Pair& pair) {
  // The key's length keeps apart what a separator could not: texts may hold any character.
  const uint32_t key_length = static_cast<uint32_t>(pair.key.size());
  std::string text(1 + sizeof(key_length) + pair.key.size() + pair.value.size(), static_cast<char>(pair.kind));
  char* out = text.data() + 1;
  std::memcpy(out, &key_length, sizeof(key_length));
  out += sizeof(key_length);
  std::memcpy(out, pair.key.data(), pair.key.size());
  if (!pair.value.empty()) std::memcpy(out + pair.key.size(), pair.value.data(), pair.value.size());
  return text;
}

SlotSet PairIndex::Find(const Pair& pair, const PairHash& hash, const ObjectSchema& schema, const SlotVector& slots,
                        ObjectReader* reader) const {
  const uint64_t word = PairMap::Find(root_, hash(PairHash::Text(pair)));
  if (word == 0) return SlotSet();
  for (const uint64_t one : WordsOf(word)) {
    const SlotSet set(one);
    if (HasPair(reader->Read(*slots.Get(set.First())), schema, pair)) return set;
  }
  return SlotSet();
}

void PairIndex::ForEachSet(absl::FunctionRef<void(uint64_t hash, SlotSet set)> visit) const {
  PairMap::ForEach(root_, [visit](uint64_t hash, uint64_t word) {
    for (const uint64_t one : WordsOf(word)) visit(hash, SlotSet(one));
  });
}

void PairIndex::ForEachNode(absl::FunctionRef<void(Piece*)> visit) const {
  ForEachSet([visit](uint64_t, SlotSet set) { set.ForEachNode(visit); });
  PairMap::ForEach(root_, [visit](uint64_t, uint64_t word) {
    if (IsCollided(word)) visit(Collided(word));
  });
  PairMap::ForEachNode(root_, visit);
}

PairIndexWriter::PairIndexWriter(std::shared_ptr<const ObjectSchema> schema, const PairHash& hash,
                                 Reclaimer* reclaimer)
    : schema_(schema), hash_(hash), reclaimer_(reclaimer), reader_(std::move(schema)), known_(kKnownMin) {}

void PairIndexWriter::Remember(uint64_t hash, std::string text) {
  if (pairs_ > known_.size() && known_.size() < kKnownMax) {
    std::vector<Known> old = std::exchange(known_, std::vector<Known>(2 * known_.size()));
    for (Known& known : old) {
      if (!known.text.empty()) KnownAt(known.hash) = std::move(known);
    }
  }
  Known& known = KnownAt(hash);
  known.hash = hash;
  known.text = std::move(text);
}

void PairIndexWriter::Forget(uint64_t hash) {
  Known& known = KnownAt(hash);
  if (known.hash == hash) known.text.clear();
}

// Whether this set, of a hash that the pair shares, is the pair's own.
bool PairIndexWriter::IsSetOf(SlotSet set, const Pair& pair, const SlotVector& slots) {
  return HasPair(reader_.Read(*slots.Get(set.First())), *schema_, pair);
}

void PairIndexWriter::AddOne(const Pair& pair, std::string text, uint64_t hash, Slot slot, const SlotVector& slots,
                             const uint64_t* order) {
  const uint64_t word = PairMap::Find(index_.root_, hash);
  const auto set_word = [&](uint64_t next) {
    if (next != word) index_.root_ = PairMap::Set(index_.root_, hash, next, reclaimer_);
  };
  if (word == 0) {
    set_word(SlotSet().Insert(slot, order, reclaimer_).word());
    ++pairs_;
    Remember(hash, std::move(text));
    return;
  }
  if (!IsCollided(word)) {
    const Known& known = KnownAt(hash);
    const bool is_known = !known.text.empty() && known.hash == hash;
    if (is_known ? known.text == text : IsSetOf(SlotSet(word), pair, slots)) {
      set_word(SlotSet(word).Insert(slot, order, reclaimer_).word());
      if (!is_known) Remember(hash, std::move(text));
      return;
    }
  }
  // Several pairs of one hash: each has its own set.
  Forget(hash);
  std::vector<uint64_t> words = WordsOf(word);
  const auto own = std::find_if(words.begin(), words.end(),
                                [&](uint64_t one) { return IsCollided(word) && IsSetOf(SlotSet(one), pair, slots); });
  if (own == words.end()) {
    words.push_back(SlotSet().Insert(slot, order, reclaimer_).word());
    ++pairs_;
  } else {
    *own = SlotSet(*own).Insert(slot, order, reclaimer_).word();
  }
  if (IsCollided(word)) reclaimer_->Drop(Collided(word));
  set_word(NewCollided(words, reclaimer_));
}

void PairIndexWriter::Add(const std::vector<Pair>& pairs, Slot slot, const SlotVector& slots, const uint64_t* order) {
  std::vector<std::pair<std::string, uint64_t>> texts;
  texts.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    std::string text = PairHash::Text(pair);
    const uint64_t hash = hash_(text);
    PairMap::Prefetch(index_.root_, hash);
    texts.emplace_back(std::move(text), hash);
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    AddOne(pairs[i], std::move(texts[i].first), texts[i].second, slot, slots, order);
  }
}

void PairIndexWriter::Remove(const std::vector<Pair>& pairs, Slot slot, const SlotVector& slots,
                             const uint64_t* order) {
  for (const Pair& pair : pairs) {
    const uint64_t hash = hash_(PairHash::Text(pair));
    const uint64_t word = PairMap::Find(index_.root_, hash);
    std::vector<uint64_t> words = WordsOf(word);
    // A hash with one set has that of this pair: the object is indexed under it.
    const auto own = words.size() == 1 ? words.begin() : std::find_if(words.begin(), words.end(), [&](uint64_t one) {
      return IsSetOf(SlotSet(one), pair, slots);
    });
    TM_CHECK(own != words.end() && *own != 0) << "slot " << slot << " is not indexed under " << pair.key;
    *own = SlotSet(*own).Erase(slot, order, reclaimer_).word();
    if (*own == 0) {
      words.erase(own);
      --pairs_;
      Forget(hash);
    }
    uint64_t next = words.empty() ? 0 : words[0];
    if (IsCollided(word)) {
      reclaimer_->Drop(Collided(word));
      if (words.size() > 1) next = NewCollided(words, reclaimer_);
    }
    if (next != word) index_.root_ = PairMap::Set(index_.root_, hash, next, reclaimer_);
  }
}

}  // namespace tidemark::cache
