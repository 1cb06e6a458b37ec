#include "cmd/shutdown_signals.h"

#include "base/check.h"

namespace tidemark::cmd {

ShutdownSignals::ShutdownSignals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGTERM);
  TM_CHECK(pthread_sigmask(SIG_BLOCK, &set_, nullptr) == 0);
  TM_CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
}

int ShutdownSignals::Wait() {
  int number = 0;
  while (sigwait(&set_, &number) != 0) {
  }
  return number;
}

std::optional<int> ShutdownSignals::WaitFor(absl::Duration span) {
  const timespec limit = absl::ToTimespec(span);
  const int number = sigtimedwait(&set_, nullptr, &limit);
  return number > 0 ? std::optional<int>(number) : std::nullopt;
}

}  // namespace tidemark::cmd
