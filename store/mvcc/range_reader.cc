#include "store/mvcc/range_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/record.h"

namespace tidemark::mvcc {
namespace {

using etcdserverpb::RangeRequest;

bool IsDescending(const RangeRequest& request) { return request.sort_order() == RangeRequest::DESCEND; }

// What the index knows to sort by.
int64_t SortNumber(RangeRequest::SortTarget target, const KeyState& state) {
  switch (target) {
    case RangeRequest::VERSION:
      return state.version;
    case RangeRequest::CREATE:
      return state.create_revision;
    case RangeRequest::MOD:
      return state.modified.main;
    default:
      return 0;
  }
}

bool Within(int64_t value, int64_t min, int64_t max) {
  return (min == 0 || value >= min) && (max == 0 || value <= max);
}

std::string WithoutValue(absl::string_view bytes) {
  KeyValueRecord record = DecodeRecord(bytes);
  record.value = absl::string_view();
  return EncodeRecord(record);
}

}  // namespace

RangeReader::RangeReader(const MvccStore& store, const RangeRequest& request)
    : store_(store),
      request_(request),
      range_(request.key(), request.range_end()),
      descending_(IsDescending(request)),
      from_index_(request.keys_only() && request.sort_target() != RangeRequest::VALUE) {}

absl::Status RangeReader::ReadCurrent(RecordSink* sink) {
  absl::Status status;
  for (int attempt = 0; attempt < kReadAttemptsMax; ++attempt) {
    status = ReadAt(store_.current_revision(), sink);
    if (KindOf(status) != ErrorKind::kCompacted || request_.revision() > 0) return status;
    sink->Clear();
  }
  return status;
}

absl::Status RangeReader::ReadAt(Revision newest, RecordSink* sink) {
  found_.clear();
  count_ = 0;
  more_ = false;
  store_revision_ = newest;
  const Revision revision = request_.revision() > 0 ? Revision(request_.revision()) : newest;
  if (revision > newest) return StoreStatus(StoreError::kFutureRevision, newest);
  TM_RETURN_IF_ERROR(WalkIndex(revision));
  if (request_.count_only()) return absl::OkStatus();
  if (request_.sort_target() == RangeRequest::VALUE) return SortByValueAndEmit(revision, sink);
  SortFound();
  Cut();
  return Emit(revision, sink);
}

bool RangeReader::IsPage() const {
  return request_.limit() > 0 && !range_.single() && !request_.count_only() &&
         request_.sort_target() == RangeRequest::KEY && !descending_ && request_.min_mod_revision() == 0 &&
         request_.max_mod_revision() == 0 && request_.min_create_revision() == 0 && request_.max_create_revision() == 0;
}

bool RangeReader::PassesFilters(const KeyState& state) const {
  return Within(state.modified.main, request_.min_mod_revision(), request_.max_mod_revision()) &&
         Within(state.create_revision, request_.min_create_revision(), request_.max_create_revision());
}

absl::Status RangeReader::WalkIndex(Revision revision) {
  if (!IsPage()) {
    return store_.WalkIndex(range_, revision, [&](absl::string_view key, const KeyState& state) {
      ++count_;
      if (!request_.count_only() && PassesFilters(state)) Note(key, state);
      return true;
    });
  }
  // What a revision that readers see contains never changes; what a transaction under way reads still may.
  const bool settled = revision <= store_.current_revision();
  const std::optional<int64_t> known = settled ? store_.count_cache_.Take(range_, revision) : std::nullopt;
  const size_t limit = static_cast<size_t>(request_.limit());
  std::string last_key;
  // One more than asked for, to know whether there is more; the rest is only counted.
  TM_RETURN_IF_ERROR(store_.WalkIndex(range_, revision, [&](absl::string_view key, const KeyState& state) {
    ++count_;
    if (found_.size() <= limit) Note(key, state);
    if (found_.size() == limit && last_key.empty()) last_key = std::string(key);
    return !known.has_value() || found_.size() <= limit;
  }));
  if (known.has_value()) count_ = *known;
  if (settled && found_.size() > limit) {
    store_.count_cache_.Put(range_, revision, last_key, count_ - static_cast<int64_t>(limit));
  }
  return absl::OkStatus();
}

void RangeReader::Note(absl::string_view key, const KeyState& state) {
  found_.push_back({state, from_index_ ? std::string(key) : std::string()});
}

void RangeReader::SortFound() {
  const RangeRequest::SortTarget target = request_.sort_target();
  if (target == RangeRequest::KEY) {
    if (descending_) std::reverse(found_.begin(), found_.end());
    return;
  }
  std::stable_sort(found_.begin(), found_.end(), [&](const Found& a, const Found& b) {
    const int64_t left = SortNumber(target, a.state), right = SortNumber(target, b.state);
    return descending_ ? left > right : left < right;
  });
}

void RangeReader::Cut() {
  if (request_.limit() <= 0 || found_.size() <= static_cast<size_t>(request_.limit())) return;
  found_.resize(static_cast<size_t>(request_.limit()));
  more_ = true;
}

absl::Status RangeReader::Emit(Revision revision, RecordSink* sink) {
  if (from_index_) {
    EmitFromIndex(sink);
    return absl::OkStatus();
  }
  return Fetch(revision, [&](absl::string_view record) { sink->Add(record); });
}

void RangeReader::EmitFromIndex(RecordSink* sink) const {
  for (const Found& found : found_) {
    sink->Add(EncodeRecord({.key = found.key,
                            .create_revision = found.state.create_revision,
                            .mod_revision = found.state.modified.main,
                            .version = found.state.version,
                            .value = {},
                            .lease = 0}));
  }
}

absl::Status RangeReader::SortByValueAndEmit(Revision revision, RecordSink* sink) {
  std::vector<std::string> records;
  records.reserve(found_.size());
  TM_RETURN_IF_ERROR(Fetch(revision, [&](absl::string_view record) { records.emplace_back(record); }));
  std::vector<std::pair<absl::string_view, const std::string*>> order;
  order.reserve(records.size());
  for (const std::string& record : records) order.emplace_back(DecodeRecord(record).value, &record);
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return descending_ ? a.first > b.first : a.first < b.first; });
  if (request_.limit() > 0 && order.size() > static_cast<size_t>(request_.limit())) {
    order.resize(static_cast<size_t>(request_.limit()));
    more_ = true;
  }
  for (const auto& [value, record] : order) {
    if (request_.keys_only()) {
      sink->Add(WithoutValue(*record));
    } else {
      sink->Add(*record);
    }
  }
  return absl::OkStatus();
}

absl::Status RangeReader::Fetch(Revision revision, absl::FunctionRef<void(absl::string_view record)> visit) const {
  absl::InlinedVector<ChangeId, 1> changes;
  changes.reserve(found_.size());
  for (const Found& found : found_) changes.push_back(found.state.modified);
  return store_.FetchRecords(changes, revision, [&](size_t, absl::string_view record) {
    visit(record);
    return true;
  });
}

}  // namespace tidemark::mvcc
