#include "store/mvcc/count_cache.h"

#include <algorithm>
#include <utility>

namespace tidemark::mvcc {

std::deque<CountCache::Walk>::iterator CountCache::FindLocked(const KeyRange& range, Revision revision) {
  return std::find_if(walks_.begin(), walks_.end(),
                      [&](const Walk& walk) { return walk.revision == revision && walk.end == range.end(); });
}

std::optional<int64_t> CountCache::Take(const KeyRange& range, Revision revision) {
  MutexLock lock(&mu_);
  const auto walk = FindLocked(range, revision);
  if (walk == walks_.end()) return std::nullopt;
  const auto place = std::find_if(walk->places.begin(), walk->places.end(),
                                  [&](const Place& place) { return place.next == range.begin(); });
  return place == walk->places.end() ? std::nullopt : std::optional<int64_t>(place->left);
}

void CountCache::Put(const KeyRange& range, Revision revision, absl::string_view last_key, int64_t left) {
  Place place{.next = std::string(last_key) + '\0', .left = left};
  MutexLock lock(&mu_);
  Walk walk{.end = range.end(), .revision = revision, .places = {}};
  if (const auto found = FindLocked(range, revision); found != walks_.end()) {
    walk = std::move(*found);
    walks_.erase(found);
  } else if (walks_.size() == kWalksMax) {
    walks_.pop_front();
  }
  // The place before this one stays: another reader of the same list may stand there.
  std::erase_if(walk.places, [&](const Place& other) { return other.next == place.next; });
  if (walk.places.size() == kPlacesMax) walk.places.erase(walk.places.begin());
  walk.places.push_back(std::move(place));
  walks_.push_back(std::move(walk));
}

}  // namespace tidemark::mvcc
