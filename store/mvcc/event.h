// Event is one change as a watcher sees it, and EventBatch all changes of one revision. Both are
// shared between all watchers.
//
// Thread-safety: immutable once shared, but for the previous record, which has its own lock.
// Ownership:     shares the record's bytes with the write buffer and the history; keeps no previous record.
#ifndef TIDEMARK_STORE_MVCC_EVENT_H_
#define TIDEMARK_STORE_MVCC_EVENT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "base/revision.h"
#include "store/kv/bytes.h"
#include "store/mvcc/change_id.h"

namespace tidemark::mvcc {

class Event {
 public:
  // `record` is the stored mvccpb.KeyValue. REQUIRES: record is one (record.h).
  Event(ChangeId change, bool tombstone, kv::Bytes record);
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  ChangeId change() const { return change_; }
  Revision revision() const { return Revision(change_.main); }
  bool is_delete() const { return tombstone_; }
  absl::string_view key() const { return key_; }
  // mvccpb.KeyValue as the wire has it: a delete carries key and mod_revision.
  absl::string_view kv_bytes() const { return *kv_; }
  // An upper bound for the bytes that this event adds to memory and, without its previous value, to a message.
  size_t size_bytes() const { return kv_->size() + kOverheadBytes; }

  // The record at revision() - 1, null when there was none or it is compacted. Read by `read`, and shared with whoever
  // asks while an earlier answer is in use. The event itself does not hold it: it would outlive all bounds in a history.
  template <typename Read>
  kv::Bytes PreviousRecord(Read read) const {
    MutexLock lock(&mu_);
    if (without_previous_) return nullptr;
    kv::Bytes previous = previous_.lock();
    if (previous == nullptr) {
      previous = read(key_, revision().Previous());
      previous_ = previous;
      without_previous_ = previous == nullptr;
    }
    return previous;
  }

 private:
  // This object, its pointers, the allocator's share, and the empty shell of a previous record.
  static constexpr size_t kOverheadBytes = 208;

  const ChangeId change_;
  const bool tombstone_;
  const kv::Bytes kv_;
  const absl::string_view key_;  // within *kv_

  mutable Mutex mu_;
  mutable bool without_previous_ ABSL_GUARDED_BY(mu_) = false;
  mutable std::weak_ptr<const std::string> previous_ ABSL_GUARDED_BY(mu_);
};

using EventPtr = std::shared_ptr<const Event>;

// Invariants: not empty; all events have this revision; sub revisions ascend.
struct EventBatch {
  Revision revision;
  std::vector<EventPtr> events;
  size_t size_bytes = 0;
};

using EventBatchPtr = std::shared_ptr<const EventBatch>;

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_EVENT_H_
