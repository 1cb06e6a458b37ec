#include "cmd/cache_side.h"
#include "cmd/program.h"
#include "cmd/running.h"

namespace tidemark::cmd {

int RunCache(const config::CacheOptions& options) {
  if (const absl::Status files = CacheSide::CheckFiles(options); !files.ok()) return Refuse("cache", files.message());
  Running running("cache");
  metrics::Registry registry;
  auto side = CacheSide::Start(options, /*store=*/{}, &registry);
  if (!side.ok()) return running.FailedToStart(side.status());
  Say("http " + (*side)->url());
  running.UntilStopped([&] { return (*side)->ready(); });
  (*side)->Stop();
  return kExitOk;
}

}  // namespace tidemark::cmd
