#include "store/mvcc/range_cursor.h"

#include <algorithm>

#include "base/check.h"
#include "base/status.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/key_range.h"
#include "store/mvcc/record.h"
#include "store/mvcc/wire.h"

namespace tidemark::mvcc {
using etcdserverpb::RangeResponse;

RangeCursor::RangeCursor(const MvccStore& store, const etcdserverpb::RangeRequest& request)
    : store_(store),
      store_revision_(store.current_revision()),
      revision_(request.revision() > 0 ? Revision(request.revision()) : store_revision_),
      range_end_(request.range_end()),
      keys_only_(request.keys_only()),
      limit_left_(request.limit() > 0 ? request.limit() : -1),
      next_key_(request.key()) {
  TM_CHECK(!request.count_only());
}

absl::Status RangeCursor::Next(size_t keys_max, size_t bytes_max, std::string* wire) {
  TM_CHECK(!done_ && keys_max > 0);
  if (revision_ > store_revision_) return StoreStatus(StoreError::kFutureRevision, store_revision_);
  size_t wanted = keys_max;
  if (limit_left_ >= 0) wanted = std::min(wanted, static_cast<size_t>(limit_left_));
  Found found;
  TM_ASSIGN_OR_RETURN(const bool stopped, Find(wanted, &found));
  TM_ASSIGN_OR_RETURN(const size_t appended, Append(found, bytes_max, wire));
  count_ += static_cast<int64_t>(appended);
  if (limit_left_ >= 0) limit_left_ -= static_cast<int64_t>(appended);
  if (appended < found.changes.size()) return absl::OkStatus();
  done_ = !stopped || limit_left_ == 0;
  if (!stopped || limit_left_ != 0) return absl::OkStatus();
  more_ = true;
  return CountRest();
}

absl::StatusOr<bool> RangeCursor::Find(size_t keys_max, Found* found) {
  bool stopped = false;
  const KeyRange range(next_key_, range_end_);
  TM_RETURN_IF_ERROR(store_.WalkIndex(range, revision_, [&](absl::string_view key, const KeyState& state) {
    if (found->changes.size() == keys_max) {
      stopped = true;
      next_key_ = std::string(key);
      return false;
    }
    found->changes.push_back(state.modified);
    if (keys_only_) {
      found->keys.emplace_back(key);
      found->states.push_back(state);
    }
    return true;
  }));
  return stopped;
}

absl::StatusOr<size_t> RangeCursor::Append(const Found& found, size_t bytes_max, std::string* wire) {
  if (keys_only_) return AppendKeys(found, bytes_max, wire);
  size_t appended = 0;
  TM_RETURN_IF_ERROR(store_.FetchRecords(found.changes, revision_, [&](size_t, absl::string_view record) {
    if (appended > 0 && wire->size() >= bytes_max) {
      next_key_ = std::string(KeyOfRecord(record));
      return false;
    }
    AppendBytesField(RangeResponse::kKvsFieldNumber, record, wire);
    ++appended;
    return true;
  }));
  return appended;
}

size_t RangeCursor::AppendKeys(const Found& found, size_t bytes_max, std::string* wire) {
  for (size_t i = 0; i < found.keys.size(); ++i) {
    if (i > 0 && wire->size() >= bytes_max) {
      next_key_ = found.keys[i];
      return i;
    }
    AppendBytesField(RangeResponse::kKvsFieldNumber,
                     EncodeRecord({.key = found.keys[i],
                                   .create_revision = found.states[i].create_revision,
                                   .mod_revision = found.states[i].modified.main,
                                   .version = found.states[i].version,
                                   .value = {},
                                   .lease = 0}),
                     wire);
  }
  return found.keys.size();
}

absl::Status RangeCursor::CountRest() {
  const KeyRange rest(next_key_, range_end_);
  return store_.WalkIndex(rest, revision_, [&](absl::string_view, const KeyState&) {
    ++count_;
    return true;
  });
}

}  // namespace tidemark::mvcc
