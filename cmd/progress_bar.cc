#include "cmd/progress_bar.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"

namespace tidemark::cmd {
namespace {

constexpr int64_t kBarColumns = 30;

}  // namespace

ProgressBar::ProgressBar(absl::string_view what, int64_t total, bool terminal, Clock& clock, Write write)
    : what_(what), total_(total), terminal_(terminal), clock_(clock), write_(std::move(write)), start_(clock.Now()) {
  TM_CHECK(total > 0) << total;
}

std::string ProgressBar::Line(absl::Time now) const {
  const double seconds = absl::ToDoubleSeconds(now - start_);
  const auto rate = static_cast<int64_t>(seconds > 0 ? static_cast<double>(done_) / seconds : 0);
  const auto filled = static_cast<size_t>(done_ * kBarColumns / total_);
  const std::string bar = std::string(filled, '#') + std::string(kBarColumns - filled, ' ');
  return absl::StrFormat("%s %3d %% %s%d/%d  %d/s", what_, done_ * 100 / total_,
                         terminal_ ? absl::StrCat("[", bar, "] ") : "", done_, total_, rate);
}

void ProgressBar::Update(int64_t done) {
  done_ = done;
  const absl::Time now = clock_.Now();
  if (now - (last_drawn_ == absl::InfinitePast() ? start_ : last_drawn_) < (terminal_ ? kRedrawGap : kLineGap)) return;
  last_drawn_ = now;
  write_(terminal_ ? absl::StrCat("\r", Line(now), "\x1b[K") : Line(now) + "\n");
}

void ProgressBar::Finish() {
  if (terminal_) write_(absl::StrCat("\r", Line(clock_.Now()), "\x1b[K\n"));
}

}  // namespace tidemark::cmd
