// Two snapshots made for one read: an older revision as a published snapshot with a few keys laid over it, and a list
// of values that were read from the store.
//
//   SnapshotRef at_7 = MakeOverlaySnapshot(base, Revision(7), {{"default/web-1", old_web_1}, {"default/web-9", {}}});
//
// Thread-safety: as cache/snapshot.h.
// Ownership:     an overlay holds its base and the objects laid over it; both are freed by whoever
//                drops the last reference.
// Cost:          an overlay of k keys adds O(k log n) to a List or size(), and one compare per object.
#ifndef TIDEMARK_CACHE_OVERLAY_SNAPSHOT_H_
#define TIDEMARK_CACHE_OVERLAY_SNAPSHOT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/revision.h"
#include "cache/object.h"
#include "cache/snapshot.h"
#include "config/resource.h"
#include "storeclient/store_client.h"

namespace tidemark::cache {

// A key's object at the revision, or null: it did not exist.
using Overrides = std::vector<std::pair<std::string, ObjectRef>>;

// REQUIRES: `base` is a snapshot of an IndexedStore; overrides ascend by key, each key once.
SnapshotRef MakeOverlaySnapshot(SnapshotRef base, Revision revision, Overrides overrides);

// What the store answered to a list. Keys are whole; `prefix` ("/registry/pods/") is cut off, and the prefix itself and
// keys that do not begin with it are passed over, as a mirror does. kCorrupt when the others do not ascend: pages cut out of such
// an answer may lack some.
absl::StatusOr<SnapshotRef> MakeSnapshotFromValues(const config::Resource& resource, Revision revision,
                                                   absl::string_view prefix,
                                                   absl::Span<const storeclient::KeyValue> kvs);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_OVERLAY_SNAPSHOT_H_
