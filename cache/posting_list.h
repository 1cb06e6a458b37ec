// PostingList holds the sequence numbers of the events in a history that one interest may concern, oldest first.
// Positions count all postings ever made, so that a cursor's position stays right when old postings are dropped.
//
// Thread-safety: thread-compatible.
// Invariants:    sequences ascend; begin() <= end(), both only rise.
// Cost:          8 bytes a posting; Push and DropBelow O(1) amortised, PositionOf O(log n).
#ifndef TIDEMARK_CACHE_POSTING_LIST_H_
#define TIDEMARK_CACHE_POSTING_LIST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"

namespace tidemark::cache {

class PostingList {
 public:
  // One that is pushed twice in a row counts once: an update may concern an interest by its old and its new object.
  void Push(uint64_t sequence) {
    TM_DCHECK(begin() == end() || sequences_.back() <= sequence);
    if (begin() == end() || sequences_.back() != sequence) sequences_.push_back(sequence);
  }

  uint64_t begin() const { return base_ + head_; }
  uint64_t end() const { return base_ + sequences_.size(); }
  // REQUIRES: begin() <= position < end().
  uint64_t at(uint64_t position) const { return sequences_[position - base_]; }
  // The first position whose sequence is at least `sequence`.
  uint64_t PositionOf(uint64_t sequence) const {
    const auto from = sequences_.begin() + static_cast<ptrdiff_t>(head_);
    return base_ + static_cast<uint64_t>(std::lower_bound(from, sequences_.end(), sequence) - sequences_.begin());
  }

  // Forgets postings below `sequence`.
  void DropBelow(uint64_t sequence) {
    while (head_ < sequences_.size() && sequences_[head_] < sequence) ++head_;
    // Moving what is left costs no more than the drops before it.
    if (head_ < kSlack || head_ < sequences_.size() - head_) return;
    sequences_.erase(sequences_.begin(), sequences_.begin() + static_cast<ptrdiff_t>(head_));
    base_ += head_;
    head_ = 0;
    if (sequences_.capacity() > 4 * sequences_.size() + kSlack) sequences_.shrink_to_fit();
  }

 private:
  static constexpr size_t kSlack = 16;  // dropped postings not worth a move

  std::vector<uint64_t> sequences_;
  size_t head_ = 0;    // dropped, still in the vector
  uint64_t base_ = 0;  // dropped and gone
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_POSTING_LIST_H_
