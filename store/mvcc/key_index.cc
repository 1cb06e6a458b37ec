#include "store/mvcc/key_index.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace tidemark::mvcc {

void KeyIndex::BeginGeneration(int64_t create_revision, int64_t first_version) {
  generations_.push_back({.begin = static_cast<uint32_t>(changes_.size()),
                          .first_version = first_version,
                          .create_revision = create_revision});
}

size_t KeyIndex::EndOf(size_t generation) const {
  return generation + 1 < generations_.size() ? generations_[generation + 1].begin : changes_.size();
}

KeyState KeyIndex::Put(ChangeId change) {
  TM_CHECK(changes_.empty() || newest() < change) << key_ << ": " << change << " after " << newest();
  if (!alive()) BeginGeneration(change.main, 1);
  changes_.emplace_back(change, false);
  const Generation& generation = generations_.back();
  return {.modified = change,
          .create_revision = generation.create_revision,
          .version = generation.first_version + static_cast<int64_t>(changes_.size() - 1 - generation.begin)};
}

bool KeyIndex::Tombstone(ChangeId change) {
  if (!alive()) return false;
  TM_CHECK(newest() < change) << key_ << ": " << change << " after " << newest();
  changes_.emplace_back(change, true);
  return true;
}

void KeyIndex::Restore(ChangeId change, int64_t create_revision, int64_t version) {
  TM_CHECK(empty() && version > 0) << key_ << ": " << DebugString();
  BeginGeneration(create_revision, version);
  changes_.emplace_back(change, false);
}

void KeyIndex::RestoreTombstone(ChangeId change) {
  TM_CHECK(empty()) << key_ << ": " << DebugString();
  BeginGeneration(0, 0);
  changes_.emplace_back(change, true);
}

size_t KeyIndex::CountUpTo(int64_t revision) const {
  // Most reads want the newest change.
  if (!changes_.empty() && changes_.back().main <= revision) return changes_.size();
  const auto above = std::upper_bound(changes_.begin(), changes_.end(), revision,
                                      [](int64_t wanted, const Change& change) { return wanted < change.main; });
  return static_cast<size_t>(above - changes_.begin());
}

std::optional<KeyState> KeyIndex::Get(int64_t revision) const {
  const size_t count = CountUpTo(revision);
  if (count == 0 || changes_[count - 1].tombstone()) return std::nullopt;
  const size_t at = count - 1;
  size_t generation = generations_.size() - 1;
  while (generations_[generation].begin > at) --generation;
  const Generation& life = generations_[generation];
  return KeyState{.modified = changes_[at].id(),
                  .create_revision = life.create_revision,
                  .version = life.first_version + static_cast<int64_t>(at - life.begin)};
}

size_t KeyIndex::FirstReachable(int64_t revision) const {
  // Lives end one after the other.
  const auto reachable =
      std::partition_point(generations_.begin(), generations_.end(), [this, revision](const Generation& life) {
        const Change& last = changes_[EndOf(static_cast<size_t>(&life - generations_.data())) - 1];
        return last.tombstone() && last.main < revision;
      });
  return static_cast<size_t>(reachable - generations_.begin());
}

std::optional<size_t> KeyIndex::NewestUpTo(size_t generation, int64_t revision) const {
  const size_t count = std::min(CountUpTo(revision), EndOf(generation));
  if (count <= generations_[generation].begin) return std::nullopt;
  return count - 1;
}

std::optional<size_t> KeyIndex::Compact(int64_t revision, size_t from, size_t drops_max,
                                        std::vector<DroppedChange>* dropped) {
  const size_t generation = FirstReachable(revision);
  const bool all = generation == generations_.size();
  const size_t keep_from =
      all ? changes_.size() : NewestUpTo(generation, revision).value_or(generations_[generation].begin);
  TM_CHECK(from <= keep_from) << key_ << ": " << from << " of " << keep_from;
  const size_t to = from + std::min(drops_max, keep_from - from);
  for (size_t i = from; i < to; ++i) dropped->push_back({changes_[i].id(), changes_[i].tombstone()});
  if (to < keep_from) return to;
  if (keep_from > 0) Forget(generation, keep_from);
  return std::nullopt;
}

void KeyIndex::Forget(size_t generation, size_t keep_from) {
  if (generation < generations_.size()) {
    Generation& first = generations_[generation];
    first.first_version += static_cast<int64_t>(keep_from - first.begin);
    first.begin = static_cast<uint32_t>(keep_from);
  }
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<ptrdiff_t>(keep_from));
  generations_.erase(generations_.begin(), generations_.begin() + static_cast<ptrdiff_t>(generation));
  for (Generation& life : generations_) life.begin -= static_cast<uint32_t>(keep_from);
}

std::optional<size_t> KeyIndex::CountedInHash(int64_t revision) const {
  const size_t generation = FirstReachable(revision);
  if (generation == generations_.size()) return std::nullopt;
  const std::optional<size_t> newest = NewestUpTo(generation, revision);
  return newest.has_value() && !changes_[*newest].tombstone() ? newest : std::nullopt;
}

bool KeyIndex::CountsInHash(ChangeId change, int64_t revision) const {
  const std::optional<size_t> counted = CountedInHash(revision);
  return counted.has_value() && changes_[*counted].id() == change;
}

bool KeyIndex::AnyCountsInHash(int64_t revision) const { return CountedInHash(revision).has_value(); }

std::string KeyIndex::DebugString() const {
  std::string out;
  for (size_t generation = 0; generation < generations_.size(); ++generation) {
    absl::StrAppend(&out, out.empty() ? "{" : " {");
    for (size_t i = generations_[generation].begin; i < EndOf(generation); ++i) {
      const ChangeId change = changes_[i].id();
      absl::StrAppend(&out, i == generations_[generation].begin ? "" : ", ", change.main, ".", change.sub,
                      changes_[i].tombstone() ? "t" : "");
    }
    absl::StrAppend(&out, "}");
  }
  return out;
}

void KeyIndex::CheckInvariants() const {
  TM_CHECK(!changes_.empty() && !generations_.empty() && generations_[0].begin == 0) << key_;
  for (size_t i = 1; i < changes_.size(); ++i) {
    TM_CHECK(changes_[i - 1].id() < changes_[i].id()) << key_ << ": " << DebugString();
  }
  for (size_t generation = 0; generation < generations_.size(); ++generation) {
    const size_t end = EndOf(generation);
    TM_CHECK(generations_[generation].begin < end) << key_ << ": " << DebugString();
    for (size_t i = generations_[generation].begin; i + 1 < end; ++i) {
      TM_CHECK(!changes_[i].tombstone()) << key_ << ": " << DebugString();
    }
    const bool closed = changes_[end - 1].tombstone();
    TM_CHECK(closed || generation + 1 == generations_.size()) << key_ << ": " << DebugString();
  }
}

}  // namespace tidemark::mvcc
