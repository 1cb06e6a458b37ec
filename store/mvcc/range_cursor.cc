#include "store/mvcc/range_cursor.h"

#include <algorithm>
#include <vector>

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

absl::Status RangeCursor::Next(size_t keys_max, std::string* wire) {
  TM_CHECK(!done_ && keys_max > 0);
  if (revision_ > store_revision_) return StoreStatus(StoreError::kFutureRevision, store_revision_);
  size_t wanted = keys_max;
  if (limit_left_ >= 0) wanted = std::min(wanted, static_cast<size_t>(limit_left_));
  std::vector<ChangeId> changes;
  std::vector<KeyState> states;
  std::vector<std::string> keys;  // for keys_only
  const KeyRange range(next_key_, range_end_);
  bool stopped = false;
  TM_RETURN_IF_ERROR(store_.WalkIndex(range, revision_, [&](absl::string_view key, const KeyState& state) {
    if (changes.size() == wanted) {
      stopped = true;
      next_key_ = std::string(key);
      return false;
    }
    changes.push_back(state.modified);
    if (keys_only_) {
      keys.emplace_back(key);
      states.push_back(state);
    }
    return true;
  }));
  for (size_t i = 0; i < keys.size(); ++i) {
    AppendBytesField(RangeResponse::kKvsFieldNumber,
                     EncodeRecord({.key = keys[i],
                                   .create_revision = states[i].create_revision,
                                   .mod_revision = states[i].modified.main,
                                   .version = states[i].version,
                                   .value = {},
                                   .lease = 0}),
                     wire);
  }
  if (!keys_only_) {
    TM_RETURN_IF_ERROR(store_.FetchRecords(changes, revision_, [&](size_t, absl::string_view record) {
      AppendBytesField(RangeResponse::kKvsFieldNumber, record, wire);
    }));
  }
  count_ += static_cast<int64_t>(changes.size());
  if (limit_left_ >= 0) limit_left_ -= static_cast<int64_t>(changes.size());
  done_ = !stopped || limit_left_ == 0;
  if (!stopped || limit_left_ != 0) return absl::OkStatus();
  more_ = true;
  return CountRest();
}

absl::Status RangeCursor::CountRest() {
  const KeyRange rest(next_key_, range_end_);
  return store_.WalkIndex(rest, revision_, [&](absl::string_view, const KeyState&) {
    ++count_;
    return true;
  });
}

}  // namespace tidemark::mvcc
