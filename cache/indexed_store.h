// IndexedStore is the writer of one resource's snapshots: it takes changes of keys, keeps objects and indexes, and
// publishes an immutable Snapshot per batch.
//
//   IndexedStore store(resource);
//   Change change = store.Put("default/web-1", value, Revision(7));
//   store.Publish(Revision(7));                       // the batch becomes visible, as one
//   SnapshotRef snapshot = store.Current();           // any thread
//
// A list (the first one or a later one) is BeginReplace, a Put for each key, FinishReplace, Publish; readers see the
// old state until then. A list that breaks half-way just begins again.
//
// Thread-safety: Put to Reclaim are confined to one writer at a time; Current, schema and memory are thread-safe.
// Ownership:     owns objects and index; a SnapshotRef may outlive the store: the last one frees what is left.
// Errors:        none: a value that cannot be read becomes an unreadable object (cache/object.h), in no index.
// Invariants:    a published snapshot never changes; published revisions do not go back, but for ForgetRevisions.
// Cost:          an update that changes no label and no declared field 2 us; a create 11 to 16 us with 13 pairs. Frees
//                what died at a bounded rate per batch, and never in a reader.
// Source:        layouts measured for this project, see ARCHITECTURE.md.
#ifndef TIDEMARK_CACHE_INDEXED_STORE_H_
#define TIDEMARK_CACHE_INDEXED_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "cache/object.h"
#include "cache/object_reader.h"
#include "cache/object_schema.h"
#include "cache/snapshot.h"
#include "config/resource.h"

namespace tidemark::cache {

// What one Put or Delete did.
struct Change {
  ObjectRef old_object;  // null: there was none
  ObjectRef new_object;  // null: deleted, or nothing to delete
  // Labels and fields of the two; null when the object is null or unreadable. Valid until the next Put or Delete.
  const Selectable* old_values = nullptr;
  const Selectable* new_values = nullptr;
  // Put of the mod revision that is there already, during a list: nothing was done, old_object
  // == new_object, no values.
  bool unchanged = false;
};

struct IndexedStoreOptions {
  // For tests: only these bits of a pair's hash are used, so that pairs collide.
  uint64_t pair_hash_mask = ~uint64_t{0};
  // For tests: how many batches may be published before births of nodes are counted anew.
  uint32_t births_max = 0xfffffff0u;
  // ObjectSchema::key_prefix.
  std::string key_prefix = {};
};

class IndexedStore {
 public:
  explicit IndexedStore(const config::Resource& resource, IndexedStoreOptions options = {});
  ~IndexedStore();
  IndexedStore(const IndexedStore&) = delete;
  IndexedStore& operator=(const IndexedStore&) = delete;

  // `key` is relative to the resource's prefix and not empty.
  Change Put(absl::string_view key, absl::string_view value, Revision mod_revision);
  Change Delete(absl::string_view key);

  // Until FinishReplace, a Put of a mod revision that is there already is skipped: the same
  // revision has the same value.
  void BeginReplace();
  // Deletes every key that was not put since BeginReplace, and returns those objects, in no particular order.
  std::vector<ObjectRef> FinishReplace();
  // The store behind was restored from a backup: revisions seen so far mean nothing. The next
  // list puts every object anew.
  void ForgetRevisions();

  // Makes all changes since the last Publish visible at once. REQUIRES: revision is at least that of every object, and
  // does not go back unless ForgetRevisions was called.
  SnapshotRef Publish(Revision revision);

  // Bytes of index nodes that the snapshot last marked sees and the newest one does not: what it costs to keep. Mark marks
  // the newest.
  size_t node_bytes_since_mark() const;
  void Mark();

  // Frees up to `pieces_max` of what no snapshot can see any more; Publish does some of it, call this when idle. False
  // when nothing is left that can be freed now.
  bool Reclaim(size_t pieces_max);

  // The last published snapshot; an empty one at revision 0 before the first.
  SnapshotRef Current() const;
  const std::shared_ptr<const ObjectSchema>& schema() const;

  struct Memory {
    size_t objects = 0;         // objects in the state being built
    size_t pairs = 0;           // distinct pairs
    size_t waiting_pieces = 0;  // dead nodes and objects that are not freed yet
    size_t snapshots = 0;       // snapshots that someone holds, and the current one
  };
  Memory memory() const;

  // Walks everything and stops the process where a rule is broken.
  void CheckInvariants() const;

 private:
  class Core;
  Core* const core_;  // shared with the snapshots: the last of all frees it
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_INDEXED_STORE_H_
