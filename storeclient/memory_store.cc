#include "storeclient/memory_store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"

namespace tidemark::storeclient {

Revision MemoryStore::Put(absl::string_view key, absl::string_view value) {
  return Txn({{std::string(key), std::string(value)}});
}

Revision MemoryStore::Delete(absl::string_view key) { return Txn({{std::string(key), std::nullopt}}); }

Revision MemoryStore::Txn(const std::vector<Write>& writes) {
  const Revision next = revision_.Next();
  auto batch = std::make_shared<Batch>();
  batch->revision = next;
  for (const Write& write : writes) {
    const bool exists = Exists(write.key);
    if (!write.value.has_value() && !exists) continue;
    std::vector<Version>& versions = keys_[write.key];
    TM_CHECK(versions.empty() || versions.back().mod_revision < next) << write.key << " twice in one transaction";
    Event event;
    event.kv.key = write.key;
    event.kv.mod_revision = next;
    if (write.value.has_value()) {
      event.kv.value = *write.value;
      event.kv.create_revision = exists ? versions.back().create_revision : next;
    } else {
      event.type = EventView::Type::kDelete;
    }
    versions.push_back({event.kv.create_revision, next, event.kv.value, !write.value.has_value()});
    batch->events.push_back(std::move(event));
  }
  if (batch->events.empty()) return revision_;
  batches_.push_back(std::move(batch));
  revision_ = next;
  return revision_;
}

absl::Status MemoryStore::Compact(Revision revision) {
  if (revision <= compact_revision_) {
    return MakeError(ErrorKind::kCompacted, "already compacted", compact_revision_);
  }
  if (revision > revision_) return MakeError(ErrorKind::kFutureRevision, "not written yet", revision_);
  compact_revision_ = revision;
  return absl::OkStatus();
}

void MemoryStore::Rewind(Revision to) {
  TM_CHECK(to >= Revision(1) && to <= revision_) << "rewind to " << to << " of " << revision_;
  while (!batches_.empty() && batches_.back()->revision > to) batches_.pop_back();
  for (auto it = keys_.begin(); it != keys_.end();) {
    std::vector<Version>& versions = it->second;
    while (!versions.empty() && versions.back().mod_revision > to) versions.pop_back();
    it = versions.empty() ? keys_.erase(it) : std::next(it);
  }
  revision_ = to;
  compact_revision_ = std::min(compact_revision_, to);
  ++cluster_id_;
}

const MemoryStore::Version* MemoryStore::VersionAt(const std::vector<Version>& versions, Revision revision) {
  const auto above = std::upper_bound(versions.begin(), versions.end(), revision,
                                      [](Revision at, const Version& version) { return at < version.mod_revision; });
  if (above == versions.begin()) return nullptr;
  const Version& version = *std::prev(above);
  return version.deleted ? nullptr : &version;
}

bool MemoryStore::Exists(absl::string_view key) const {
  const auto found = keys_.find(key);
  return found != keys_.end() && VersionAt(found->second, revision_) != nullptr;
}

absl::StatusOr<RangeResult> MemoryStore::Range(const RangeRequest& request) const {
  const Revision at = request.revision.is_none() ? revision_ : request.revision;
  if (at > revision_) return MakeError(ErrorKind::kFutureRevision, "required revision is a future revision", revision_);
  if (at < compact_revision_) {
    return MakeError(ErrorKind::kCompacted, "required revision has been compacted", compact_revision_);
  }
  RangeResult result;
  result.store_revision = revision_;
  const bool to_the_end = request.range_end == absl::string_view("\0", 1);
  for (auto it = keys_.lower_bound(request.key); it != keys_.end(); ++it) {
    if (request.range_end.empty() ? it->first != request.key : !to_the_end && it->first >= request.range_end) break;
    const Version* version = VersionAt(it->second, at);
    if (version == nullptr) continue;
    ++result.count;
    if (request.count_only) continue;
    if (request.limit > 0 && result.count > request.limit) {
      result.more = true;
      continue;
    }
    result.kvs.push_back({it->first, version->value, version->create_revision, version->mod_revision});
  }
  return result;
}

MemoryStore::BatchPtr MemoryStore::NextBatch(Revision after) const {
  // Revision 2 is batches_[0]: every revision but the first has exactly one batch.
  const int64_t index = std::max<int64_t>(after.value() - 1, 0);
  return index < static_cast<int64_t>(batches_.size()) ? batches_[index] : nullptr;
}

absl::Status MemoryStore::CheckWatchStart(Revision start) const {
  if (start >= compact_revision_) return absl::OkStatus();
  return MakeError(ErrorKind::kCompacted, absl::StrCat("watch from ", start.value(), " is below the compaction"),
                   compact_revision_);
}

}  // namespace tidemark::storeclient
