// Compactor runs the physical part of compactions on an executor, in small batches with pauses, so that foreground work
// hardly notices, and commits what they delete.
//
// Thread-safety: thread-safe.
// Ownership:     borrows store and executor; the executor has stopped before this object dies.
#ifndef TIDEMARK_STORE_MVCC_COMPACTOR_H_
#define TIDEMARK_STORE_MVCC_COMPACTOR_H_

#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "store/mvcc/mvcc_store.h"

namespace tidemark::mvcc {

// Between two batches (etcd's figure).
inline constexpr absl::Duration kCompactionPause = absl::Milliseconds(10);

class Compactor {
 public:
  Compactor(MvccStore* store, Executor* executor) : store_(store), executor_(executor) {}

  // To be called at start and after each compaction command.
  void Wake();
  // Calls `done` on the executor once everything up to `revision` is compacted physically and committed; destroys it
  // without a call when the commit fails.
  void WhenDone(Revision revision, absl::AnyInvocable<void()> done);

 private:
  void Run();
  std::vector<absl::AnyInvocable<void()>> TakeDone(Revision reached);

  MvccStore* const store_;
  Executor* const executor_;

  Mutex mu_;
  bool scheduled_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::pair<Revision, absl::AnyInvocable<void()>>> waiting_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_COMPACTOR_H_
