#include "storeclient/progress_pacer.h"

#include <algorithm>

#include "storeclient/store_client.h"

namespace tidemark::storeclient {

absl::Time ProgressPacer::Earliest() const {
  return last_sent_ + (in_flight_ ? std::max(kAnswerWait, kProgressRequestGap) : kProgressRequestGap);
}

void ProgressPacer::Sent(absl::Time now, Revision store) {
  if (silent_since_ == absl::InfiniteFuture() || now - last_sent_ > kWaitGap) {
    silent_since_ = now;
    silent_below_ = store;
  }
  wanted_ = false;
  in_flight_ = true;
  last_sent_ = now;
}

void ProgressPacer::Answered(Revision member) {
  in_flight_ = false;
  if (member < silent_below_) return;
  silent_since_ = absl::InfiniteFuture();
  silence_bearable_ = kSilenceFirst;
}

void ProgressPacer::Heard(Revision member) {
  if (member >= silent_below_) silent_since_ = absl::InfiniteFuture();
}

bool ProgressPacer::IsSilent(absl::Time now) const {
  return silent_since_ != absl::InfiniteFuture() && now - last_sent_ <= kWaitGap &&
         now - silent_since_ >= silence_bearable_;
}

void ProgressPacer::GaveUp() { silence_bearable_ = std::min(silence_bearable_ * 2, kSilenceMax); }

void ProgressPacer::StreamOpened() {
  in_flight_ = false;
  silent_since_ = absl::InfiniteFuture();
  silent_below_ = Revision();
}

}  // namespace tidemark::storeclient
