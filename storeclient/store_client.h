// StoreClient is the seam between the mirror and whatever etcd v3 store lies behind it: quorum reads of the revision,
// ranges at a revision, and Follow, which lists a prefix and then delivers every change of it, for as long as the
// handle lives. It never writes.
//
//   auto follow = client->Follow({.prefix = "/registry/pods/", .name = "pods"}, &observer);
//   client->ReadRevision(clock.Now() + kReadTimeout, [](absl::StatusOr<Revision> revision) { ... });
//
// GrpcStoreClient (grpc_store_client.h) talks to a real store; MemoryStoreClient (memory_store_client.h) is the in-memory twin with
// knobs for faults. Both pass store_client_conformance.h.
//
// Thread-safety: StoreClient and FollowHandle are thread-safe. The calls of one FollowObserver come one after the other.
// Ownership:     the caller keeps an observer alive until its handle is destroyed.
// Errors:        kStoreUnavailable when no endpoint answered in time, kCompacted and kFutureRevision as the store says; kRewound
//                from ReadRevision as long as a Follow holds what a restored store no longer has.
// Source:        etcd v3 API; progress notifications as in KEP-2340.
#ifndef TIDEMARK_STORECLIENT_STORE_CLIENT_H_
#define TIDEMARK_STORECLIENT_STORE_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/revision.h"

namespace tidemark::storeclient {

// One key as the store has it. The views live as long as the call that hands them over.
struct KeyValueView {
  absl::string_view key;  // whole, with the prefix
  absl::string_view value;
  Revision create_revision;
  Revision mod_revision;
};

struct EventView {
  enum class Type : uint8_t { kPut, kDelete };
  Type type = Type::kPut;
  KeyValueView kv;  // a delete has key and mod_revision only
};

// What one Follow delivers. The order of calls, as a grammar:
//
//   calls = { list { OnEvents | OnProgress | OnInterrupted } }
//   list  = [ OnRewound ] OnListBegin(R) { OnListPage | OnInterrupted } OnListDone
//
// A list that breaks half-way begins anew with another OnListBegin. All calls come on a thread of the client and should return
// soon: a slow observer holds back its own stream, and those that share its thread.
class FollowObserver {
 public:
  virtual ~FollowObserver() = default;

  // A list at `revision` begins; what it does not contain does not exist at that revision.
  virtual void OnListBegin(Revision revision) = 0;
  // Keys ascend over all pages of a list.
  virtual void OnListPage(absl::Span<const KeyValueView> page) = 0;
  // Everything up to the list's revision has been delivered.
  virtual void OnListDone() = 0;
  // Whole revisions only, in ascending order, each above the list's and above all that came before.
  virtual void OnEvents(absl::Span<const EventView> events) = 0;
  // Everything up to `revision` has been delivered. Never goes back, may repeat.
  virtual void OnProgress(Revision revision) = 0;
  // The stream broke, or stopped answering; it is resumed or listed again without further help.
  virtual void OnInterrupted(const absl::Status& reason) = 0;
  // The store's cluster id changed, or its revision went back (a restored backup): nothing seen so far holds. A list follows.
  virtual void OnRewound(const absl::Status& reason) = 0;
};

// Below the 5 ms between two coalesced revision reads, so that each round's request goes out at once.
inline constexpr absl::Duration kProgressRequestGap = absl::Milliseconds(3);

// Keeps one Follow going. Its destructor waits for a running call of the observer; none comes afterwards.
// REQUIRES: not destroyed inside a call of its own observer.
class FollowHandle {
 public:
  virtual ~FollowHandle() = default;
  // Asks the store how far this stream has come; OnProgress answers, or nothing does (etcd stays silent while a watch catches up).
  // At most one request is in flight, and two are kProgressRequestGap apart at least; requests beyond that are merged.
  virtual void RequestProgress() = 0;
};

struct FollowOptions {
  std::string prefix;  // "/registry/pods/"; not empty
  std::string name;    // for the log and the metrics: "pods", "deployments.apps"
};

struct RangeRequest {
  std::string key;
  std::string range_end;  // empty: the single key
  Revision revision;      // none: the current one
  int64_t limit = 0;      // 0: no limit
  bool count_only = false;
};

struct KeyValue {
  std::string key;
  std::string value;
  Revision create_revision;
  Revision mod_revision;
};

struct RangeResult {
  Revision store_revision;  // the store's current one, whatever revision was asked for
  std::vector<KeyValue> kvs;
  int64_t count = 0;  // keys in the range, not reduced by the limit
  bool more = false;
};

class StoreClient {
 public:
  virtual ~StoreClient() = default;

  using RevisionCallback = absl::AnyInvocable<void(absl::StatusOr<Revision>)>;
  using RangeCallback = absl::AnyInvocable<void(absl::StatusOr<RangeResult>)>;

  // The store's revision by a linearizable read that starts after this call. `done` runs exactly once, on a thread of the client.
  virtual void ReadRevision(absl::Time deadline, RevisionCallback done) = 0;
  // A linearizable range. `done` as above.
  virtual void Range(const RangeRequest& request, absl::Time deadline, RangeCallback done) = 0;
  // REQUIRES: options.prefix is not empty; observer outlives the handle.
  virtual std::unique_ptr<FollowHandle> Follow(FollowOptions options, FollowObserver* observer) = 0;
  // Whether the store's progress notifications can be trusted (version_guard.h). May change when endpoints do.
  virtual bool ProgressTrusted() const = 0;
};

// The end of the range of all keys that begin with `prefix`. "\0" (all keys above) when there is none.
std::string PrefixEnd(absl::string_view prefix);

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_STORE_CLIENT_H_
