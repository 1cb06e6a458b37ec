// GrpcServer carries the methods of a MethodTable over gRPC: one completion queue, one polling thread, calls prepared
// in advance. Requests and answers pass as bytes; nothing is parsed here.
//
//   GrpcServer server;
//   kv.AddTo(&server);
//   TM_RETURN_IF_ERROR(server.Start(options));
//   ...
//   server.Shutdown();   // nothing new begins, streams end
//   log->Stop();         // whatever still owes an answer gives it,
//   server.WaitPosted(); // also by a task
//   server.Join();
//
// Thread-safety: AddUnary and AddStream before Start; everything else is thread-safe.
// Ownership:     what the handlers refer to lives until Join has returned.
// Errors:        Start: kInvalidArgument when TLS files cannot be read, kUnavailable when an
//                address cannot be listened on.
// Cost:          with one queue and one thread about 1.4 times the throughput of gRPC's callback server (measured at 64
//                calls in flight on 2 cores).
#ifndef TIDEMARK_STORE_SERVER_GRPC_SERVER_H_
#define TIDEMARK_STORE_SERVER_GRPC_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "config/address.h"
#include "config/options.h"
#include "store/server/rpc.h"

namespace grpc {
class Channel;
}

namespace tidemark::store {

// Beyond the largest request, for what gRPC's frame adds (etcd's figure).
inline constexpr int64_t kFrameBytes = 512 << 10;
// Clients that ping more often are sent away (etcd's enforcement policy), and quiet ones are pinged themselves.
inline constexpr absl::Duration kClientPingMin = absl::Seconds(5);
inline constexpr absl::Duration kServerPingAfter = absl::Hours(2);
inline constexpr absl::Duration kServerPingTimeout = absl::Seconds(20);
// A shutdown waits this long for calls that are under way before it cancels them.
inline constexpr absl::Duration kShutdownGrace = absl::Seconds(2);

struct GrpcServerOptions {
  std::vector<config::Address> listen;
  config::TlsFiles tls;  // for the https addresses
  bool client_cert_auth = false;
  int64_t request_bytes_max = 0;
  int64_t concurrent_streams_max = 0;  // of one connection; 0: no limit
};

class GrpcServer : public MethodTable {
 public:
  GrpcServer();
  ~GrpcServer() override;

  void AddUnary(std::string path, int expected, UnaryHandler handler) override;
  void AddStream(std::string path, StreamHandler handler) override;

  absl::Status Start(const GrpcServerOptions& options);
  // The addresses with the ports that they got.
  const std::vector<config::Address>& listening() const;
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // Runs `task` on the polling thread. Answers that are given there cost less than on a thread that competes with it
  // for the connections. REQUIRES: between Start and Join.
  void Post(absl::AnyInvocable<void()> task);
  // Waits until the tasks that were posted before have run. Returns at once when the server never started.
  // REQUIRES: not on the polling thread; before Join.
  void WaitPosted();

  // Accepts nothing new, ends streams, waits kShutdownGrace for all calls and then cancels them. Idempotent.
  void Shutdown();
  // Stops the polling thread. REQUIRES: Shutdown was called, and every Reply is answered. Idempotent.
  void Join();

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_GRPC_SERVER_H_
