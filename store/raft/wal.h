// Wal is the write-ahead log of one member: segments of records (wal_format.h) in a directory of its own. What Append
// has accepted is synced.
//
//   TM_ASSIGN_OR_RETURN(auto wal, Wal::Open(options, identity_if_new));
//   TM_RETURN_IF_ERROR(wal->Replay(applied, [](LogIndex first, Term term, absl::string_view entry) { ... }));
//   TM_RETURN_IF_ERROR(wal->Append(&batch));
//
// Segments are named by a sequence number, 0000000000000001.wal and on. A segment gets its name only when its head is
// synced, and is closed by an end before the next one begins; each Open begins a new one. At the end of the last one a
// torn write is dropped; an unreadable record anywhere else, a gap in the indexes or in the sequence, or another
// member's file is an error, never a silent loss. A segment that is not needed any more becomes the next one's file, so
// that a busy log is not written twice, once as zeros.
//
// Thread-safety: thread-compatible; it syncs in the caller's thread.
// Ownership:     the environment and the executor outlive it.
// Errors:        kCorrupt at Open and Replay; kNoSpace from Append when no further segment can be made (nothing was
//                written, a later Append may succeed). After any other failure of a write or sync every later Append
//                returns that failure: what is on the disk is not known any more.
// Cost:          Append: one write and one sync, whatever the number of entries. Open: reads all segments.
#ifndef TIDEMARK_STORE_RAFT_WAL_H_
#define TIDEMARK_STORE_RAFT_WAL_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/executor.h"
#include "metrics/registry.h"
#include "store/raft/file_env.h"
#include "store/raft/log_index.h"
#include "store/raft/replicated_log.h"
#include "store/raft/wal_batch.h"
#include "store/raft/wal_segment.h"
#include "store/raft/wal_spare.h"

namespace tidemark::raft {

// Large enough that a roll is rare, small enough to be given back soon.
inline constexpr uint64_t kWalSegmentBytes = uint64_t{64} << 20;
// A new log's first segment: a first start does not wait for 64 MB of zeros.
inline constexpr uint64_t kWalFirstSegmentBytes = uint64_t{4} << 20;

struct WalOptions {
  FileEnv* env = nullptr;
  Executor* fill_executor = nullptr;  // makes spare segments; null: Append does when it needs one
  std::string directory;
  uint64_t segment_bytes = kWalSegmentBytes;
  uint64_t first_segment_bytes = kWalFirstSegmentBytes;
  metrics::Histogram sync_duration;
  metrics::Counter written_bytes;
};

class Wal {
 public:
  // Opens the log of options.directory, or begins one for `if_new`.
  static absl::StatusOr<std::unique_ptr<Wal>> Open(const WalOptions& options, const LogIdentity& if_new);

  const LogIdentity& identity() const { return identity_; }
  Term term() const { return term_; }
  // The oldest operation that is kept, and the newest; first() == last().Next() when there is none.
  LogIndex first() const { return segments_.front().before.Next(); }
  LogIndex last() const { return last_; }

  // Visits the entries that hold operations above `after` in order, as of Open; stops at the first error.
  // REQUIRES: nothing was appended yet.
  absl::Status Replay(LogIndex after, const WalVisitor& visit);

  // Remembers a higher term, synced. REQUIRES: term > this->term().
  absl::Status RaiseTerm(Term term);
  // REQUIRES: the batch is not empty and begins at last().Next(), in the current term.
  absl::Status Append(WalBatch* batch);
  // Removes the segments whose operations all lie at or below `index`, but for the one that is written to.
  absl::Status RemoveThrough(LogIndex index);

 private:
  struct Segment {
    uint64_t sequence = 0;
    LogIndex before;  // the last operation before this segment
  };
  Wal(const WalOptions& options, const LogIdentity& identity);

  std::string PathOf(uint64_t sequence) const;
  // The sequence numbers of the segments that exist, ascending; removes files that were never finished.
  absl::StatusOr<std::deque<uint64_t>> ListSegments();
  // Reads all segments, and closes the last one.
  absl::Status Recover(const std::deque<uint64_t>& sequences);
  absl::Status CloseRecovered(const Segment& segment, const WalSegmentEnds& ends, const WalPosition& position);
  absl::StatusOr<std::string> ReadFile(uint64_t sequence);
  // Makes the spare file the segment that is written to.
  absl::Status BeginSegment(uint64_t bytes);
  // Writes and syncs at the end of the current segment. REQUIRES: they fit.
  absl::Status Write(absl::string_view bytes);
  // Makes room for so many bytes and an end, in a further segment if need be.
  absl::Status MakeRoom(uint64_t bytes);
  absl::Status Poison(const absl::Status& failure);
  uint64_t sequence() const { return segments_.back().sequence; }
  // A record without operations, as a write of its own.
  std::string MarkRecord(WalRecordType type, uint64_t sequence) const;

  WalOptions options_;  // only its metrics change
  LogIdentity identity_;
  WalSpare spare_;

  std::deque<Segment> segments_;  // by sequence, contiguous; the last one is written to
  std::unique_ptr<File> file_;    // of segments_.back()
  uint64_t size_ = 0;             // bytes of segments_.back() that hold records
  uint64_t capacity_ = 0;         // of its file
  bool closed_ = false;           // it has its end, but the next segment could not be made
  uint32_t write_ = 0;            // number of the last write-and-sync
  LogIndex last_;
  Term term_ = 0;
  absl::Status failure_;  // the first failed write or sync; never healed
};

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_WAL_H_
