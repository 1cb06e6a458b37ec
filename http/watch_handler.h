// WatchHandler answers WATCH: it finds the revision to start from, with or without the state first, and hands the
// connection a stream that follows the mirror.
//
// Thread-safety: thread-safe.
// Source:        kube-apiserver's table of watch starts. What is wrong before the watch exists is an HTTP error; all
//                that comes later is one ERROR event in a 200 stream, and its end.
#ifndef TIDEMARK_HTTP_WATCH_HANDLER_H_
#define TIDEMARK_HTTP_WATCH_HANDLER_H_

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

// Where a WATCH starts.
struct WatchPlan {
  ReadKind read = ReadKind::kWatch;  // kWatch: from `version`, without a read
  bool send_state = false;
  uint64_t version = 0;
};

ApiStatusOr<WatchPlan> PlanWatch(const ListOptions& options);

class WatchHandler {
 public:
  WatchHandler(cache::Cache* cache, Poster post, WatchTimers* timers, const Clock& clock)
      : cache_(cache), post_(std::move(post)), timers_(timers), clock_(clock) {}

  // REQUIRES: the responder holds the route's resource and the mirror.
  void Watch(const Route& route, const Negotiation& asked, cache::Mirror* mirror, std::shared_ptr<Responder> responder);

 private:
  struct Start;
  void Open(const Start& start, absl::StatusOr<cache::View> view) const;

  cache::Cache* const cache_;
  const Poster post_;
  WatchTimers* const timers_;
  const Clock& clock_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_WATCH_HANDLER_H_
