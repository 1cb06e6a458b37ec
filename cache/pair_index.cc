#include "cache/pair_index.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "cache/planted_fault.h"

namespace tidemark::cache {

// The sets of pairs that share one hash, with their texts: Entry[size], then the texts one after the other.
struct CollidedNode : Piece {
  struct Entry {
    uint64_t word;
    uint64_t text_bytes;
  };
  uint32_t size;

  Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
};

namespace {

// 32,768 texts of some 100 bytes: the pairs that many objects share come by again soon, the others are read from a member.
constexpr size_t kKnownMax = 32768;
constexpr size_t kKnownMin = 64;
// So many are compared with each other; a pod has 13.
constexpr size_t kFewGains = 32;

bool IsCollided(uint64_t word) { return (word & SlotSet::kTagMask) == SlotSet::kForeignTag; }
CollidedNode* Collided(uint64_t word) { return reinterpret_cast<CollidedNode*>(word & ~SlotSet::kTagMask); }

void PrefetchSet(uint64_t word) { __builtin_prefetch(reinterpret_cast<const void*>(word & ~SlotSet::kTagMask)); }

using Collisions = std::vector<std::pair<std::string, uint64_t>>;  // text and set

uint64_t NewCollided(const Collisions& collisions, Reclaimer* reclaimer) {
  static_assert(sizeof(CollidedNode) == 8);
  size_t bytes = sizeof(CollidedNode) + collisions.size() * sizeof(CollidedNode::Entry);
  for (const auto& [text, word] : collisions) bytes += text.size();
  CollidedNode* const node = static_cast<CollidedNode*>(reclaimer->Allocate(bytes));
  node->size = static_cast<uint32_t>(collisions.size());
  CollidedNode::Entry* entry = node->entries();
  char* out = reinterpret_cast<char*>(entry + collisions.size());
  for (const auto& [text, word] : collisions) {
    *entry++ = {word, text.size()};
    std::memcpy(out, text.data(), text.size());
    out += text.size();
  }
  return reinterpret_cast<uint64_t>(node) | SlotSet::kForeignTag;
}

Collisions CollisionsOf(uint64_t word) {
  CollidedNode* const node = Collided(word);
  const char* text = reinterpret_cast<const char*>(node->entries() + node->size);
  Collisions collisions;
  for (uint32_t i = 0; i < node->size; ++i) {
    const CollidedNode::Entry& entry = node->entries()[i];
    collisions.emplace_back(std::string(text, entry.text_bytes), entry.word);
    text += entry.text_bytes;
  }
  return collisions;
}

Collisions::iterator FindText(Collisions* collisions, absl::string_view text) {
  return std::find_if(collisions->begin(), collisions->end(),
                      [text](const auto& entry) { return entry.first == text; });
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

// The key's length keeps apart what a separator could not: texts may hold any character.
size_t PairHash::TextBytes(const Pair& pair) { return 1 + sizeof(uint32_t) + pair.key.size() + pair.value.size(); }

char* PairHash::WriteText(const Pair& pair, char* out) {
  const uint32_t key_length = static_cast<uint32_t>(pair.key.size());
  *out++ = static_cast<char>(pair.kind);
  std::memcpy(out, &key_length, sizeof(key_length));
  out += sizeof(key_length);
  std::memcpy(out, pair.key.data(), pair.key.size());
  out += pair.key.size();
  if (!pair.value.empty()) std::memcpy(out, pair.value.data(), pair.value.size());
  return out + pair.value.size();
}

std::string PairHash::Text(const Pair& pair) {
  std::string text(TextBytes(pair), '\0');
  WriteText(pair, text.data());
  return text;
}

SlotSet PairIndex::Find(const Pair& pair, const PairHash& hash, const ObjectSchema& schema, const SlotVector& slots,
                        ObjectReader* reader) const {
  const std::string text = PairHash::Text(pair);
  const uint64_t word = PairMap::Find(root_, hash(text));
  if (word == 0) return SlotSet();
  if (IsCollided(word)) {
    Collisions collisions = CollisionsOf(word);
    const auto own = FindText(&collisions, text);
    return own == collisions.end() ? SlotSet() : SlotSet(own->second);
  }
  const SlotSet set(word);
  return HasPair(reader->Read(*slots.Get(set.First())), schema, pair) ? set : SlotSet();
}

void PairIndex::ForEachSet(absl::FunctionRef<void(uint64_t hash, SlotSet set)> visit) const {
  PairMap::ForEach(root_, [visit](uint64_t hash, uint64_t word) {
    if (!IsCollided(word)) return visit(hash, SlotSet(word));
    for (const auto& [text, one] : CollisionsOf(word)) visit(hash, SlotSet(one));
  });
}

void PairIndex::ForEachNode(absl::FunctionRef<void(Piece*)> visit) const {
  ForEachSet([visit](uint64_t, SlotSet set) { set.ForEachNode(visit); });
  PairMap::ForEach(root_, [visit](uint64_t, uint64_t word) {
    if (IsCollided(word)) visit(Collided(word));
  });
  PairMap::ForEachNode(root_, visit);
}

PairIndexWriter::PairIndexWriter(std::shared_ptr<const ObjectSchema> schema, const PairHash& hash, Reclaimer* reclaimer)
    : schema_(schema), hash_(hash), reclaimer_(reclaimer), reader_(std::move(schema)), known_(kKnownMin) {}

PairIndexWriter::Known* PairIndexWriter::FindKnown(uint64_t hash) {
  Known* const places = KnownPlaces(hash);
  return places[0].Is(hash) ? &places[0] : places[1].Is(hash) ? &places[1] : nullptr;
}

void PairIndexWriter::Remember(const Gain& gain, uint64_t word) {
  if (pairs_ > known_.size() && known_.size() < kKnownMax) {
    std::vector<Known> old = std::exchange(known_, std::vector<Known>(2 * known_.size()));
    for (Known& known : old) {
      if (known.text.empty()) continue;
      Known* const places = KnownPlaces(known.hash);
      (places[0].text.empty() ? places[0] : places[1]) = std::move(known);
    }
  }
  Known* const places = KnownPlaces(gain.hash);
  if (!places[0].text.empty()) {
    // Most pairs come once: a new one does not drive out what has come by again.
    if (gain.word == 0 && !places[1].text.empty()) return;
    std::swap(places[0], places[1]);
  }
  places[0].hash = gain.hash;
  places[0].word = word;
  places[0].text.assign(gain.text.data(), gain.text.size());
}

void PairIndexWriter::Forget(uint64_t hash) {
  if (Known* const known = FindKnown(hash)) known->text.clear();
}

void PairIndexWriter::SetWord(uint64_t hash, uint64_t old_word, uint64_t word) {
  // A set that was changed in place keeps its word; then the path to it is ours already.
  if (word == old_word) return;
  index_.root_ = PairMap::Set(index_.root_, hash, word, reclaimer_);
  if (Known* const known = FindKnown(hash)) known->word = word;
}

// Whether the only set of the pair's hash is the pair's own.
bool PairIndexWriter::IsSetOf(const Gain& gain, const SlotVector& slots) {
  if (FindKnown(gain.hash) != nullptr) return false;  // as another pair's
  if (!HasPair(reader_.Read(*slots.Get(SlotSet(gain.word).First())), *schema_, *gain.pair)) return false;
  Remember(gain, gain.word);
  return true;
}

// Sees to it that a set of the gain's hash is known by its text if it is another pair's, or if more than one is gained.
void PairIndexWriter::Separate(const SlotVector& slots, Gain* gain) {
  if (gain->known) return;
  gain->word = PairMap::Find(index_.root_, gain->hash);
  if (!gain->shared && gain->word == 0) return;
  if (IsCollided(gain->word)) return;
  PrefetchSet(gain->word);
  if (!gain->shared && IsSetOf(*gain, slots)) return;
  Collisions collisions;
  if (gain->word != 0) {
    ForEachPair(reader_.Read(*slots.Get(SlotSet(gain->word).First())), *schema_, [&](const Pair& pair) {
      std::string text = PairHash::Text(pair);
      if (hash_(text) == gain->hash) collisions.emplace_back(std::move(text), gain->word);
    });
    TM_CHECK(collisions.size() == 1) << "a member has " << collisions.size() << " pairs of one hash";
  }
  Forget(gain->hash);
  const uint64_t collided = NewCollided(collisions, reclaimer_);
  SetWord(gain->hash, gain->word, collided);
  gain->word = collided;
}

void PairIndexWriter::Add(const Gain& gain, Slot slot, const uint64_t* order) {
  if (IsCollided(gain.word)) return AddCollided(gain, slot, order);
  const uint64_t word = SlotSet(gain.word).Insert(slot, order, reclaimer_).word();
  SetWord(gain.hash, gain.word, word);
  if (gain.word != 0) return;
  ++pairs_;
  Remember(gain, word);
}

void PairIndexWriter::AddCollided(const Gain& gain, Slot slot, const uint64_t* order) {
  // Other gains of the hash may have changed the word since.
  const uint64_t word = PairMap::Find(index_.root_, gain.hash);
  Collisions collisions = CollisionsOf(word);
  auto own = FindText(&collisions, gain.text);
  if (own == collisions.end()) {
    own = collisions.emplace(collisions.end(), std::string(gain.text), 0);
    ++pairs_;
  }
  own->second = SlotSet(own->second).Insert(slot, order, reclaimer_).word();
  reclaimer_->Drop(Collided(word));
  SetWord(gain.hash, word, NewCollided(collisions, reclaimer_));
}

void PairIndexWriter::Remove(const Pair& pair, Slot slot, const uint64_t* order) {
  if (HasFault("index-entry-left-behind") && slot % 4 == 0) return;
  const std::string text = PairHash::Text(pair);
  const uint64_t hash = hash_(text);
  const uint64_t word = PairMap::Find(index_.root_, hash);
  TM_CHECK(word != 0) << "slot " << slot << " is not indexed under " << pair.key;
  if (!IsCollided(word)) {
    const uint64_t next = SlotSet(word).Erase(slot, order, reclaimer_).word();
    SetWord(hash, word, next);
    if (next != 0) return;
    --pairs_;
    Forget(hash);
    return;
  }
  Collisions collisions = CollisionsOf(word);
  const auto own = FindText(&collisions, text);
  TM_CHECK(own != collisions.end()) << "slot " << slot << " is not indexed under " << pair.key;
  own->second = SlotSet(own->second).Erase(slot, order, reclaimer_).word();
  if (own->second == 0) {
    collisions.erase(own);
    --pairs_;
  }
  reclaimer_->Drop(Collided(word));
  // One left alone needs no text, unless nothing is left, not even it.
  const uint64_t next = collisions.empty()       ? 0
                        : collisions.size() == 1 ? collisions[0].second
                                                 : NewCollided(collisions, reclaimer_);
  SetWord(hash, word, next);
}

void PairIndexWriter::CollectGains(const std::vector<Pair>& gained) {
  size_t bytes = 0;
  for (const Pair& pair : gained) bytes += PairHash::TextBytes(pair);
  if (texts_.size() < bytes) texts_.resize(bytes);
  char* out = texts_.data();
  gains_.clear();
  for (const Pair& pair : gained) {
    const char* const begin = out;
    out = PairHash::WriteText(pair, out);
    const absl::string_view text(begin, static_cast<size_t>(out - begin));
    const uint64_t hash = hash_(text);
    __builtin_prefetch(KnownPlaces(hash));
    gains_.push_back({&pair, text, hash, 0, false, false});
  }
  // In two rounds, so that what is slow to come comes together.
  for (const Gain& gain : gains_) {
    if (const Known* const known = FindKnown(gain.hash)) {
      __builtin_prefetch(known->text.data());
      PrefetchSet(known->word);
    } else {
      PairMap::Prefetch(index_.root_, gain.hash);
    }
  }
  for (Gain& gain : gains_) {
    const Known* const known = FindKnown(gain.hash);
    gain.known = known != nullptr && known->text == gain.text;
    if (gain.known) gain.word = known->word;
  }
}

// Of two pairs of one hash at least one is not known.
void PairIndexWriter::FindShared() {
  if (gains_.size() > kFewGains) return FindSharedOfMany();
  for (Gain& gain : gains_) {
    if (gain.known) continue;
    for (Gain& other : gains_) {
      if (&other == &gain || other.hash != gain.hash) continue;
      gain.shared = other.shared = true;
      other.known = false;
    }
  }
}

void PairIndexWriter::FindSharedOfMany() {
  std::vector<uint64_t> hashes;
  hashes.reserve(gains_.size());
  for (const Gain& gain : gains_) hashes.push_back(gain.hash);
  std::sort(hashes.begin(), hashes.end());
  for (Gain& gain : gains_) {
    const auto [first, last] = std::equal_range(hashes.begin(), hashes.end(), gain.hash);
    if (last - first == 1) continue;
    gain.shared = true;
    gain.known = false;
  }
}

void PairIndexWriter::Update(const std::vector<Pair>& gained, const std::vector<Pair>& lost, Slot slot,
                             const SlotVector& slots, const uint64_t* order) {
  CollectGains(gained);
  FindShared();
  // While the index agrees with `slots`, members say what their sets stand for; from the first change on, texts must.
  for (Gain& gain : gains_) Separate(slots, &gain);
  for (const Gain& gain : gains_) Add(gain, slot, order);
  for (const Pair& pair : lost) Remove(pair, slot, order);
}

void PairIndexWriter::Check() const {
  index_.Check();
  for (const Known& known : known_) {
    if (known.text.empty()) continue;
    TM_CHECK(hash_(known.text) == known.hash) << "a text is known by another hash";
    TM_CHECK(PairMap::Find(index_.root_, known.hash) == known.word) << "what is known of a hash is out of date";
  }
}

}  // namespace tidemark::cache
