// CacheSide is what `cache` and `up` have in common: the client of the store, the mirrors, and the HTTP server in front
// of them, built in this order and stopped in reverse.
//
//   TM_ASSIGN_OR_RETURN(auto side, CacheSide::Start(options, /*store=*/{}, &registry));
//   while (!side->ready()) ...
//   side->Stop();
//
// Threads of its own: cache (ends of waits, progress requests, probes), housekeeping (of the mirrors), http-timers (time
// limits and bookmarks of watches), slow (what takes long to write).
//
// Thread-safety: Start, Stop and the destructor by one thread; ready() is thread-safe.
// Ownership:     the registry, and the server behind `channel`, outlive it.
// Errors:        Start: kStoreTooOld when the version guard refuses the store, otherwise
//                what could not be opened.
#ifndef TIDEMARK_CMD_CACHE_SIDE_H_
#define TIDEMARK_CMD_CACHE_SIDE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "cache/mirror_cache.h"
#include "cmd/definition_follower.h"
#include "config/options.h"
#include "http/api_server.h"
#include "metrics/registry.h"
#include "net/http_server.h"
#include "storeclient/grpc_store_client.h"

namespace tidemark::cmd {

class CacheSide {
 public:
  // How long the start waits for the versions of members that do not answer. They are asked again when they do.
  static constexpr absl::Duration kVersionsWaitMax = absl::Seconds(5);

  // The store in this process.
  struct LocalStore {
    std::shared_ptr<grpc::Channel> channel;
    std::function<absl::Status()> health;  // thread-safe; a check of /readyz
  };

  // What is wrong with the files that the options name, as far as that shows before anything is opened: those of TLS.
  static absl::Status CheckFiles(const config::CacheOptions& options);
  // Without a local store, that of options.etcd_servers.
  static absl::StatusOr<std::unique_ptr<CacheSide>> Start(const config::CacheOptions& options, LocalStore store,
                                                          metrics::Registry* registry);
  ~CacheSide();
  CacheSide(const CacheSide&) = delete;
  CacheSide& operator=(const CacheSide&) = delete;

  // "http://127.0.0.1:8080" (https with TLS), with the port that was bound.
  std::string url() const;
  // Every mirror has its first list, those of the custom resources that the store announced included.
  bool ready() const { return cache_.ready() && custom_resources_ready(); }
  // Ends watches and connections, then the mirrors. Idempotent.
  void Stop();

 private:
  CacheSide(const config::CacheOptions& options, std::unique_ptr<storeclient::GrpcStoreClient> client,
            std::function<absl::Status()> store_health, metrics::Registry* registry);
  absl::Status Listen(metrics::Registry* registry);
  // Follows the definitions of custom resources, if any may be selected.
  void FollowDefinitions();
  bool custom_resources_ready() const { return follower_ == nullptr || follower_->ready(); }
  // Runs the task where answers may be written: on a worker of the HTTP server, once there is one.
  void Post(Executor::Task task);

  const config::CacheOptions options_;
  const std::vector<config::Resource> served_;
  const std::unique_ptr<storeclient::GrpcStoreClient> client_;
  LoopThread cache_loop_;
  LoopThread housekeeping_loop_;
  LoopThread timer_loop_;
  LoopThread slow_loop_;
  cache::MirrorCache cache_;
  http::ApiServer api_;
  std::unique_ptr<DefinitionFollower> follower_;  // set before the server listens, or never
  std::unique_ptr<net::HttpServer> server_;
  std::atomic<net::HttpServer*> workers_{nullptr};  // server_, for Post
  bool stopped_ = false;
};

}  // namespace tidemark::cmd

#endif  // TIDEMARK_CMD_CACHE_SIDE_H_
