// LogIndex is the place of an operation in the replicated log: 1, 2, 3 ... without a gap; 0 means "before the first".
// An entry is a run of operations that is written, sent and committed whole.
//
// Thread-safety: immutable value.
// Invariants:    never converted to or from a Revision (base/revision.h): an operation may make no revision.
#ifndef TIDEMARK_STORE_RAFT_LOG_INDEX_H_
#define TIDEMARK_STORE_RAFT_LOG_INDEX_H_

#include <compare>
#include <cstdint>
#include <ostream>

namespace tidemark::raft {

class LogIndex {
 public:
  constexpr LogIndex() = default;
  constexpr explicit LogIndex(uint64_t value) : value_(value) {}

  constexpr uint64_t value() const { return value_; }
  constexpr LogIndex Next() const { return LogIndex(value_ + 1); }
  // The index so many operations further on.
  constexpr LogIndex Plus(uint64_t operations) const { return LogIndex(value_ + operations); }

  friend constexpr auto operator<=>(LogIndex, LogIndex) = default;
  friend std::ostream& operator<<(std::ostream& out, LogIndex index) { return out << index.value_; }

 private:
  uint64_t value_ = 0;
};

// Counts leaderships; rises with each start of a single member. 0 before the first.
using Term = uint64_t;

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_LOG_INDEX_H_
