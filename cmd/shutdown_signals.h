// ShutdownSignals turns SIGINT and SIGTERM into something to wait for, instead of something that interrupts. SIGPIPE is
// ignored: a client that has gone is an error of its write.
//
// Thread-safety: made and waited on by the main thread, before any other thread exists (threads inherit the mask).
#ifndef TIDEMARK_CMD_SHUTDOWN_SIGNALS_H_
#define TIDEMARK_CMD_SHUTDOWN_SIGNALS_H_

#include <signal.h>

#include <optional>

#include "absl/time/time.h"

namespace tidemark::cmd {

class ShutdownSignals {
 public:
  ShutdownSignals();
  ShutdownSignals(const ShutdownSignals&) = delete;
  ShutdownSignals& operator=(const ShutdownSignals&) = delete;

  // The number of the signal that came.
  int Wait();
  // The same, or nothing after `span`.
  std::optional<int> WaitFor(absl::Duration span);

 private:
  sigset_t set_;
};

}  // namespace tidemark::cmd

#endif  // TIDEMARK_CMD_SHUTDOWN_SIGNALS_H_
