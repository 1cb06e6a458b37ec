// RangeCursor reads one range at one revision in portions, so that a stream of them walks the index once, whatever its
// length (a paged Range walks the rest of the range for each page, to count it).
//
//   RangeCursor cursor(store, request);
//   while (!cursor.done()) TM_RETURN_IF_ERROR(cursor.Next(keys_max, bytes_max, &wire));
//   // wire: RangeResponses without header, more and count
//
// Thread-safety: thread-compatible.
// Ownership:     borrows the store; keeps the request.
// Errors:        kFutureRevision; kCompacted also when a compaction overtakes the cursor.
// Cost:          all portions together O(log n + keys of the range).
#ifndef TIDEMARK_STORE_MVCC_RANGE_CURSOR_H_
#define TIDEMARK_STORE_MVCC_RANGE_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/revision.h"
#include "store/mvcc/mvcc_store.h"

namespace tidemark::mvcc {

class RangeCursor {
 public:
  // The revision is pinned here. REQUIRES: the request has passed CheckRange, and has no sort, no
  // filter and no count_only.
  RangeCursor(const MvccStore& store, const etcdserverpb::RangeRequest& request);

  // Appends up to `keys_max` further keys to `wire`, as elements of RangeResponse.kvs, fewer when it has `bytes_max` bytes
  // before, but one at least: beyond that limit it is by one key at most. REQUIRES: !done(), keys_max > 0.
  absl::Status Next(size_t keys_max, size_t bytes_max, std::string* wire);

  // The range or the limit is exhausted; more() and count() are right from then on.
  bool done() const { return done_; }
  bool more() const { return more_; }
  int64_t count() const { return count_; }
  // The store's revision when the cursor was made.
  Revision store_revision() const { return store_revision_; }

 private:
  // What one call of Next has found in the index.
  struct Found {
    std::vector<ChangeId> changes;
    // Of keys_only, whose answer they are.
    std::vector<std::string> keys;
    std::vector<KeyState> states;
  };

  // Sets next_key_ to the first key that was left. False when there is none.
  absl::StatusOr<bool> Find(size_t keys_max, Found* found);
  // How many were appended. If not all, next_key_ is the first of the rest.
  absl::StatusOr<size_t> Append(const Found& found, size_t bytes_max, std::string* wire);
  size_t AppendKeys(const Found& found, size_t bytes_max, std::string* wire);
  absl::Status CountRest();

  const MvccStore& store_;
  const Revision store_revision_;
  const Revision revision_;  // what is read
  const std::string range_end_;
  const bool keys_only_;
  int64_t limit_left_;  // negative: no limit
  std::string next_key_;
  bool done_ = false;
  bool more_ = false;
  int64_t count_ = 0;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_RANGE_CURSOR_H_
