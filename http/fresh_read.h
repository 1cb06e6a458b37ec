// FreshRead is one read of the cache with its continuation: at once when nothing has to be waited for, and otherwise in
// a posted task, never in the thread of the mirror that became fresh.
//
// Thread-safety: thread-safe.
#ifndef TIDEMARK_HTTP_FRESH_READ_H_
#define TIDEMARK_HTTP_FRESH_READ_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/executor.h"
#include "cache/cache.h"
#include "net/exchange.h"

namespace tidemark::http {

void FreshRead(cache::Cache* cache, const Poster& post, cache::Mirror* mirror, cache::ReadOptions options,
               cache::Cache::ReadCallback done);

// After config::kReadWaitMax, or after the client's own `timeout` when that is shorter.
absl::Time ReadDeadline(const net::Request& request, const Clock& clock);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_FRESH_READ_H_
