// StoreIdentity is what all parts of one client know of the store together: its cluster id, and how far its revision and term have
// come. A linearizable read that shows less than was known when it began proves that the store went back (a restored backup). Only
// the term may be lower once in the same store: a header's term is filled in after the read, so a member that has just voted shows
// a higher one than another that still serves. It has to be lower in a second read, kTermDoubtPause later.
//
// From then on an epoch is over. Each Follow confirms the new one when it has dropped what it had, or found that the store still
// has all of it; until all have, a revision read must not be believed: a mirror of the old epoch would seem fresh.
//
// Thread-safety: thread-safe.
// Errors:        kRewound.
// Invariants:    within one epoch nothing goes down.
#ifndef TIDEMARK_STORECLIENT_STORE_IDENTITY_H_
#define TIDEMARK_STORECLIENT_STORE_IDENTITY_H_

#include <cstdint>
#include <map>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "storeclient/wire.h"

namespace tidemark::storeclient {

// Between two reads that show a lower term: above etcd's heartbeat of 100 ms, with which every member learns of the leader's term.
inline constexpr absl::Duration kTermDoubtPause = absl::Milliseconds(150);

class StoreIdentity {
 public:
  // What is known when a read begins.
  struct Known {
    uint64_t epoch = 1;
    StoreHeader at_least;
  };

  Known Now() const;
  uint64_t epoch() const { return Now().epoch; }
  Revision revision() const { return Now().at_least.revision; }

  // A linearizable read that began when `known` was known has shown `seen`. kRewound when that is less: a new epoch has begun, by
  // this call or another one.
  // REQUIRES: an earlier read has shown it, too, when OnlyTermIsLower.
  absl::Status Check(const Known& known, const StoreHeader& seen);
  // Whether `seen` has nothing against it but a lower term, which proves nothing yet.
  static bool OnlyTermIsLower(const Known& known, const StoreHeader& seen);
  // A Follow found the store of `epoch` gone back by its own means.
  void Contradict(uint64_t epoch);
  // A Follow has been delivered everything up to here.
  void NotePosition(uint64_t epoch, Revision position);

  // Follow `id` has nothing left of an epoch before this one.
  void Confirm(uint64_t id, uint64_t epoch);
  void Forget(uint64_t id);
  // Whether some Follow still holds state of an epoch that is over.
  bool HasStale() const;

 private:
  void BeginEpoch(const StoreHeader& seen) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  mutable Mutex mu_;
  Known known_ ABSL_GUARDED_BY(mu_);
  std::map<uint64_t, uint64_t> confirmed_ ABSL_GUARDED_BY(mu_);  // the epoch of each Follow that has state
  int stale_ ABSL_GUARDED_BY(mu_) = 0;                           // of them, how many are not of this epoch
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_STORE_IDENTITY_H_
