#include "store/mvcc/tree_index.h"

#include <utility>

#include "base/check.h"

namespace tidemark::mvcc {

KeyIndex& TreeIndex::FindOrInsert(absl::string_view key) {
  const auto at = keys_.lower_bound(key);
  if (at != keys_.end() && at->first == key) return *at->second;
  auto index = std::make_unique<KeyIndex>(key);
  const absl::string_view own_key = index->key();
  return *keys_.emplace_hint(at, own_key, std::move(index))->second;
}

KeyState TreeIndex::Put(absl::string_view key, ChangeId change) { return FindOrInsert(key).Put(change); }

bool TreeIndex::Tombstone(absl::string_view key, ChangeId change) {
  const auto found = keys_.find(key);
  return found != keys_.end() && found->second->Tombstone(change);
}

void TreeIndex::Restore(absl::string_view key, ChangeId change, bool tombstone, int64_t create_revision,
                        int64_t version) {
  KeyIndex& index = FindOrInsert(key);
  if (index.empty()) {
    tombstone ? index.RestoreTombstone(change) : index.Restore(change, create_revision, version);
  } else if (tombstone) {
    TM_CHECK(index.Tombstone(change)) << key << ": " << change << " after " << index.DebugString();
  } else {
    index.Put(change);
  }
}

std::optional<KeyState> TreeIndex::Get(absl::string_view key, int64_t revision) const {
  const KeyIndex* index = Find(key);
  return index == nullptr ? std::nullopt : index->Get(revision);
}

const KeyIndex* TreeIndex::Find(absl::string_view key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : found->second.get();
}

std::optional<std::string> TreeIndex::Walk(const KeyRange& range, absl::string_view from, int64_t revision,
                                           size_t keys_max, Visitor visit) const {
  if (range.single()) {
    const std::optional<KeyState> state = Get(range.begin(), revision);
    if (state.has_value()) visit(range.begin(), *state);
    return std::nullopt;
  }
  size_t looked_at = 0;
  for (auto it = keys_.lower_bound(from); it != keys_.end() && range.IsBelowEnd(it->first); ++it) {
    if (looked_at++ == keys_max) return std::string(it->first);
    const std::optional<KeyState> state = it->second->Get(revision);
    if (state.has_value() && !visit(it->first, *state)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<CompactionCursor> TreeIndex::Compact(const CompactionCursor& from, int64_t revision, size_t keys_max,
                                                   size_t drops_max, std::vector<DroppedChange>* dropped) {
  TM_CHECK(dropped->size() < drops_max) << dropped->size();
  size_t looked_at = 0, drops = from.drops;
  auto it = keys_.lower_bound(from.key);
  // Nothing else forgets a key.
  TM_CHECK(drops == 0 || (it != keys_.end() && it->first == from.key)) << from.key;
  while (it != keys_.end()) {
    if (looked_at++ == keys_max || dropped->size() >= drops_max) return CompactionCursor{std::string(it->first)};
    const std::optional<size_t> rest =
        it->second->Compact(revision, std::exchange(drops, 0), drops_max - dropped->size(), dropped);
    if (rest.has_value()) return CompactionCursor{std::string(it->first), *rest};
    if (!it->second->empty()) {
      ++it;
      continue;
    }
    // The map's key is a view into what is erased: keep it alive until the node has gone.
    const std::unique_ptr<KeyIndex> gone = std::move(it->second);
    it = keys_.erase(it);
  }
  return std::nullopt;
}

std::optional<std::string> TreeIndex::FindCountedInHash(absl::string_view from, int64_t revision, size_t keys_max,
                                                        bool* any) const {
  size_t looked_at = 0;
  for (auto it = keys_.lower_bound(from); it != keys_.end(); ++it) {
    if (looked_at++ == keys_max) return std::string(it->first);
    *any = it->second->AnyCountsInHash(revision);
    if (*any) return std::nullopt;
  }
  return std::nullopt;
}

void TreeIndex::CheckInvariants() const {
  for (const auto& [key, index] : keys_) {
    TM_CHECK(key == index->key() && key.data() == index->key().data()) << key;
    index->CheckInvariants();
  }
}

}  // namespace tidemark::mvcc
