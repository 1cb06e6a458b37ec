// WatchHandler answers WATCH: it finds the revision to start from, with or without the state first, and hands the
// connection a stream that follows the mirror.
//
// Thread-safety: thread-safe.
// Source:        kube-apiserver's table of watch starts. What is wrong before the watch exists is an HTTP error; all
//                that comes later is one ERROR event in a 200 stream, and its end.
#ifndef TIDEMARK_HTTP_WATCH_HANDLER_H_
#define TIDEMARK_HTTP_WATCH_HANDLER_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "base/clock.h"
#include "cache/cache.h"
#include "http/accept.h"
#include "http/fresh_read.h"
#include "http/list_options.h"
#include "http/responder.h"
#include "http/router.h"
#include "http/watch_timers.h"

namespace tidemark::http {

// A watch without timeoutSeconds ends at random between this and twice as much, so that clients do
// not come back all at once.
inline constexpr absl::Duration kWatchTimeoutMin = absl::Minutes(30);
// Each has a connection of its own: three quarters of these (net/limits.h), so that whoever lists finds one. Where the process
// may open fewer files, only the limit of one address leaves some, to others.
inline constexpr size_t kWatchesMax = 30'000;

// Where a WATCH starts.
struct WatchPlan {
  ReadKind read = ReadKind::kWatch;  // kWatch: from `version`, without a read
  bool send_state = false;
  uint64_t version = 0;
};

ApiStatusOr<WatchPlan> PlanWatch(const ListOptions& options);

class WatchHandler {
 public:
  // More than `watches_max` at a time are answered 429.
  WatchHandler(cache::Cache* cache, Poster post, WatchTimers* timers, size_t watches_max, const Clock& clock)
      : cache_(cache), post_(std::move(post)), timers_(timers), watches_max_(watches_max), clock_(clock) {}

  // REQUIRES: the responder holds the route's resource and the mirror.
  void Watch(const Route& route, const Negotiation& asked, cache::Mirror* mirror, std::shared_ptr<Responder> responder);

 private:
  struct Start;
  void Open(const Start& start, absl::StatusOr<cache::View> view) const;

  cache::Cache* const cache_;
  const Poster post_;
  WatchTimers* const timers_;
  const size_t watches_max_;
  const Clock& clock_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_WATCH_HANDLER_H_
