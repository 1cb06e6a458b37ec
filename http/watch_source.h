// WatchSource is the stream of one WATCH: the state first if it was asked for, then each event as a frame, a bookmark
// now and then, and the error that ends it.
//
//   {"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1",...}}\n
//
// Thread-safety: thread-compatible; its alarm and the mirror wake it from other threads.
// Ownership:     holds the snapshot until the state is written, and the events of one Pull until the next.
// Invariants:    a bookmark says no more than has been handed to the connection before it.
// Cost:          an event's frame is built once and shared by all watches; idle: some 300 bytes and no CPU.
#ifndef TIDEMARK_HTTP_WATCH_SOURCE_H_
#define TIDEMARK_HTTP_WATCH_SOURCE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cache/cache.h"
#include "http/object_json.h"
#include "http/status.h"
#include "http/watch_timers.h"
#include "metrics/registry.h"
#include "net/exchange.h"

namespace tidemark::http {

struct WatchStart {
  std::shared_ptr<const ObjectEncoder> encoder;  // of the resource, which outlives the watch
  const cache::Mirror* mirror = nullptr;         // what the cursor reads; outlives the watch
  Revision revision;                             // events above this one are sent
  std::optional<cache::View> state;              // sent first
  cache::ListQuery state_query;
  bool end_state_with_bookmark = false;
  std::unique_ptr<cache::WatchCursor> cursor;
  std::unique_ptr<WatchAlarm> alarm;
  metrics::Counter sent_events;
  metrics::Counter init_events;  // those of the state
};

std::unique_ptr<net::BodySource> MakeWatchSource(WatchStart start);
// One ERROR event, and the end.
std::unique_ptr<net::BodySource> MakeErrorSource(const ApiStatus& status);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_WATCH_SOURCE_H_
