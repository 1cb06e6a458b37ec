// How an MvccStore comes back from its engine at start.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/check.h"
#include "base/status.h"
#include "store/mvcc/lessor.h"
#include "store/mvcc/mvcc_store.h"
#include "store/mvcc/store_meta.h"

namespace tidemark::mvcc {
namespace {

using kv::Table;

// Follows which lease the newest put of each key names.
class LeaseCollector {
 public:
  void OnPut(const KeyValueRecord& record) {
    if (record.lease != 0) {
      lease_of_key_.insert_or_assign(std::string(record.key), record.lease);
    } else {
      lease_of_key_.erase(record.key);
    }
  }
  void OnTombstone(absl::string_view key) { lease_of_key_.erase(key); }

  void AttachTo(Lessor* lessor) const {
    for (const auto& [key, lease] : lease_of_key_) {
      TM_CHECK(lessor->Exists(lease)) << "key " << key << " hangs on lease " << lease << ", which is not in the engine";
      lessor->Attach(key, lease);
    }
  }

 private:
  absl::flat_hash_map<std::string, int64_t> lease_of_key_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<MvccStore>> MvccStore::Open(kv::KvEngine* engine, Lessor* lessor,
                                                           MvccStoreOptions options) {
  std::unique_ptr<MvccStore> store(new MvccStore(engine, lessor, options));
  store->RestoreIndex();
  store->RestoreMeta();
  return store;
}

void MvccStore::RestoreIndex() {
  LeaseCollector leases;
  MutexLock lock(&mu_);
  buffer_.Scan(Table::kKey, "", "", [&](absl::string_view key, absl::string_view bytes) {
    mu_.AssertHeld();
    const DecodedRevisionKey decoded = DecodeRevisionKey(key);
    const KeyValueRecord record = DecodeRecord(bytes);
    index_.Restore(record.key, decoded.change, decoded.tombstone, record.create_revision, record.version);
    if (decoded.tombstone) {
      leases.OnTombstone(record.key);
    } else {
      leases.OnPut(record);
    }
    current_ = std::max(current_, Revision(decoded.change.main));
    return true;
  });
  leases.AttachTo(lessor_);
}

void MvccStore::RestoreMeta() {
  const Position position = DecodePosition(buffer_.Get(Table::kMeta, kPositionKey));
  const Revision scheduled = DecodeRevision(buffer_.Get(Table::kMeta, kScheduledCompactKey));
  const Revision finished = DecodeRevision(buffer_.Get(Table::kMeta, kFinishedCompactKey));
  MutexLock lock(&mu_);
  applied_index_ = durable_index_ = position.index;
  // A compaction may have taken the newest records away, but never takes the revision back.
  current_ = std::max({current_, position.revision, scheduled, finished});
  compact_ = std::max(scheduled, finished);
  compacted_physically_ = finished;
}

}  // namespace tidemark::mvcc
