// RangeReader answers one Range request: it walks the index at one revision, sorts and cuts by what the index knows,
// and fetches only the records that are returned.
//
// Thread-safety: confined to the caller's thread; several may read one store at a time.
// Errors:        kCompacted and kFutureRevision. A compaction may overtake a read; a read of the newest revision then
//                starts again, up to kReadAttemptsMax times.
#ifndef TIDEMARK_STORE_MVCC_RANGE_READER_H_
#define TIDEMARK_STORE_MVCC_RANGE_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/revision.h"
#include "store/mvcc/key_range.h"
#include "store/mvcc/mvcc_store.h"

namespace tidemark::mvcc {

// Takes the records of an answer, in order.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  // `record` is a mvccpb.KeyValue and lives as long as the call.
  virtual void Add(absl::string_view record) = 0;
  // Forgets everything: the read starts again.
  virtual void Clear() = 0;
};

class RangeReader {
 public:
  // REQUIRES: the request has passed CheckRange; it outlives the reader.
  RangeReader(const MvccStore& store, const etcdserverpb::RangeRequest& request);

  // `newest` is what a request without a revision reads, and the limit for one with a revision.
  absl::Status ReadAt(Revision newest, RecordSink* sink);
  // Reads the store's current revision, and starts again where needed.
  absl::Status ReadCurrent(RecordSink* sink);

  // After a successful read.
  int64_t count() const { return count_; }
  bool more() const { return more_; }
  // The store's revision when the read began.
  Revision store_revision() const { return store_revision_; }

 private:
  struct Found {
    KeyState state;
    std::string key;  // only when the answer comes from the index alone
  };

  // Whether the answer is the first keys of the range as they come.
  bool IsPage() const;
  bool PassesFilters(const KeyState& state) const;
  absl::Status WalkIndex(Revision revision);
  void Note(absl::string_view key, const KeyState& state);
  void SortFound();
  void Cut();
  absl::Status SortByValueAndEmit(Revision revision, RecordSink* sink);
  absl::Status Emit(Revision revision, RecordSink* sink);
  void EmitFromIndex(RecordSink* sink) const;
  // Fetches the records of found_ in order.
  absl::Status Fetch(Revision revision, absl::FunctionRef<void(absl::string_view record)> visit) const;

  const MvccStore& store_;
  const etcdserverpb::RangeRequest& request_;
  const KeyRange range_;
  const bool descending_;
  const bool from_index_;  // keys_only without a sort by value

  absl::InlinedVector<Found, 1> found_;  // inlined, since most reads want one key
  int64_t count_ = 0;
  bool more_ = false;
  Revision store_revision_;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_RANGE_READER_H_
