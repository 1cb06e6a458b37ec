// WatchMessage is one answer on a watch stream before it is put on the wire: many watchers share its events.
//
// Thread-safety: thread-compatible.
// Invariants:    a message holds whole revisions, in order.
#ifndef TIDEMARK_STORE_MVCC_WATCH_MESSAGE_H_
#define TIDEMARK_STORE_MVCC_WATCH_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/revision.h"
#include "store/mvcc/event.h"

namespace tidemark::mvcc {

class MvccStore;

// The id of answers that concern no watch, or all of them.
inline constexpr int64_t kNoWatchId = -1;

// What encoding a message takes.
struct EncodingCost {
  size_t bytes = 0;    // copied, without previous values
  size_t lookups = 0;  // of previous values, at most
};

struct WatchMessage {
  int64_t watch_id = kNoWatchId;
  // For the header. Without events and flags the message is a progress notification: everything
  // up to here has been sent.
  Revision revision;
  bool created = false;
  bool canceled = false;
  Revision compact_revision;
  std::string cancel_reason;
  std::vector<EventPtr> events;
  bool with_prev_kv = false;
  bool may_fragment = false;

  // An upper bound of what it keeps in memory by its events.
  size_t size_bytes() const;
  EncodingCost encoding_cost() const { return {size_bytes(), with_prev_kv ? events.size() : 0}; }
};

// The bytes of WatchResponses without headers, made without parsing a value: one element, or several pieces, all but
// the last marked as fragments, when the message allows that and is larger than `fragment_bytes` (etcd: max request
// bytes + 512 KiB). Previous values are looked up here, in the reader's thread.
std::vector<std::string> EncodeWatchResponse(const WatchMessage& message, const MvccStore& store,
                                             size_t fragment_bytes);

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WATCH_MESSAGE_H_
