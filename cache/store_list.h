// StoreList answers a list from the store itself: where the operator chose that for reads that waited in vain, where
// the store's progress cannot be trusted, and for a revision that the store still has and the mirror's history has not.
//
// Identical lists are shared. One of the newest state serves only readers who came before it started, and all who come
// meanwhile share the next; one at a given revision cannot change, and is kept for a short while besides, for the pages
// that follow.
//
// Thread-safety: thread-safe. Callbacks run on the poster's threads or the client's.
// Ownership:     held by shared_ptr; the client and the executor outlive it.
// Errors:        kCompacted and kFutureRevision as the store says; kStoreUnavailable, also at a reader's deadline;
//                kOverloaded beyond the bounds below; kCorrupt when the store's keys do not ascend; kStopped.
// Cost:          reads, decodes and holds all objects in scope, without an index: far more than the mirror. Hence the
//                bounds.
#ifndef TIDEMARK_CACHE_STORE_LIST_H_
#define TIDEMARK_CACHE_STORE_LIST_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "cache/selector.h"
#include "cache/snapshot.h"
#include "config/resource.h"
#include "storeclient/store_client.h"

namespace tidemark::cache {

// Lists that read from the store at one time: each may hold a whole resource in memory.
inline constexpr size_t kStoreListsRunningMax = 2;
// Different lists that wait for their turn, and readers in all: beyond that the honest answer is to come back later.
inline constexpr size_t kStoreListsWaitingMax = 16;
inline constexpr size_t kStoreListReadersMax = 4'096;
// One answer of the store: what a client reads comfortably in one piece, the first page guessed.
inline constexpr int64_t kStoreListFirstPageKeys = 500;
inline constexpr size_t kStoreListPageBytes = size_t{8} << 20;
// A resource bigger than this cannot be served this way.
inline constexpr size_t kStoreListBytesMax = size_t{2} << 30;
// One page, and a reader who gave no deadline of its own that lies ahead.
inline constexpr absl::Duration kStoreListPageTimeout = absl::Seconds(10);
inline constexpr absl::Duration kStoreListReadTimeout = absl::Seconds(30);
// Answers at a given revision are kept this long after their last use, and this many of them.
inline constexpr absl::Duration kStoreListKeep = absl::Seconds(10);
inline constexpr size_t kStoreListsKeptMax = 2;

class StoreList : public std::enable_shared_from_this<StoreList> {
 public:
  struct Query {
    std::shared_ptr<const config::Resource> resource;
    std::string prefix;  // "/registry/pods/"
    Scope scope;
    Revision revision;  // none: the newest
  };
  struct Listed {
    SnapshotRef snapshot;
    Revision revision;
  };
  using Callback = absl::AnyInvocable<void(absl::StatusOr<Listed>)>;

  // `post` runs tasks that may take seconds.
  StoreList(storeclient::StoreClient* client, Executor* executor, Poster post)
      : client_(client), executor_(executor), post_(std::move(post)) {}

  void Read(Query query, absl::Time deadline, Callback done);
  // Once a second: forgets kept answers.
  void Housekeep();
  // The store was restored: what was kept does not hold, and lists that run end with kNotReady.
  void Forget();
  void Stop();

 private:
  struct Flight;
  struct Reader {
    Callback done;                 // empty: answered
    std::weak_ptr<Flight> flight;  // that it waits for
  };
  using ReaderPtr = std::shared_ptr<Reader>;
  // One list, waiting or running; only the thread that handles its answer touches what it read.
  struct Flight {
    Query query;
    std::vector<ReaderPtr> readers;
    bool forgotten = false;  // nobody joins, nothing is kept; guarded by the list's mu_, as the readers are
    std::vector<storeclient::KeyValue> kvs;
    size_t bytes = 0;
    Revision revision;
  };
  using FlightPtr = std::shared_ptr<Flight>;
  struct Kept {
    Listed listed;
    absl::Time until;
  };

  // Joins a flight that may serve the reader, or lines up another.
  absl::Status Join(const std::string& name, Query query, ReaderPtr reader) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Board(const FlightPtr& flight, ReaderPtr reader) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void StartWaiting();
  void ReadPage(const FlightPtr& flight, std::string start);
  void OnPage(const FlightPtr& flight, absl::StatusOr<storeclient::RangeResult> page);
  void Build(const FlightPtr& flight);
  void Land(const FlightPtr& flight, absl::StatusOr<Listed> listed);
  // Ends the reader; a flight that waits without readers is taken off the line, one that runs ends with its next page.
  void Expire(const ReaderPtr& reader);
  static std::string NameOf(const Query& query);

  storeclient::StoreClient* const client_;
  Executor* const executor_;
  const Poster post_;

  Mutex mu_;
  std::deque<FlightPtr> waiting_ ABSL_GUARDED_BY(mu_);
  std::vector<FlightPtr> running_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, Kept> kept_ ABSL_GUARDED_BY(mu_);  // by NameOf
  size_t readers_ ABSL_GUARDED_BY(mu_) = 0;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_STORE_LIST_H_
