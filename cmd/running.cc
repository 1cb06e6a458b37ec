#include "cmd/running.h"

#include <optional>

#include "base/log.h"
#include "base/status.h"
#include "cmd/program.h"

namespace tidemark::cmd {

int Running::FailedToStart(const absl::Status& status) const {
  Fail(command_, status);
  return KindOf(status) == ErrorKind::kStoreTooOld ? kExitStoreTooOld : kExitFailed;
}

int Running::Ended(const absl::Status& health) const { return health.ok() ? kExitOk : Fail(command_, health); }

void Running::UntilStopped(const std::function<bool()>& ready) {
  std::optional<int> signal;
  while (!signal.has_value() && !ready()) signal = signals_.WaitFor(kReadyGap);
  if (!signal.has_value()) {
    Say("ready");
    signal = signals_.Wait();
  }
  Log(LogLevel::kInfo, "stopping", {{"signal", *signal == SIGINT ? "SIGINT" : "SIGTERM"}});
}

}  // namespace tidemark::cmd
