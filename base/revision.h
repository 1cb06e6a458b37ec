// Revision is the store's counter: one per committed write transaction, the same number in the store, the mirror and, as text,
// in every Kubernetes resourceVersion.
//
// Thread-safety: immutable value.
// Invariants:    0 means "none"; a store starts at 1, its first write gets 2 (etcd). Never converted to or from a Raft LogIndex.
#ifndef TIDEMARK_BASE_REVISION_H_
#define TIDEMARK_BASE_REVISION_H_

#include <compare>
#include <cstdint>
#include <ostream>

namespace tidemark {

class Revision {
 public:
  constexpr Revision() = default;
  constexpr explicit Revision(int64_t value) : value_(value) {}

  constexpr int64_t value() const { return value_; }
  constexpr bool is_none() const { return value_ == 0; }
  constexpr Revision Next() const { return Revision(value_ + 1); }
  constexpr Revision Previous() const { return Revision(value_ - 1); }

  friend constexpr auto operator<=>(Revision, Revision) = default;

  template <typename H>
  friend H AbslHashValue(H state, Revision revision) {
    return H::combine(std::move(state), revision.value_);
  }
  friend std::ostream& operator<<(std::ostream& out, Revision revision) { return out << revision.value_; }

 private:
  int64_t value_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_BASE_REVISION_H_
