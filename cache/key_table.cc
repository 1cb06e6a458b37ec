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
  for (size_t place = hash_(key) & mask;; place = (place + 1) & mask) {
    const Slot slot = table_[place];
    if (slot == kEmpty) return table_.size();
    if (slot != kErased && slots.Get(slot)->key() == key) return place;
  }
}

std::optional<Slot> KeyTable::Find(absl::string_view key, const SlotVector& slots) const {
  const size_t place = FindPlace(key, slots);
  return place == table_.size() ? std::nullopt : std::optional<Slot>(table_[place]);
}

void KeyTable::Place(absl::string_view key, Slot slot) {
  const size_t mask = table_.size() - 1;
  size_t place = hash_(key) & mask;
  while (table_[place] != kEmpty && table_[place] != kErased) place = (place + 1) & mask;
  if (table_[place] == kEmpty) ++used_;
  table_[place] = slot;
}

void KeyTable::Insert(absl::string_view key, Slot slot, const SlotVector& slots) {
  if (IsCrowded(used_ + 1, table_.size())) {
    size_t places = kSmallest;
    // With room for a quarter more, so that erased places do not bring the next rebuild at once.
    while (IsCrowded((size_ + 1) * 5 / 4, places)) places *= 2;
    Rebuild(places, slots);
  }
  Place(key, slot);
  ++size_;
}

void KeyTable::Erase(absl::string_view key, const SlotVector& slots) {
  const size_t place = FindPlace(key, slots);
  TM_CHECK(place < table_.size()) << "no key " << key;
  table_[place] = kErased;
  --size_;
}

void KeyTable::Rebuild(size_t places, const SlotVector& slots) {
  const std::vector<Slot> old = std::exchange(table_, std::vector<Slot>(places, kEmpty));
  used_ = 0;
  for (const Slot slot : old) {
    if (slot != kEmpty && slot != kErased) Place(slots.Get(slot)->key(), slot);
  }
}

}  // namespace tidemark::cache
