// ProgressBar shows how far a long command is: one line that is redrawn on a terminal, plain lines elsewhere.
//
//   load 61 % [##################            ] 6161/10101  24100/s
//
// Thread-safety: thread-compatible.
// Units:         redraws at most every kRedrawGap on a terminal, every kLineGap elsewhere.
#ifndef TIDEMARK_CMD_PROGRESS_BAR_H_
#define TIDEMARK_CMD_PROGRESS_BAR_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace tidemark::cmd {

class ProgressBar {
 public:
  // Ten a second look smooth; a line every five seconds keeps a CI log short.
  static constexpr absl::Duration kRedrawGap = absl::Milliseconds(100);
  static constexpr absl::Duration kLineGap = absl::Seconds(5);

  using Write = std::function<void(absl::string_view)>;

  // REQUIRES: total > 0.
  ProgressBar(absl::string_view what, int64_t total, bool terminal, Clock& clock, Write write);

  void Update(int64_t done);
  // Ends the line, so that what follows starts on its own.
  void Finish();

 private:
  std::string Line(absl::Time now) const;

  const std::string what_;
  const int64_t total_;
  const bool terminal_;
  Clock& clock_;
  const Write write_;
  const absl::Time start_;
  absl::Time last_drawn_ = absl::InfinitePast();
  int64_t done_ = 0;
};

}  // namespace tidemark::cmd

#endif  // TIDEMARK_CMD_PROGRESS_BAR_H_
