#include "storeclient/outage_log.h"

#include <utility>

#include "base/log.h"
#include "base/status.h"

namespace tidemark::storeclient {

void OutageLog::Lost(uint64_t id, absl::string_view resource, absl::string_view endpoint, const absl::Status& reason) {
  MutexLock lock(&mu_);
  const Loss loss{std::string(resource), std::string(endpoint), reason};
  if (!waiting_.emplace(id, loss).second) return;
  ++losses_;
  Log(LogLevel::kDebug, "following the store is interrupted",
      {{"resource", resource},
       {"endpoint", endpoint},
       {"kind", ErrorKindName(KindOf(reason))},
       {"reason", reason.message()}});
  if (waiting_.size() > 1) return;
  ++outage_;
  begun_ = executor_->clock().Now();
  PostReport(kOutageSettle);
}

void OutageLog::Back(uint64_t id, absl::string_view endpoint, absl::string_view how) {
  MutexLock lock(&mu_);
  const auto back = waiting_.extract(id);
  if (back.empty()) return;
  Log(LogLevel::kDebug, "following the store again",
      {{"resource", back.mapped().resource}, {"endpoint", endpoint}, {"by", how}});
  EndIfOver(back.mapped());
}

void OutageLog::Forget(uint64_t id) {
  MutexLock lock(&mu_);
  const auto ended = waiting_.extract(id);
  if (!ended.empty()) EndIfOver(ended.mapped());
}

void OutageLog::PostReport(absl::Duration in) {
  executor_->PostAt(executor_->clock().Now() + in, [weak = weak_from_this(), outage = outage_] {
    if (const std::shared_ptr<OutageLog> self = weak.lock()) self->Report(outage);
  });
}

void OutageLog::Report(uint64_t outage) {
  MutexLock lock(&mu_);
  if (outage != outage_ || waiting_.empty()) return;
  PostReport(kOutageRepeat);
  if (std::exchange(reported_, waiting_.size()) == waiting_.size()) return;
  const Loss& one = waiting_.begin()->second;
  Log(LogLevel::kWarning, "the store is not followed",
      {{"waiting", waiting_.size()},
       {"resource", one.resource},
       {"endpoint", one.endpoint},
       {"kind", ErrorKindName(KindOf(one.reason))},
       {"reason", one.reason.message()}});
}

void OutageLog::EndIfOver(const Loss& last) {
  if (!waiting_.empty()) return;
  const std::string span = absl::FormatDuration(executor_->clock().Now() - begun_);
  const size_t losses = std::exchange(losses_, 0);
  if (std::exchange(reported_, 0) > 0) {
    return Log(LogLevel::kInfo, "the store is followed again", {{"resources", losses}, {"after", span}});
  }
  Log(LogLevel::kInfo, "following the store was interrupted for a moment",
      {{"resources", losses},
       {"after", span},
       {"resource", last.resource},
       {"endpoint", last.endpoint},
       {"reason", last.reason.message()}});
}

}  // namespace tidemark::storeclient
