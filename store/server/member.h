// Member is one running member of the store: engine, state, log and gRPC server, built in this
// order and stopped in reverse.
//
//   TM_ASSIGN_OR_RETURN(auto member, Member::Start(options, {}));
//   Log(LogLevel::kInfo, "listening", {{"url", member->listen_urls()[0].ToString()}});
//   ...
//   member->Stop();                                   // the last batch is on disk
//
// The data directory holds LOCK, wal/ (store/raft/wal.h) and state/ (store/kv). Cluster and member id are made at the
// first start and kept in the log.
//
// Thread-safety: thread-safe; Stop and the destructor by one thread.
// Ownership:     owns everything below it, threads included.
// Errors:        Start: kUnavailable when another process has the directory or a port is taken, kCorrupt when the
//                directory cannot be trusted, kInvalidArgument for files of TLS that cannot be read. Afterwards errors
//                go to clients; health() tells when the disk has failed.
#ifndef TIDEMARK_STORE_SERVER_MEMBER_H_
#define TIDEMARK_STORE_SERVER_MEMBER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "config/address.h"
#include "config/options.h"
#include "metrics/store_metrics.h"

namespace grpc {
class Channel;
}

namespace tidemark::store {

// The version of etcd whose API this store speaks; Status.version, which clients read to learn what a server can do.
inline constexpr char kApiVersion[] = "3.7.0";

class Member {
 public:
  // Opens or creates the data directory, applies what the log holds above the state, and listens.
  static absl::StatusOr<std::unique_ptr<Member>> Start(const config::StoreOptions& options,
                                                       metrics::StoreMetrics metrics);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  // Ends watches, answers what is under way, writes the last batch and gives the directory back. Idempotent.
  void Stop();

  // The client listeners with the ports that they got, in the order of the options.
  const std::vector<config::Address>& listen_urls() const;
  // To this very server, without a socket. Valid until Stop.
  std::shared_ptr<grpc::Channel> InProcessChannel();
  uint64_t cluster_id() const;
  uint64_t member_id() const;
  // Not OK once a write to the disk has failed: no write is accepted until the next start.
  absl::Status health() const;

 private:
  struct Parts;
  explicit Member(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_MEMBER_H_
