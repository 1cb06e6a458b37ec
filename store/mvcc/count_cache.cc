#include "store/mvcc/count_cache.h"

#include <algorithm>
#include <utility>

namespace tidemark::mvcc {

std::optional<int64_t> CountCache::Take(const KeyRange& range, Revision revision) {
  MutexLock lock(&mu_);
  const auto found = std::find_if(walks_.begin(), walks_.end(), [&](const Walk& walk) {
    return walk.revision == revision && walk.next == range.begin() && walk.end == range.end();
  });
  return found == walks_.end() ? std::nullopt : std::optional<int64_t>(found->left);
}

void CountCache::Put(const KeyRange& range, Revision revision, absl::string_view last_key, int64_t left) {
  Walk walk{.next = std::string(last_key) + '\0', .end = range.end(), .revision = revision, .left = left};
  MutexLock lock(&mu_);
  // A walk that went on replaces its earlier place.
  std::erase_if(walks_, [&](const Walk& other) {
    return other.revision == revision && other.end == walk.end &&
           (other.next == range.begin() || other.next == walk.next);
  });
  if (walks_.size() == kWalksMax) walks_.pop_front();
  walks_.push_back(std::move(walk));
}

}  // namespace tidemark::mvcc
