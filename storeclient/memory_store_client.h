// MemoryStoreClient is the in-memory twin of GrpcStoreClient: a StoreClient with its own little store, written to by the test, and
// with a knob for everything that a real store and network do to a reader.
//
//   SimClock clock; SimExecutor executor(clock); MemoryStoreClient client(executor);
//   client.Put("/registry/pods/default/a", "{...}");
//   auto follow = client.Follow({.prefix = "/registry/pods/", .name = "pods"}, &observer);
//   executor.RunUntilIdle();              // OnListBegin(2), OnListPage, OnListDone
//   client.HoldEvents();
//   client.Put("/registry/pods/default/b", "{...}");
//   follow->RequestProgress();
//   executor.RunUntilIdle();              // nothing: the store does not answer progress for a stream that is behind
//   client.ReleaseEvents();
//   executor.RunUntilIdle();              // OnEvents(revision 3)
//
// Deterministic: each call of an observer or callback is one task of the executor, so SimExecutor::RunOne drives any interleaving.
// What is delivered is decided when its task runs, but a revision read samples the store in the call itself: the strictest moment
// that linearizability allows, so that a reader who shares an earlier read than he may is caught.
//
// Thread-safety: thread-safe; a write from any thread is seen by later tasks.
// Ownership:     the executor outlives the client; handles are destroyed before it. Held reads end in the destructor with kStopped.
// Errors:        as in store_client.h.
// Fault model:   broken streams, a store that is cut off, held or delayed answers, refused progress, compaction at any moment,
//                a restored backup. Never: lost, repeated or reordered events, half revisions.
#ifndef TIDEMARK_STORECLIENT_MEMORY_STORE_CLIENT_H_
#define TIDEMARK_STORECLIENT_MEMORY_STORE_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "base/revision.h"
#include "storeclient/memory_store.h"
#include "storeclient/store_client.h"

namespace tidemark::storeclient {

class MemoryStoreClient : public StoreClient {
 public:
  explicit MemoryStoreClient(Executor& executor);
  ~MemoryStoreClient() override;
  MemoryStoreClient(const MemoryStoreClient&) = delete;
  MemoryStoreClient& operator=(const MemoryStoreClient&) = delete;

  void ReadRevision(absl::Time deadline, RevisionCallback done) override;
  void Range(const RangeRequest& request, absl::Time deadline, RangeCallback done) override;
  std::unique_ptr<FollowHandle> Follow(FollowOptions options, FollowObserver* observer) override;
  bool ProgressTrusted() const override;

  // --- The store: what other clients do. Each returns the store's revision afterwards.
  Revision Put(absl::string_view key, absl::string_view value);
  Revision Delete(absl::string_view key);
  Revision Txn(const std::vector<MemoryStore::Write>& writes);
  absl::Status Compact(Revision revision);
  Revision revision() const;
  // A restored backup: all above `to` is gone, the cluster id is another. Every follow gets OnRewound and lists again; until the
  // last one has been told, revision reads fail with kRewound.
  void Rewind(Revision to);

  // --- Streams.
  // Events above `last` are kept back for follows whose prefix begins with `prefix`; progress for them stays unanswered as long as
  // an event is held, as etcd does for a watch that lags.
  void HoldEvents(Revision last, absl::string_view prefix = "");
  // All events from now on.
  void HoldEvents(absl::string_view prefix = "");
  void ReleaseEvents();
  // New lists do not begin, and running ones stop after the page at hand.
  void HoldLists();
  void ReleaseLists();
  // Every stream ends with OnInterrupted and resumes at once after its last whole revision, or lists again when that is compacted.
  void BreakStreams(const absl::Status& reason = absl::UnavailableError("stream broken"));
  // Nothing reaches the store: streams are interrupted, reads fail with kStoreUnavailable at their deadline. Until Reconnect.
  void CutOff();
  void Reconnect();
  void set_page_keys(int64_t keys);               // of a list; 500 unless set
  void set_event_batch_revisions(int revisions);  // in one OnEvents; 1 unless set

  // --- Progress.
  void RefuseProgress(bool refuse);
  // The answer carries the revision of the moment of the request and comes this much later.
  void DelayProgress(absl::Duration delay);
  // A store before 3.4.38, 3.5.22 and 3.6.2 answers for a watch whose start lies in the future; unless set, this one stays silent.
  void AnswerProgressBeforeStart(bool answer);
  // What ProgressTrusted says; true unless set.
  void set_progress_trusted(bool trusted);

  // --- Reads. Held reads fail with kStoreUnavailable at their deadline.
  void DelayRevisionReads(absl::Duration delay);
  void HoldRevisionReads();
  void ReleaseRevisionReads();
  // An OK status ends the failing.
  void FailRevisionReads(const absl::Status& status);
  void HoldRanges();
  void ReleaseRanges();

  // --- What was asked of the store so far.
  struct Counts {
    int64_t revision_reads = 0;
    int64_t ranges = 0;
    int64_t lists = 0;              // begun
    int64_t progress_requests = 0;  // received by the store, whether answered or not
    int64_t streams = 0;            // watches begun, the resumed ones too
  };
  Counts counts() const;

 private:
  class Core;
  class Handle;
  // Shared with the posted tasks, which outlive the client unrun.
  const std::shared_ptr<Core> core_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_MEMORY_STORE_CLIENT_H_
