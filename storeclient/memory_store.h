// MemoryStore is a small MVCC history in memory: every version of every key, one batch of events per revision, a compaction and a
// cluster id. It has the rules of etcd's store and none of its size.
//
// Thread-safety: thread-compatible; MemoryStoreClient owns one and guards it.
// Ownership:     batches are shared and immutable, so that their views stay valid while somebody holds the batch.
// Errors:        kCompacted below the compaction, kFutureRevision above the current revision.
// Invariants:    revision() starts at 1 and grows by one per transaction that changes something, until Rewind.
// Cost:          a range is O(keys in the range); nothing is ever freed but by Rewind.
#ifndef TIDEMARK_STORECLIENT_MEMORY_STORE_H_
#define TIDEMARK_STORECLIENT_MEMORY_STORE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "storeclient/store_client.h"

namespace tidemark::storeclient {

class MemoryStore {
 public:
  // One change of a transaction; no value deletes the key.
  struct Write {
    std::string key;
    std::optional<std::string> value;
  };
  struct Event {
    EventView::Type type = EventView::Type::kPut;
    KeyValue kv;  // a delete has key and mod_revision only
  };
  // The events of one revision, in the order of the transaction's writes.
  struct Batch {
    Revision revision;
    std::vector<Event> events;
  };
  using BatchPtr = std::shared_ptr<const Batch>;

  // Each returns the store's revision afterwards. Deleting an absent key changes nothing.
  Revision Put(absl::string_view key, absl::string_view value);
  Revision Delete(absl::string_view key);
  // All writes at one revision. REQUIRES: no key twice.
  Revision Txn(const std::vector<Write>& writes);

  // kCompacted when it is not above compact_revision(), kFutureRevision above revision().
  absl::Status Compact(Revision revision);
  // What a restored backup does: all above `to` is gone and the cluster id is another. REQUIRES: 1 <= to <= revision().
  void Rewind(Revision to);

  Revision revision() const { return revision_; }
  Revision compact_revision() const { return compact_revision_; }
  uint64_t cluster_id() const { return cluster_id_; }

  absl::StatusOr<RangeResult> Range(const RangeRequest& request) const;
  // The oldest batch above `after`, compacted or not; nullptr when there is none.
  BatchPtr NextBatch(Revision after) const;
  // Whether a watch may begin at `start`: what lies below the compaction cannot be replayed.
  absl::Status CheckWatchStart(Revision start) const;

 private:
  struct Version {
    Revision create_revision;
    Revision mod_revision;
    std::string value;
    bool deleted = false;
  };

  // The version that is valid at `revision`; nullptr when the key does not exist then.
  static const Version* VersionAt(const std::vector<Version>& versions, Revision revision);
  bool Exists(absl::string_view key) const;

  std::map<std::string, std::vector<Version>, std::less<>> keys_;
  std::deque<BatchPtr> batches_;  // ascending, one per revision from 2 on
  Revision revision_{1};
  Revision compact_revision_;
  uint64_t cluster_id_ = 1;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_MEMORY_STORE_H_
