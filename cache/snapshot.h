// Snapshot is the state of one resource at one revision, immutable: objects by key, and an index from every label and declared
// field to the objects that have it, in key order and with counts.
//
// Thread-safety: immutable; SnapshotRef may be moved between threads and is used by one at a time.
// Ownership:     a SnapshotRef pins what it sees; the store reclaims the rest (cache/reclaimer.h).
// Errors:        an object that cannot be read is found by Get (Object::unreadable), and fails each List in whose scope it lies,
//                unless the query wants to see it.
// Cost:          List walks only what the most selective requirement leaves; a page costs O(page + log n). Taking and dropping a
//                SnapshotRef costs nanoseconds, and frees nothing but for a snapshot made for one read.
// Source:        layouts measured for this project, see ARCHITECTURE.md; KEP-2340, KEP-4988 for what is asked of it.
#ifndef TIDEMARK_CACHE_SNAPSHOT_H_
#define TIDEMARK_CACHE_SNAPSHOT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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
  // Gives objects that cannot be read as any others, where the list would fail. Counts only without a selector.
  bool with_unreadable = false;
};

// What the walk of one List has taken so far.
struct ListWork {
  bool by_index = false;  // its candidates are members of an index, not all of a range of keys
  size_t evaluated = 0;   // candidates looked at, selected or not
};

// Walks the answer of one List in key order, a few objects at a time, so that an answer of any size takes constant memory.
class ListCursor {
 public:
  virtual ~ListCursor() = default;
  // Appends up to `max_objects`; false when the answer is complete. kCorrupt when a stored object in scope cannot be read: the
  // first Next says so, before it gives any.
  virtual absl::StatusOr<bool> Next(size_t max_objects, std::vector<const Object*>* objects) = 0;
  // After the last Next of a limited list: where the next page starts, or empty when no key can follow.
  virtual const std::string& continue_key() const = 0;
  // Objects behind this page, exact; only without a selector, and only when continue_key is not empty.
  virtual std::optional<int64_t> remaining() const = 0;
  // "scan", "index app=web", "index spec.nodeName=node-7": for logs, metrics and the curious.
  virtual const std::string& plan() const = 0;
  virtual ListWork work() const = 0;
};

class Snapshot {
 public:
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  virtual Revision revision() const = 0;
  virtual size_t size() const = 0;
  // nullptr when there is none; may be unreadable. `key` is relative to the resource's prefix: "default/web-1", "node-7".
  virtual const Object* Get(absl::string_view key) const = 0;
  // The cursor must not outlive the snapshot.
  virtual std::unique_ptr<ListCursor> List(ListQuery query) const = 0;

 protected:
  Snapshot() = default;
  virtual ~Snapshot() = default;
  // Called once, when the last reference is gone.
  virtual void Dispose() const = 0;

  mutable std::atomic<uint32_t> references_{1};

 private:
  friend class SnapshotRef;
};

// Counts one reference to a snapshot; may be empty.
class SnapshotRef {
 public:
  SnapshotRef() = default;
  SnapshotRef(const SnapshotRef& other) : snapshot_(other.snapshot_) {
    if (snapshot_ != nullptr) snapshot_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  SnapshotRef(SnapshotRef&& other) noexcept : snapshot_(std::exchange(other.snapshot_, nullptr)) {}
  SnapshotRef& operator=(SnapshotRef other) noexcept {
    std::swap(snapshot_, other.snapshot_);
    return *this;
  }
  ~SnapshotRef() {
    if (snapshot_ != nullptr && snapshot_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      snapshot_->Dispose();
  }
  // Counts one more reference. REQUIRES: the snapshot cannot go away meanwhile.
  static SnapshotRef Share(const Snapshot* snapshot) {
    snapshot->references_.fetch_add(1, std::memory_order_relaxed);
    return Adopt(snapshot);
  }
  // Takes over one reference that is counted already.
  static SnapshotRef Adopt(const Snapshot* snapshot) {
    SnapshotRef ref;
    ref.snapshot_ = snapshot;
    return ref;
  }

  const Snapshot* get() const { return snapshot_; }
  const Snapshot* operator->() const { return snapshot_; }
  const Snapshot& operator*() const { return *snapshot_; }
  explicit operator bool() const { return snapshot_ != nullptr; }

 private:
  const Snapshot* snapshot_ = nullptr;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_SNAPSHOT_H_
