// KeyRange is etcd's convention of key and range_end: an empty end is the single key, "\0" is everything from the key
// on, and anything else the half-open range [key, end).
//
// Thread-safety: plain value.
#ifndef TIDEMARK_STORE_MVCC_KEY_RANGE_H_
#define TIDEMARK_STORE_MVCC_KEY_RANGE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::mvcc {

class KeyRange {
 public:
  // Both as on the wire. `key` may be "\0" with end "\0": all keys.
  KeyRange(absl::string_view key, absl::string_view range_end)
      : begin_(key), end_(range_end), single_(range_end.empty()), unbounded_(range_end == absl::string_view("\0", 1)) {}

  const std::string& begin() const { return begin_; }
  // Empty for a single key, "\0" for an unbounded range.
  const std::string& end() const { return end_; }
  bool single() const { return single_; }
  bool unbounded() const { return unbounded_; }
  // No key can lie in it.
  bool empty() const { return !single_ && !unbounded_ && begin_ >= end_; }

  bool Contains(absl::string_view key) const { return single_ ? key == begin_ : key >= begin_ && IsBelowEnd(key); }
  // REQUIRES: !single().
  bool IsBelowEnd(absl::string_view key) const { return unbounded_ || key < end_; }

 private:
  std::string begin_;
  std::string end_;
  bool single_;
  bool unbounded_;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_KEY_RANGE_H_
