#include "store/mvcc/write_txn.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "store/mvcc/lessor.h"
#include "store/mvcc/record.h"

namespace tidemark::mvcc {

WriteTxn::WriteTxn(MvccStore* store) : store_(store), main_(store->current_revision().value() + 1) {
  if (store_->listener_ == nullptr) return;
  events_ = std::make_shared<EventBatch>();
  events_->revision = Revision(main_);
}

WriteTxn::~WriteTxn() { TM_CHECK(ended_); }

Revision WriteTxn::read_revision() const { return Revision(changed() ? main_ : main_ - 1); }

void WriteTxn::Put(absl::string_view key, absl::string_view value, int64_t lease) {
  const ChangeId change{main_, next_sub_++};
  KeyState state;
  {
    MutexLock lock(&store_->mu_);
    state = store_->index_.Put(key, change);
  }
  Record(change, false,
         kv::MakeBytes(EncodeRecord({.key = key,
                                     .create_revision = state.create_revision,
                                     .mod_revision = main_,
                                     .version = state.version,
                                     .value = value,
                                     .lease = lease})));
  store_->lessor_->Attach(key, lease);
}

void WriteTxn::Record(ChangeId change, bool tombstone, kv::Bytes record) {
  if (events_ != nullptr) {
    events_->events.push_back(std::make_shared<const Event>(change, tombstone, record));
    events_->size_bytes += events_->events.back()->size_bytes();
  }
  store_->buffer_.Put(kv::Table::kKey, RevisionKey(change, tombstone).view(), std::move(record));
}

void WriteTxn::Delete(absl::string_view key) {
  const ChangeId change{main_, next_sub_};
  {
    MutexLock lock(&store_->mu_);
    if (!store_->index_.Tombstone(key, change)) return;
  }
  ++next_sub_;
  Record(change, true,
         kv::MakeBytes(EncodeRecord(
             {.key = key, .create_revision = 0, .mod_revision = 0, .version = 0, .value = {}, .lease = 0})));
  store_->lessor_->Detach(key);
}

int64_t WriteTxn::DeleteRange(const KeyRange& range, std::vector<kv::Bytes>* previous) {
  std::vector<std::string> keys;
  std::vector<ChangeId> changes;
  // This thread alone compacts logically, so the newest revision is not compacted under its feet.
  TM_CHECK_OK(store_->WalkIndex(range, read_revision(), [&](absl::string_view key, const KeyState& state) {
    keys.emplace_back(key);
    if (previous != nullptr) changes.push_back(state.modified);
    return true;
  }));
  TM_CHECK_OK(store_->FetchRecords(changes, read_revision(), [&](size_t, absl::string_view record) {
    previous->push_back(kv::MakeBytes(std::string(record)));
    return true;
  }));
  for (const std::string& key : keys) Delete(key);
  return static_cast<int64_t>(keys.size());
}

kv::Bytes WriteTxn::Current(absl::string_view key) const { return store_->GetAt(key, read_revision()); }

absl::Status WriteTxn::Range(const etcdserverpb::RangeRequest& request, etcdserverpb::RangeResponse* response) const {
  return store_->RangeAt(read_revision(), request, response);
}

Revision WriteTxn::End() {
  TM_CHECK(!ended_);
  ended_ = true;
  const Revision revision = read_revision();
  if (!changed()) return revision;
  if (events_ == nullptr) {
    store_->Publish(revision);
  } else {
    store_->listener_->OnCommit(std::move(events_), [&] { store_->Publish(revision); });
  }
  return revision;
}

}  // namespace tidemark::mvcc
