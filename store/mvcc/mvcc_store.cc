#include "store/mvcc/mvcc_store.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "base/check.h"
#include "base/crc32c.h"
#include "base/status.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/range_reader.h"
#include "store/mvcc/store_meta.h"
#include "store/mvcc/wire.h"
#include "store/mvcc/write_txn.h"

namespace tidemark::mvcc {
namespace {

using etcdserverpb::RangeRequest;
using etcdserverpb::RangeResponse;
using kv::Table;

class ResponseSink : public RecordSink {
 public:
  explicit ResponseSink(RangeResponse* response) : response_(response) {}
  void Add(absl::string_view record) override {
    const bool parsed = response_->add_kvs()->ParseFromArray(record.data(), static_cast<int>(record.size()));
    TM_CHECK(parsed) << "record of " << record.size() << " bytes";
  }
  void Clear() override { response_->clear_kvs(); }

 private:
  RangeResponse* const response_;
};

class WireSink : public RecordSink {
 public:
  explicit WireSink(std::string* wire) : wire_(wire), start_(wire->size()) {}
  void Add(absl::string_view record) override { AppendBytesField(RangeResponse::kKvsFieldNumber, record, wire_); }
  void Clear() override { wire_->resize(start_); }

 private:
  std::string* const wire_;
  const size_t start_;
};

}  // namespace

MvccStore::MvccStore(kv::KvEngine* engine, Lessor* lessor, MvccStoreOptions options)
    : options_(options), lessor_(lessor), buffer_(engine) {}

MvccStore::~MvccStore() = default;

Revision MvccStore::current_revision() const {
  MutexLock lock(&mu_);
  return current_;
}

Revision MvccStore::compact_revision() const {
  MutexLock lock(&mu_);
  return compact_;
}

size_t MvccStore::keys() const {
  MutexLock lock(&mu_);
  return index_.size();
}

Revision MvccStore::compacted_physically() const {
  MutexLock lock(&mu_);
  return compacted_physically_;
}

uint64_t MvccStore::applied_index() const {
  MutexLock lock(&mu_);
  return applied_index_;
}

uint64_t MvccStore::durable_index() const {
  MutexLock lock(&mu_);
  return durable_index_;
}

kv::SizeFigures MvccStore::sizes() const { return buffer_.Sizes(); }

absl::Status MvccStore::Range(const RangeRequest& request, RangeResponse* response) const {
  ResponseSink sink(response);
  RangeReader reader(*this, request);
  TM_RETURN_IF_ERROR(reader.ReadCurrent(&sink));
  response->mutable_header()->set_revision(reader.store_revision().value());
  response->set_count(reader.count());
  response->set_more(reader.more());
  return absl::OkStatus();
}

absl::Status MvccStore::RangeAt(Revision newest, const RangeRequest& request, RangeResponse* response) const {
  ResponseSink sink(response);
  RangeReader reader(*this, request);
  TM_RETURN_IF_ERROR(reader.ReadAt(newest, &sink));
  response->mutable_header()->set_revision(newest.value());
  response->set_count(reader.count());
  response->set_more(reader.more());
  return absl::OkStatus();
}

absl::StatusOr<Revision> MvccStore::RangeEncoded(const RangeRequest& request, std::string* wire) const {
  WireSink sink(wire);
  RangeReader reader(*this, request);
  TM_RETURN_IF_ERROR(reader.ReadCurrent(&sink));
  AppendIntField(RangeResponse::kMoreFieldNumber, reader.more() ? 1 : 0, wire);
  AppendIntField(RangeResponse::kCountFieldNumber, reader.count(), wire);
  return reader.store_revision();
}

absl::Status MvccStore::WalkIndex(const KeyRange& range, Revision revision, TreeIndex::Visitor visit) const {
  absl::string_view from = range.begin();
  std::optional<std::string> next;
  while (true) {
    MutexLock lock(&mu_);
    if (revision < compact_) return StoreStatus(StoreError::kCompacted, compact_);
    next = index_.Walk(range, from, revision.value(), kIndexKeysPerLock, visit);
    if (!next.has_value()) return absl::OkStatus();
    from = *next;
  }
}

absl::Status MvccStore::FetchRecords(absl::Span<const ChangeId> changes, Revision revision,
                                     absl::FunctionRef<bool(size_t i, absl::string_view record)> visit) const {
  absl::Status status;
  bool go_on = true;
  // Inlined, since most reads want one key.
  absl::InlinedVector<RevisionKey, 1> keys;
  absl::InlinedVector<absl::string_view, 1> views;
  for (size_t begin = 0; begin < changes.size() && go_on; begin += kv::kSnapshotEntriesMax) {
    const auto step = changes.subspan(begin, kv::kSnapshotEntriesMax);
    keys.clear();
    views.clear();
    for (const ChangeId& change : step) keys.emplace_back(change, false);
    for (const RevisionKey& key : keys) views.push_back(key.view());
    buffer_.GetMany(Table::kKey, views, [&](size_t i, std::optional<absl::string_view> record) {
      if (record.has_value()) return go_on = visit(begin + i, *record);
      // Only a compaction takes records away.
      const Revision compact = compact_revision();
      TM_CHECK(revision < compact) << "change " << step[i] << " of the index has no record; compacted at " << compact;
      status = StoreStatus(StoreError::kCompacted, compact);
      return go_on = false;
    });
  }
  return status;
}

absl::Status MvccStore::Visit(const KeyRange& range, Revision revision, bool with_values, KeyValueVisitor visit) const {
  std::vector<std::pair<std::string, KeyState>> found;
  TM_RETURN_IF_ERROR(WalkIndex(range, revision, [&](absl::string_view key, const KeyState& state) {
    found.emplace_back(std::string(key), state);
    return true;
  }));
  if (!with_values) {
    for (const auto& [key, state] : found) {
      const KeyValueRecord record{.key = key,
                                  .create_revision = state.create_revision,
                                  .mod_revision = state.modified.main,
                                  .version = state.version,
                                  .value = {},
                                  .lease = 0};
      if (!visit(record)) break;
    }
    return absl::OkStatus();
  }
  std::vector<ChangeId> changes;
  for (const auto& [key, state] : found) changes.push_back(state.modified);
  return FetchRecords(changes, revision, [&](size_t, absl::string_view record) { return visit(DecodeRecord(record)); });
}

kv::Bytes MvccStore::GetAt(absl::string_view key, Revision revision) const {
  std::optional<KeyState> state;
  {
    MutexLock lock(&mu_);
    if (revision < compact_) return nullptr;
    state = index_.Get(key, revision.value());
  }
  return state.has_value() ? buffer_.Get(Table::kKey, RevisionKey(state->modified, false).view()) : nullptr;
}

absl::Status MvccStore::ScanChanges(Revision from, Revision to, ChangeVisitor visit) const {
  const RevisionKey begin({from.value(), 0}, false), end({to.Next().value(), 0}, false);
  buffer_.Scan(Table::kKey, begin.view(), end.view(), [&](absl::string_view key, absl::string_view record) {
    const DecodedRevisionKey decoded = DecodeRevisionKey(key);
    return visit(decoded.change, decoded.tombstone, record);
  });
  // A compaction that began meanwhile may have taken changes away before they were read.
  const Revision compact = compact_revision();
  return from < compact ? StoreStatus(StoreError::kCompacted, compact) : absl::OkStatus();
}

absl::StatusOr<KvHash> MvccStore::HashKv(Revision revision) const {
  while (true) {
    const Revision current = current_revision(), compact = compact_revision();
    const Revision wanted = revision.is_none() ? current : revision;
    if (wanted < compact) return StoreStatus(StoreError::kCompacted, compact);
    if (wanted > current) return StoreStatus(StoreError::kFutureRevision, current);
    const uint32_t hash = HashUpTo(wanted, compact);
    // A compaction command that came meanwhile may have begun to take records away.
    if (compact_revision() != compact) continue;
    return KvHash{.hash = hash, .revision = wanted, .compact_revision = compact.is_none() ? -1 : compact.value()};
  }
}

uint32_t MvccStore::HashUpTo(Revision revision, Revision compact) const {
  // Members that compact at different speeds must agree, so what a compaction may have dropped is left out.
  // etcd counts below the compaction what a compaction at `revision` would keep, and if that is nothing,
  // what the last one has kept.
  const Revision kept_at = AnyCountsInHash(revision) ? revision : compact;
  uint32_t hash = Crc32c(kv::TableName(Table::kKey));
  const RevisionKey end({revision.Next().value(), 0}, false);
  buffer_.Scan(Table::kKey, "", end.view(), [&](absl::string_view key, absl::string_view record) {
    const DecodedRevisionKey decoded = DecodeRevisionKey(key);
    const Revision main(decoded.change.main);
    if (main <= compact && !CountsInHash(decoded, record, kept_at)) return true;
    if (main == compact && decoded.tombstone) return true;
    hash = Crc32c(record, Crc32c(key, hash));
    return true;
  });
  return hash;
}

bool MvccStore::AnyCountsInHash(Revision revision) const {
  bool any = false;
  std::optional<std::string> next(std::in_place);
  while (next.has_value()) {
    MutexLock lock(&mu_);
    next = index_.FindCountedInHash(*next, revision.value(), kIndexKeysPerLock, &any);
  }
  return any;
}

bool MvccStore::CountsInHash(const DecodedRevisionKey& decoded, absl::string_view record, Revision revision) const {
  MutexLock lock(&mu_);
  const KeyIndex* index = index_.Find(KeyOfRecord(record));
  return index != nullptr && index->CountsInHash(decoded.change, revision.value());
}

std::unique_ptr<WriteTxn> MvccStore::BeginWrite() { return std::unique_ptr<WriteTxn>(new WriteTxn(this)); }

void MvccStore::Publish(Revision revision) {
  MutexLock lock(&mu_);
  current_ = revision;
}

void MvccStore::BeginEntry() { buffer_.BeginEntry(); }

void MvccStore::EndEntry(uint64_t index, uint64_t term) {
  const Revision current = current_revision();
  buffer_.Put(Table::kMeta, kPositionKey, EncodePosition({.index = index, .term = term, .revision = current}));
  buffer_.EndEntry();
  MutexLock lock(&mu_);
  applied_index_ = index;
}

absl::Status MvccStore::Commit() {
  // Whatever is applied now is part of this commit, or of an earlier one.
  const uint64_t index = applied_index();
  TM_RETURN_IF_ERROR(buffer_.Commit());
  MutexLock lock(&mu_);
  durable_index_ = std::max(durable_index_, index);
  return absl::OkStatus();
}

absl::Status MvccStore::Compact(Revision revision) {
  {
    MutexLock lock(&mu_);
    // etcd begins at -1, so that the first compaction may be at 0; it does nothing.
    if (compact_.is_none() && revision.is_none()) return absl::OkStatus();
    if (revision <= compact_) return StoreStatus(StoreError::kCompacted, compact_);
    if (revision > current_) return StoreStatus(StoreError::kFutureRevision, current_);
    compact_ = revision;
  }
  buffer_.Put(Table::kMeta, kScheduledCompactKey, EncodeRevision(revision));
  return absl::OkStatus();
}

bool MvccStore::CompactionStep() {
  const auto batch = static_cast<size_t>(options_.compaction_batch);
  bool going_on = true;
  for (size_t work = 0; going_on && work < batch;) {
    std::vector<DroppedChange> dropped;
    going_on = CompactSome(&dropped);
    DeleteDropped(dropped);
    work += kIndexKeysPerLock + dropped.size();
  }
  if (going_on) return true;
  MutexLock lock(&mu_);
  if (!compacting_.is_none()) {
    buffer_.Put(Table::kMeta, kFinishedCompactKey, EncodeRevision(compacting_));
    compacted_physically_ = std::exchange(compacting_, Revision());
  }
  return compacted_physically_ < compact_;
}

void MvccStore::DeleteDropped(const std::vector<DroppedChange>& dropped) {
  std::vector<std::string> keys;
  keys.reserve(dropped.size());
  for (const DroppedChange& drop : dropped) keys.emplace_back(RevisionKey(drop.change, drop.tombstone).view());
  buffer_.DeleteAll(Table::kKey, keys);
}

bool MvccStore::CompactSome(std::vector<DroppedChange>* dropped) {
  MutexLock lock(&mu_);
  if (compacting_.is_none()) {
    if (compacted_physically_ == compact_) return false;
    compacting_ = compact_;
    compaction_cursor_ = {};
  }
  std::optional<CompactionCursor> next =
      index_.Compact(compaction_cursor_, compacting_.value(), kIndexKeysPerLock, kDeletesPerLock, dropped);
  if (next.has_value()) compaction_cursor_ = *std::move(next);
  return next.has_value();
}

void MvccStore::CheckInvariants() const {
  MutexLock lock(&mu_);
  index_.CheckInvariants();
  TM_CHECK(compact_ <= current_) << compact_ << " " << current_;
  TM_CHECK(compacted_physically_ <= compact_) << compacted_physically_ << " " << compact_;
  TM_CHECK(durable_index_ <= applied_index_) << durable_index_ << " " << applied_index_;
}

}  // namespace tidemark::mvcc
