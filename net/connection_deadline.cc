// The time that a client is given, and what happens when it is over.
#include <utility>

#include "absl/time/time.h"
#include "base/log.h"
#include "net/connection.h"

namespace tidemark::net {

void Connection::SetLimit(Limit why) {
  if (why == limit_) return;
  limit_ = why;
  deadline_ = why == Limit::kNone ? absl::InfiniteFuture() : core_->clock.Now() + TimeOf(why);
  core_->loop.SetDeadline(this, deadline_);
}

absl::Duration Connection::TimeOf(Limit limit) const {
  switch (limit) {
    case Limit::kFirstByte:
    case Limit::kHead:
      return core_->limits.head_time;
    case Limit::kIdle:
      return core_->limits.idle_time;
    case Limit::kBody:
      return core_->limits.body_time;
    case Limit::kWrite:
      return core_->limits.write_window;
    case Limit::kLinger:
      return core_->limits.linger_time;
    case Limit::kNone:
      break;
  }
  return absl::InfiniteDuration();
}

void Connection::CheckDeadline() {
  if (limit_ == Limit::kNone || state_ == State::kClosed) return;
  if (core_->clock.Now() < deadline_) return core_->loop.SetDeadline(this, deadline_);
  switch (limit_) {
    case Limit::kHead:
    case Limit::kBody:
      return Refuse({408, "the request took too long to arrive"});
    case Limit::kWrite:
      return OnWriteWindowEnd();
    case Limit::kLinger:
      return Close(nullptr, false);
    default:
      return Close(&core_->metrics.closed_idle, false);
  }
}

void Connection::OnWriteWindowEnd() {
  const uint64_t taken = writer_.sent_bytes() - window_start_bytes_;
  if (taken >= core_->limits.write_window_bytes_min) {
    limit_ = Limit::kNone;
    return OnBlocked();
  }
  if (uint64_t held_back = 0; core_->slow_gate.Open(core_->clock.Now(), &held_back)) {
    Log(LogLevel::kWarning, "a client reads too slowly, cutting it",
        {{"client", peer_},
         {"bytes_taken", taken},
         {"window", absl::FormatDuration(core_->limits.write_window)},
         {"suppressed", held_back}});
  }
  Close(&core_->metrics.closed_slow, true);
}

}  // namespace tidemark::net
