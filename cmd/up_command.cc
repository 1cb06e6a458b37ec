#include "cmd/cache_side.h"
#include "cmd/program.h"
#include "cmd/running.h"
#include "metrics/store_metrics.h"
#include "store/server/member.h"

namespace tidemark::cmd {

int RunUp(const config::UpOptions& options) {
  if (const absl::Status files = CacheSide::CheckFiles(options.cache); !files.ok())
    return Refuse("up", files.message());
  Running running("up");
  metrics::Registry registry;
  auto member = store::Member::Start(options.store, metrics::StoreMetrics(&registry));
  if (!member.ok()) return running.FailedToStart(member.status());
  auto side = CacheSide::Start(
      options.cache, {(*member)->InProcessChannel(), [store = member->get()] { return store->health(); }}, &registry);
  if (!side.ok()) return running.FailedToStart(side.status());
  for (const config::Address& url : (*member)->listen_urls()) Say("etcd " + url.ToString());
  Say("http " + (*side)->url());
  running.UntilStopped([&] { return (*side)->ready(); });
  (*side)->Stop();
  (*member)->Stop();
  return running.Ended((*member)->health());
}

}  // namespace tidemark::cmd
