// Running is the life of a server command between its start and its end: it says `ready` once, and
// waits for SIGINT or SIGTERM.
//
//   Running running("up");                         // before any thread exists
//   ... start the parts; on failure return running.FailedToStart(status);
//   running.UntilStopped([&] { return side->ready(); });
//   ... stop the parts in reverse
//   return running.Ended(member->health());
//
// Thread-safety: confined to the main thread.
#ifndef TIDEMARK_CMD_RUNNING_H_
#define TIDEMARK_CMD_RUNNING_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cmd/shutdown_signals.h"

namespace tidemark::cmd {

class Running {
 public:
  // How often readiness is looked at, until it is there.
  static constexpr absl::Duration kReadyGap = absl::Milliseconds(10);

  explicit Running(absl::string_view command) : command_(command) {}

  // One line on stderr; the exit status that `status` has.
  int FailedToStart(const absl::Status& status) const;
  // The exit status after a signal: kExitFailed, and one line on stderr, when `health` says that a part had failed.
  int Ended(const absl::Status& health) const;
  // Says `ready` as soon as `ready()` holds; returns when a signal has come, before that too.
  void UntilStopped(const std::function<bool()>& ready);

 private:
  const std::string command_;
  ShutdownSignals signals_;
};

}  // namespace tidemark::cmd

#endif  // TIDEMARK_CMD_RUNNING_H_
