// WeakList knows objects that live elsewhere, and forgets those that have gone: a registry that nobody signs off from.
//
// Thread-safety: thread-compatible.
// Ownership:     none of its objects.
// Invariants:    size() <= max(kSweepMin, 2 * objects alive at the last sweep).
// Cost:          Add is amortised O(1): a sweep over n entries comes after n / 2 additions.
#ifndef TIDEMARK_STORE_SERVER_WEAK_LIST_H_
#define TIDEMARK_STORE_SERVER_WEAK_LIST_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tidemark::store {

template <typename T>
class WeakList {
 public:
  // So few are not worth a sweep.
  static constexpr size_t kSweepMin = 16;

  void Add(std::weak_ptr<T> object) {
    if (items_.size() >= sweep_at_) {
      std::erase_if(items_, [](const std::weak_ptr<T>& item) { return item.expired(); });
      sweep_at_ = std::max(kSweepMin, 2 * items_.size());
    }
    items_.push_back(std::move(object));
  }

  // The objects alive, and some that have gone.
  const std::vector<std::weak_ptr<T>>& items() const { return items_; }
  size_t size() const { return items_.size(); }

 private:
  std::vector<std::weak_ptr<T>> items_;
  size_t sweep_at_ = kSweepMin;  // the size at which the next sweep is due
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_WEAK_LIST_H_
