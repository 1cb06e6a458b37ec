// WriteTxn is the write part of one log entry: all its changes get one revision, and become
// visible together when it ends.
//
//   auto txn = store->BeginWrite();
//   txn->Put("/a", "1", 0);
//   txn->DeleteRange(KeyRange("/b", "/c"), nullptr);
//   Revision revision = txn->End();
//
// Thread-safety: thread-compatible; one caller at a time: inside the log's apply callback (replicated_log.h).
// Invariants:    without effective changes the revision is not raised. Reads inside see what was written before them.
#ifndef TIDEMARK_STORE_MVCC_WRITE_TXN_H_
#define TIDEMARK_STORE_MVCC_WRITE_TXN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "store/kv/bytes.h"
#include "store/mvcc/event.h"
#include "store/mvcc/key_range.h"
#include "store/mvcc/mvcc_store.h"

namespace tidemark::mvcc {

class WriteTxn {
 public:
  // REQUIRES: End was called.
  ~WriteTxn();
  WriteTxn(const WriteTxn&) = delete;
  WriteTxn& operator=(const WriteTxn&) = delete;

  // What reads inside this transaction see: the store's revision, or the next one once something was written.
  Revision read_revision() const;
  bool changed() const { return next_sub_ > 0; }

  // REQUIRES: lease is 0 or exists.
  void Put(absl::string_view key, absl::string_view value, int64_t lease);
  // The number of keys deleted. Their records are appended to `previous` unless it is null.
  int64_t DeleteRange(const KeyRange& range, std::vector<kv::Bytes>* previous);
  // The newest record of the key as this transaction sees it; null when there is none.
  kv::Bytes Current(absl::string_view key) const;
  // As MvccStore::Range, at read_revision() unless the request names one.
  absl::Status Range(const etcdserverpb::RangeRequest& request, etcdserverpb::RangeResponse* response) const;

  // Publishes the changes and returns the store's revision.
  Revision End();

 private:
  friend class MvccStore;
  explicit WriteTxn(MvccStore* store);
  void Delete(absl::string_view key);
  void Record(ChangeId change, bool tombstone, kv::Bytes record);

  MvccStore* const store_;
  const int64_t main_;  // revision of its changes
  int64_t next_sub_ = 0;
  bool ended_ = false;
  std::shared_ptr<EventBatch> events_;  // null when nobody listens
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WRITE_TXN_H_
