// ChangeId names one change of one key: `main` is the revision of its transaction, `sub` its place in that transaction,
// from 0.
//
// Thread-safety: immutable value.
// Invariants:    main 0 means "none".
#ifndef TIDEMARK_STORE_MVCC_CHANGE_ID_H_
#define TIDEMARK_STORE_MVCC_CHANGE_ID_H_

#include <compare>
#include <cstdint>
#include <ostream>

namespace tidemark::mvcc {

struct ChangeId {
  int64_t main = 0;
  int64_t sub = 0;

  bool is_none() const { return main == 0; }
  friend auto operator<=>(const ChangeId&, const ChangeId&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ChangeId& change) {
    return out << change.main << "." << change.sub;
  }
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_CHANGE_ID_H_
