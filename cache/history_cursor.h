// HistoryCursor is one watch: a place in a timeline's history, and the predicate that turns store events into what this
// watcher sees of them.
//
//   the selector held before | holds after | the watcher sees
//   no                       | yes         | ADDED
//   yes                      | yes         | MODIFIED
//   yes                      | no          | DELETED, with the old object
//   no                       | no          | nothing
//
// An object that cannot be read ends the watch, unless the query wants to see it: then it counts as selected.
//
// Thread-safety: confined to its owner, as cache.h says.
// Ownership:     keeps its timeline alive.
// Cost:          Next reads the labels and fields of the two objects of each event that its interest lets
//                through, some 0.4 us each.
#ifndef TIDEMARK_CACHE_HISTORY_CURSOR_H_
#define TIDEMARK_CACHE_HISTORY_CURSOR_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "cache/cache.h"
#include "cache/timeline.h"

namespace tidemark::cache {

// Events looked at by one Next that finds nothing to show, about 1 ms: a selector that lets nothing pass must not keep a
// thread for as long as a whole history takes.
inline constexpr size_t kEventsPerNextMax = 1'000;

class HistoryCursor : public WatchCursor {
 public:
  HistoryCursor(std::shared_ptr<Timeline> timeline, std::shared_ptr<const ObjectSchema> schema, WatchQuery query,
                std::unique_ptr<Timeline::Place> place);
  ~HistoryCursor() override;

  absl::Status Next(size_t max_events, std::vector<WatchEvent>* events) override;
  bool caught_up() const override { return caught_up_; }
  Revision revision() const override;

 private:
  enum class Sight { kNo, kYes, kUnreadable };

  absl::Status Show(const EventRef& event, ObjectReader* reader, std::vector<WatchEvent>* events) const;
  Sight See(const Object* object, ObjectReader* reader) const;

  const std::shared_ptr<Timeline> timeline_;
  const std::shared_ptr<const ObjectSchema> schema_;
  const WatchQuery query_;
  const std::unique_ptr<Timeline::Place> place_;  // at an address of its own: the registry points at it
  mutable Revision reported_;                     // what revision() said last, at least the query's
  bool caught_up_ = false;
  absl::Status failed_;  // ends the watch at the next call
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_HISTORY_CURSOR_H_
