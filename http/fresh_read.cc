#include "http/fresh_read.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "config/options.h"
#include "http/go_text.h"

namespace tidemark::http {

void FreshRead(cache::Cache* cache, const Poster& post, cache::Mirror* mirror, cache::ReadOptions options,
               cache::Cache::ReadCallback done) {
  const std::thread::id caller = std::this_thread::get_id();
  cache->Read(mirror, options, [post, caller, done = std::move(done)](absl::StatusOr<cache::View> view) mutable {
    if (std::this_thread::get_id() == caller) {
      done(std::move(view));
      return;
    }
    post([done = std::move(done), view = std::move(view)]() mutable { done(std::move(view)); });
  });
}

absl::Time ReadDeadline(const net::Request& request, const Clock& clock) {
  absl::Duration wait = config::kReadWaitMax;
  if (const auto text = request.Query("timeout")) {
    const absl::StatusOr<absl::Duration> timeout = ParseGoDuration(*text);
    if (timeout.ok() && *timeout > absl::ZeroDuration()) wait = std::min(wait, *timeout);
  }
  return clock.Now() + wait;
}

}  // namespace tidemark::http
