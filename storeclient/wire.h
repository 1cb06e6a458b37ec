// The two messages of the etcd v3 API that carry objects, read by hand: RangeResponse and WatchResponse as views of their bytes.
// Everything else goes through the generated classes.
//
//   WatchView message;                                   // reused from message to message
//   if (absl::Status status = ParseWatch(bytes, &message); !status.ok()) ...
//
// Thread-safety: the functions are pure; a view is thread-compatible.
// Ownership:     a view points into the bytes that were parsed.
// Errors:        kCorrupt for bytes that are no such message. Unknown fields are skipped.
// Cost:          one pass; no copy, and no allocation once the vectors have grown.
// Source:        protobuf wire format; etcd's rpc.proto and kv.proto (proto/).
#ifndef TIDEMARK_STORECLIENT_WIRE_H_
#define TIDEMARK_STORECLIENT_WIRE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "storeclient/store_client.h"

namespace tidemark::storeclient {

struct StoreHeader {
  uint64_t cluster_id = 0;
  Revision revision;
  uint64_t raft_term = 0;
};

struct RangeView {
  StoreHeader header;
  std::vector<KeyValueView> kvs;
  bool more = false;
  int64_t count = 0;
};

struct WatchView {
  StoreHeader header;
  int64_t watch_id = 0;
  bool created = false;
  bool canceled = false;
  Revision compact_revision;
  absl::string_view cancel_reason;
  bool fragment = false;
  std::vector<EventView> events;

  // An empty message that says how far the stream is.
  bool IsProgress() const { return !created && !canceled && !fragment && events.empty(); }
};

// Each clears `message` first.
absl::Status ParseRange(absl::string_view bytes, RangeView* message);
absl::Status ParseWatch(absl::string_view bytes, WatchView* message);

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_WIRE_H_
