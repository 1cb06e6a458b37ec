// GrpcCall is one unary call by its method's name, bytes in and bytes out. It lives until it has ended, whoever forgets it.
//
// Thread-safety: Start and Cancel are thread-safe; `done` runs on the loop's thread, exactly once.
// Errors:        as StoreError (store_errors.h) names them.
#ifndef TIDEMARK_STORECLIENT_GRPC_CALL_H_
#define TIDEMARK_STORECLIENT_GRPC_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "storeclient/grpc_loop.h"

namespace tidemark::storeclient {

grpc::ByteBuffer ToByteBuffer(absl::string_view bytes);

// Shows a received message as one piece: as it is when it came so, else copied into a buffer that is used again.
// Thread-safety: thread-compatible.
class FlatMessage {
 public:
  // Valid until the next call.
  absl::string_view Flatten(const grpc::ByteBuffer& message);

 private:
  // Kept at most: a page of a list; one larger message must not pin its memory for ever.
  static constexpr size_t kBufferBytesMax = 32 << 20;

  grpc::Slice single_;
  std::vector<grpc::Slice> slices_;
  std::string buffer_;
};

struct GrpcCallOptions {
  GrpcLoop* loop;
  std::shared_ptr<grpc::Channel> channel;
  std::string endpoint;  // for error messages
  std::string method;
  absl::Time deadline = absl::InfiniteFuture();
  bool wait_for_ready = false;  // for a connection, till the deadline
};

class GrpcCall : private GrpcTag, public std::enable_shared_from_this<GrpcCall> {
 public:
  // The bytes live as long as the call of `done`; empty unless the status is OK.
  using Callback = absl::AnyInvocable<void(const absl::Status&, absl::string_view)>;

  static std::shared_ptr<GrpcCall> Start(const GrpcCallOptions& options, absl::string_view request, Callback done);
  ~GrpcCall() override = default;
  // `done` comes soon.
  void Cancel() { context_.TryCancel(); }

 private:
  GrpcCall(const GrpcCallOptions& options, Callback done);
  void OnDone(bool ok) override;

  GrpcLoop* const loop_;
  const std::string endpoint_;
  Callback done_;
  grpc::ClientContext context_;
  grpc::GenericStub stub_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> call_;
  grpc::ByteBuffer response_;
  grpc::Status status_;
  FlatMessage flat_;
  std::shared_ptr<GrpcCall> self_;  // until it has ended
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_GRPC_CALL_H_
