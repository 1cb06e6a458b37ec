// KeyRangeSet is a set of keys that is given by ranges, kept as few disjoint intervals: whether a key lies in any of many
// ranges is one search.
//
// Thread-safety: thread-compatible.
// Cost:          Contains O(log ranges), Add the same amortised.
#ifndef TIDEMARK_STORE_MVCC_KEY_RANGE_SET_H_
#define TIDEMARK_STORE_MVCC_KEY_RANGE_SET_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "store/mvcc/key_range.h"

namespace tidemark::mvcc {

class KeyRangeSet {
 public:
  // REQUIRES: !range.unbounded().
  void Add(const KeyRange& range) {
    TM_CHECK(!range.unbounded());
    if (range.empty()) return;
    AddInterval(range.begin(), range.single() ? range.begin() + '\0' : range.end());
  }

  void AddAll(const KeyRangeSet& other) {
    for (const auto& [begin, end] : other.end_of_) AddInterval(begin, end);
  }

  bool Contains(absl::string_view key) const {
    const auto behind = end_of_.upper_bound(key);
    return behind != end_of_.begin() && key < std::prev(behind)->second;
  }

  // Intervals that are left.
  size_t size() const { return end_of_.size(); }

 private:
  // Swallows every interval that it meets or touches.
  void AddInterval(std::string begin, std::string end) {
    auto at = end_of_.upper_bound(begin);
    if (at != end_of_.begin() && std::prev(at)->second >= begin) {
      --at;
      begin = at->first;
    }
    while (at != end_of_.end() && at->first <= end) {
      end = std::max(end, at->second);
      at = end_of_.erase(at);
    }
    end_of_.emplace(std::move(begin), std::move(end));
  }

  // Half-open and disjoint.
  absl::btree_map<std::string, std::string> end_of_;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_KEY_RANGE_SET_H_
