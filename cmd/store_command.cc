#include "absl/strings/str_join.h"
#include "base/log.h"
#include "cmd/program.h"
#include "cmd/running.h"
#include "metrics/store_metrics.h"
#include "store/server/member.h"

namespace tidemark::cmd {

int RunStore(const config::StoreOptions& options) {
  Running running("store");
  if (!options.idle_flags.empty()) {
    Log(LogLevel::kWarning, "flags without effect in one member", {{"flags", absl::StrJoin(options.idle_flags, ",")}});
  }
  auto member = store::Member::Start(options, metrics::StoreMetrics());
  if (!member.ok()) return running.FailedToStart(member.status());
  for (const config::Address& url : (*member)->listen_urls()) Say("etcd " + url.ToString());
  // The words that whoever starts an etcd waits for.
  Log(LogLevel::kInfo, "ready to serve client requests");
  running.UntilStopped([] { return true; });
  (*member)->Stop();
  return running.Ended((*member)->health());
}

}  // namespace tidemark::cmd
