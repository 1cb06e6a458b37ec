// OutageLog says that the store is away, and that it is back, once for all that follow it: a hundred resources lose a store
// within a moment, and a hundred lines would say one thing.
//
//   WARN the store is not followed waiting=97 resource=pods endpoint=... kind=... reason=...     a second after the first loss
//   INFO the store is followed again resources=103 after=12s                                     with the last that is back
//
// While it lasts, the first line comes again when another number waits, once a minute: it then names one that waits still.
// Each resource by itself is a line at level debug.
//
// Thread-safety: thread-safe. Lines are written under the lock, in the order of what they say; there are few.
// Ownership:     held by shared_ptr; the executor outlives it.
#ifndef TIDEMARK_STORECLIENT_OUTAGE_LOG_H_
#define TIDEMARK_STORECLIENT_OUTAGE_LOG_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "base/mutex.h"

namespace tidemark::storeclient {

// Until the first line: by then all have noticed. What is over before is one line at level info.
inline constexpr absl::Duration kOutageSettle = absl::Seconds(1);
// Until the next one.
inline constexpr absl::Duration kOutageRepeat = absl::Minutes(1);

class OutageLog : public std::enable_shared_from_this<OutageLog> {
 public:
  explicit OutageLog(Executor* executor) : executor_(executor) {}

  // The follow `id` of `resource` waits for the store. Again while it waits: nothing.
  void Lost(uint64_t id, absl::string_view resource, absl::string_view endpoint, const absl::Status& reason);
  // It waits no longer: `how` it came back.
  void Back(uint64_t id, absl::string_view endpoint, absl::string_view how);
  // It has ended.
  void Forget(uint64_t id);

 private:
  struct Loss {
    std::string resource;
    std::string endpoint;
    absl::Status reason;
  };

  void Report(uint64_t outage);
  void PostReport(absl::Duration in) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // After one has left: `last`.
  void EndIfOver(const Loss& last) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  Executor* const executor_;

  Mutex mu_;
  std::map<uint64_t, Loss> waiting_ ABSL_GUARDED_BY(mu_);
  // Of the outage at hand, which lasts as long as somebody waits.
  uint64_t outage_ ABSL_GUARDED_BY(mu_) = 0;  // its number
  absl::Time begun_ ABSL_GUARDED_BY(mu_);
  size_t losses_ ABSL_GUARDED_BY(mu_) = 0;
  size_t reported_ ABSL_GUARDED_BY(mu_) = 0;  // who waited when the last line was written
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_OUTAGE_LOG_H_
