#include "cache/key_table.h"

#include <utility>

#include "base/check.h"

namespace tidemark::cache {
namespace {

constexpr size_t kSmallest = 16;

// Beyond seven tenths look-ups get long.
bool IsCrowded(size_t used, size_t places) { return used * 10 > places * 7; }

}  // namespace

size_t KeyTable::FindPlace(absl::string_view key, const SlotVector& slots) const {
  if (table_.empty()) return 0;
  const size_t mask = table_.size() - 1;
  const uint32_t hash = Hash(key);
  for (size_t place = hash & mask;; place = (place + 1) & mask) {
    const Entry entry = table_[place];
    if (entry.slot == kEmpty) return table_.size();
    if (entry.hash == hash && entry.slot != kErased && slots.Get(entry.slot)->key() == key) return place;
  }
}

std::optional<Slot> KeyTable::Find(absl::string_view key, const SlotVector& slots) const {
  const size_t place = FindPlace(key, slots);
  return place == table_.size() ? std::nullopt : std::optional<Slot>(table_[place].slot);
}

void KeyTable::Place(Entry entry) {
  const size_t mask = table_.size() - 1;
  size_t place = entry.hash & mask;
  while (table_[place].slot != kEmpty && table_[place].slot != kErased) place = (place + 1) & mask;
  if (table_[place].slot == kEmpty) ++used_;
  table_[place] = entry;
}

void KeyTable::Insert(absl::string_view key, Slot slot) {
  if (IsCrowded(used_ + 1, table_.size())) {
    size_t places = kSmallest;
    // With room for a quarter more, so that erased places do not bring the next rebuild at once.
    while (IsCrowded((size_ + 1) * 5 / 4, places)) places *= 2;
    Rebuild(places);
  }
  Place({slot, Hash(key)});
  ++size_;
}

void KeyTable::Erase(absl::string_view key, const SlotVector& slots) {
  const size_t place = FindPlace(key, slots);
  TM_CHECK(place < table_.size()) << "no key " << key;
  table_[place].slot = kErased;
  --size_;
}

void KeyTable::Rebuild(size_t places) {
  const std::vector<Entry> old = std::exchange(table_, std::vector<Entry>(places, Entry{kEmpty, 0}));
  used_ = 0;
  for (const Entry& entry : old) {
    if (entry.slot != kEmpty && entry.slot != kErased) Place(entry);
  }
}

}  // namespace tidemark::cache
