// Cache is the read side of Tidemark: one Mirror per resource, and the rule by which a read is fresh enough. This is all that http/
// knows of the mirror: a View to list from, and a WatchCursor to follow.
//
//   cache->Read(mirror, {.freshness = Freshness::kConsistent, .deadline = clock.Now() + kReadWaitMax},
//               [exchange](absl::StatusOr<View> view) { ... view->snapshot->List(query) ... });
//
// Thread-safety: Cache and Mirror are thread-safe. A View may be moved between threads and is read by one at a time. A WatchCursor
//                is confined to its owner, but for the waker, which any thread may call.
// Ownership:     Cache owns its mirrors; a View pins its snapshot: nothing in it changes or goes away before the View does.
// Errors:        kNotReady before the first list, and when the store went back during the wait; kStale when the wait ended;
//                kCompacted for an exact revision that neither the history nor the store has, kRewound for one that the store
//                has lost; kStoreUnavailable when the store could not be read; kOverloaded when too many wait; kCorrupt when its
//                answer makes no sense; kStopped while shutting down.
// Source:        KEP-2340 (consistent reads from the cache), KEP-4988 (exact revisions), kube-apiserver's decision tables.
#ifndef TIDEMARK_CACHE_CACHE_H_
#define TIDEMARK_CACHE_CACHE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/revision.h"
#include "cache/event.h"
#include "cache/selector.h"
#include "cache/snapshot.h"
#include "config/resource.h"
#include "metrics/cache_metrics.h"

namespace tidemark::cache {

enum class Freshness {
  kAny,           // whatever the mirror has (resourceVersion=0)
  kNotOlderThan,  // at least `revision`
  kExact,         // the state at `revision`
  kConsistent,    // at least the store's revision at some moment after the call began
};

struct ReadOptions {
  Freshness freshness = Freshness::kConsistent;
  Revision revision;  // for kNotOlderThan and kExact
  absl::Time deadline = absl::InfiniteFuture();
  // What will be looked at. Only a hint: where the answer has to come from the store, no more than this is read from it.
  Scope scope;
};

// What a read is answered from.
struct View {
  SnapshotRef snapshot;
  // What the client sees as the list's resourceVersion.
  Revision revision;
  // How the answer became fresh: "mirror", "mirror after 1.2ms", "store".
  std::string served_from;
};

// One change as one watcher sees it, after its selector (a change may enter or leave what it selects).
struct WatchEvent {
  using Type = WatchEventType;
  Type type = Type::kAdded;
  Revision revision;
  // The new object, or for kDeleted the last one that was selected. Its frame is built once and shared (cache/event.h).
  EventRef event;
  const Object* object = nullptr;
};

struct WatchQuery {
  Scope scope;
  Selector selector;
  // Events with a higher revision are delivered.
  Revision after;
  // Shows objects that cannot be read as any others, where an error would end the watch. Counts only without a selector.
  bool with_unreadable = false;
};

// A position in a mirror's history, and the predicate of one watch.
class WatchCursor {
 public:
  virtual ~WatchCursor() = default;
  // Appends up to `max_events` of the next events and moves on. Nothing appended and OK: caught up, or enough looked at for
  // one call; the waker will be called when there may be more or the watch has ended, in the second case before this returns.
  // An error comes without events, ends the watch, and is the answer from then on:
  // kCompacted (fell out of the history, or the mirror had to list anew), kRewound, kStopped, kCorrupt (an object that it would
  // have to show cannot be read), kGone (the resource went, and all that was known of it has been shown).
  virtual absl::Status Next(size_t max_events, std::vector<WatchEvent>* events) = 0;
  // After events, too: the last Next has left nothing behind, and the waker will be called when there may be more or the watch
  // has ended. False says nothing: Next has to be asked.
  virtual bool caught_up() const = 0;
  // Every event up to here has been handed out by Next: what a bookmark may say once those bytes lie in the connection. Never
  // below `after`, and never goes back.
  virtual Revision revision() const = 0;
};

class Mirror {
 public:
  virtual ~Mirror() = default;
  virtual const config::Resource& resource() const = 0;
  // What the resource's keys begin with in the store: "/registry/pods/".
  virtual const std::string& key_prefix() const = 0;
  virtual bool ready() const = 0;
  // How far the mirror is: its last event, list or progress notification.
  virtual Revision revision() const = 0;
  // kCompacted when `query.after` is below the history. A future `after` is accepted: events up to it are not delivered.
  // The waker is called from the mirror's writer and from Next: it must be cheap and must not call back. It may be called
  // once more after the cursor is gone.
  virtual absl::StatusOr<std::unique_ptr<WatchCursor>> Watch(WatchQuery query, std::function<void()> waker) = 0;
  // Whoever answers from the mirror's views counts here.
  virtual metrics::ReadMetrics read_metrics() const = 0;
};

class Cache {
 public:
  using ReadCallback = absl::AnyInvocable<void(absl::StatusOr<View>)>;

  virtual ~Cache() = default;
  // nullptr when the resource is not mirrored.
  virtual Mirror* Find(absl::string_view group, absl::string_view plural) = 0;
  virtual std::vector<Mirror*> mirrors() = 0;
  // Every mirror has its first list.
  virtual bool ready() const = 0;
  // Calls `done` exactly once: at once in this thread when nothing has to be waited for, else later from another one.
  virtual void Read(Mirror* mirror, ReadOptions options, ReadCallback done) = 0;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_CACHE_H_
