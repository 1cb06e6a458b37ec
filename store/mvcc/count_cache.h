// CountCache remembers, for lists that are read page by page, how many keys are left behind the last page. Range
// answers the count of its whole range, so without this every page would walk the index to the end, and a walk of pages
// would be quadratic.
//
// A page [from, end) at revision R that returned n keys, the last one K, of `count` leaves count - n in
// [K + "\0", end) at R: the next page's range. What a revision holds never changes, so an entry is right for as long as
// the revision may be read.
//
// Thread-safety: thread-safe.
// Units:         keeps the newest kWalksMax walks, and of each the newest kPlacesMax places.
// Cost:          O(kWalksMax) under a lock, which is far less than one page.
#ifndef TIDEMARK_STORE_MVCC_COUNT_CACHE_H_
#define TIDEMARK_STORE_MVCC_COUNT_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "store/mvcc/key_range.h"

namespace tidemark::mvcc {

class CountCache {
 public:
  // Lists that are read page by page at one time; one more only costs a walk of the index.
  static constexpr size_t kWalksMax = 64;
  // Equal lists are one walk, in which several readers may stand at different pages; who falls further behind than this
  // walks the index itself.
  static constexpr size_t kPlacesMax = 8;

  // Keys in the range at `revision`, if the page before it was among the last of a walk.
  std::optional<int64_t> Take(const KeyRange& range, Revision revision);
  // A page of the range ended with `last_key`; `left` keys lie behind it.
  void Put(const KeyRange& range, Revision revision, absl::string_view last_key, int64_t left);

 private:
  struct Place {
    std::string next;  // where the next page begins
    int64_t left = 0;
  };
  struct Walk {
    std::string end;  // KeyRange::end()
    Revision revision;
    std::vector<Place> places;  // oldest first
  };

  std::deque<Walk>::iterator FindLocked(const KeyRange& range, Revision revision) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  Mutex mu_;
  std::deque<Walk> walks_ ABSL_GUARDED_BY(mu_);  // oldest first
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_COUNT_CACHE_H_
