// Snapshot is the state of one resource at one revision, immutable: objects by key, and an index from every label and declared
// field to the objects that have it, in key order and with counts.
//
// Thread-safety: immutable; SnapshotRef may be moved between threads and is used by one at a time.
// Ownership:     a SnapshotRef pins what it sees; the mirror reclaims the rest (cache/reclaimer.h).
// Cost:          List walks only what the most selective requirement leaves; a page costs O(page + log n).
// Source:        layouts measured for this project, see ARCHITECTURE.md; KEP-2340, KEP-4988 for what is asked of it.
#ifndef TIDEMARK_CACHE_SNAPSHOT_H_
#define TIDEMARK_CACHE_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/revision.h"
#include "cache/object.h"
#include "cache/selector.h"

namespace tidemark::cache {

struct ListQuery {
  Scope scope;
  Selector selector;
  int64_t limit = 0;  // 0: no limit
  // The first key to look at, relative to the resource's prefix ("default/web-1\0"); from a continue token.
  std::string start_key;
};

// Walks the answer of one List in key order, a few objects at a time, so that an answer of any size takes constant memory.
class ListCursor {
 public:
  virtual ~ListCursor() = default;
  // Appends up to `max_objects`; false when the answer is complete. kCorrupt when a stored object in scope cannot be read.
  virtual absl::StatusOr<bool> Next(size_t max_objects, std::vector<const Object*>* objects) = 0;
  // After the last Next of a limited list: where the next page starts, or empty when no key can follow.
  virtual const std::string& continue_key() const = 0;
  // Objects behind this page, exact; only without a selector, and only when continue_key is not empty.
  virtual std::optional<int64_t> remaining() const = 0;
  // "scan", "index app=web", "index spec.nodeName=node-7": for logs, metrics and the curious.
  virtual const std::string& plan() const = 0;
};

class Snapshot {
 public:
  virtual ~Snapshot() = default;
  virtual Revision revision() const = 0;
  virtual size_t size() const = 0;
  // nullptr when there is none. `key` is relative to the resource's prefix: "default/web-1", "node-7".
  virtual const Object* Get(absl::string_view key) const = 0;
  // The cursor must not outlive the snapshot.
  virtual std::unique_ptr<ListCursor> List(ListQuery query) const = 0;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_SNAPSHOT_H_
