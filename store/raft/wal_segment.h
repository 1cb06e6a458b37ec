// Reads one segment of a write-ahead log and decides what it means: the rules of recovery, without files.
//
// Thread-safety: pure.
// Errors:        kCorrupt, with the offset and what is wrong there; a visitor's own errors.
#ifndef TIDEMARK_STORE_RAFT_WAL_SEGMENT_H_
#define TIDEMARK_STORE_RAFT_WAL_SEGMENT_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/raft/wal_format.h"

namespace tidemark::raft {

// `first` is the index of the entry's first operation.
using WalVisitor = std::function<absl::Status(LogIndex first, Term term, absl::string_view entry)>;

// Where reading a log has come to; carried from segment to segment.
struct WalPosition {
  bool started = false;  // a record has been read
  WalRecord before;      // the last one; its payload is gone
  LogIndex last;         // the last operation
  LogIdentity identity;
};

struct WalSegmentEnds {
  LogIndex before;             // the last operation in front of this segment
  uint64_t last_write_at = 0;  // where the last write-and-sync begins
  uint64_t end = 0;            // behind the last record
  bool closed = false;         // that one is an end
  bool torn = false;           // something that is no record follows, and is neither zeros nor beyond an end
};

// `is_last`: no segment follows, so that this one may lack its end. Entries with operations above `after` are visited
// unless `visit` is null.
absl::StatusOr<WalSegmentEnds> ReadWalSegment(absl::string_view contents, uint64_t sequence, bool is_last,
                                              LogIndex after, const WalVisitor& visit, WalPosition* position);

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_WAL_SEGMENT_H_
