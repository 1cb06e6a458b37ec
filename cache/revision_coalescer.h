// RevisionCoalescer decides when the store's revision is read, and which readers a read serves. A read serves only readers who came
// before it started; all who come while reads are in flight share the next one. Events in, actions out: it has no clock, no thread
// and does no I/O (revision_reader.h drives it).
//
//   reader 1 ─┐                       reader 2 ─┐ reader 3 ─┐
//             └ read 1 starts ──────────────────┴───────────┴─ answer 1 serves reader 1
//                                     read 2 starts (5 ms after read 1 at least) ───────── answer 2 serves readers 2 and 3
//
// A later read that answers first serves the readers of the earlier ones too. A read that fails as unavailable is followed by
// another, a new start, which serves also those who came meanwhile; each reader stays until its own deadline.
//
// Thread-safety: thread-compatible.
// Errors:        kStoreUnavailable at a reader's deadline; the read's own error when trying again cannot help;
//                kOverloaded above kRevisionReadersMax.
// Invariants:    starts are at least kRevisionReadGap apart; a reader is answered exactly once.
// Cost:          O(log readers) per reader.
// Source:        KEP-2340; the gap bounds the store's load at 200 reads a second, whatever the number of readers.
#ifndef TIDEMARK_CACHE_REVISION_COALESCER_H_
#define TIDEMARK_CACHE_REVISION_COALESCER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/revision.h"

namespace tidemark::cache {

// Between two starts under load: 200 reads a second are nothing to a store, and 5 ms are little beside a quorum read.
inline constexpr absl::Duration kRevisionReadGap = absl::Milliseconds(5);
// After a failed read: a member that restarts needs longer than this, and readers have 3 s.
inline constexpr absl::Duration kRevisionReadRetryGap = absl::Milliseconds(100);
// At a round trip of 20 ms a new read still starts every 5 ms; beyond that readers share more.
inline constexpr size_t kRevisionReadsInFlightMax = 4;
// A reader costs about 200 bytes here; there are fewer connections than this.
inline constexpr size_t kRevisionReadersMax = 65'536;

class RevisionCoalescer {
 public:
  using ReaderId = uint64_t;
  using ReadId = uint64_t;
  struct Answer {
    ReaderId reader;
    absl::StatusOr<Revision> revision;
  };
  struct Actions {
    std::optional<ReadId> start;  // begin this read now, and call OnAnswer with its outcome
    std::vector<Answer> answers;
  };

  // REQUIRES: ids ascend.
  Actions AddReader(ReaderId reader, absl::Time deadline, absl::Time now);
  Actions OnAnswer(ReadId read, const absl::StatusOr<Revision>& revision, absl::Time now);
  Actions OnTick(absl::Time now);
  // All readers end with `reason`.
  Actions Stop(const absl::Status& reason);

  // When OnTick has to be called next; InfiniteFuture: not before another event.
  absl::Time NextWake() const;
  size_t readers() const { return readers_.size(); }

 private:
  struct Reader {
    ReadId first_read;  // the first read that may serve it: the one that starts next after it came
    absl::Time deadline;
  };

  void Serve(std::map<ReaderId, Reader>::iterator reader, const absl::StatusOr<Revision>& revision, Actions* actions);
  void ServeUpTo(ReadId read, const absl::StatusOr<Revision>& revision, Actions* actions);
  void Expire(absl::Time now, Actions* actions);
  void StartIfDue(absl::Time now, Actions* actions);
  // Some reader waits that no read in flight will serve.
  bool NeedsStart() const;
  absl::Time EarliestStart() const;

  std::map<ReaderId, Reader> readers_;  // first_read never falls from one to the next
  std::set<std::pair<absl::Time, ReaderId>> deadlines_;
  std::set<ReadId> in_flight_;
  ReadId next_read_ = 1;
  absl::Time last_start_ = absl::InfinitePast();
  absl::Time retry_at_ = absl::InfinitePast();  // no start before, after a failure
  absl::Status last_error_;  // of the newest failed read, for those who run out of time; OK after a success
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_REVISION_COALESCER_H_
