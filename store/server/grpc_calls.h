// The calls of GrpcServer: objects whose address is the tag in the completion queue. Included by grpc_server.cc and
// grpc_calls.cc only; this is where the library's headers stop.
//
// Thread-safety: Run is confined to the polling thread.
// Ownership:     a call owns itself: it goes when nothing of it is left in the queue.
#ifndef TIDEMARK_STORE_SERVER_GRPC_CALLS_H_
#define TIDEMARK_STORE_SERVER_GRPC_CALLS_H_

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "store/server/rpc.h"

namespace tidemark::store {

// What a completion queue gives back.
class Tag {
 public:
  virtual ~Tag() = default;
  virtual void Run(bool ok) = 0;
};

// All methods as one service whose messages are bytes.
class RawService : public grpc::Service {
 public:
  // Returns the method's index. Paths live as long as the service.
  int Add(const char* path, grpc::internal::RpcMethod::RpcType type);
  using grpc::Service::RequestAsyncBidiStreaming;
  using grpc::Service::RequestAsyncUnary;

 private:
  int count_ = 0;
};

// The streams that are open, so that a shutdown can end them.
class BidiCall;
class OpenStreams {
 public:
  // False once EndAll was called.
  bool Add(std::shared_ptr<BidiCall> call);
  void Remove(const std::shared_ptr<BidiCall>& call);
  // Nothing begins any more.
  void EndAll(const absl::Status& reason);
  // Until those have ended, or the deadline has passed: a client that does not read keeps its stream open.
  void WaitUntilNone(absl::Time deadline);

 private:
  Mutex mu_;
  CondVar none_;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  std::set<std::shared_ptr<BidiCall>> calls_ ABSL_GUARDED_BY(mu_);
};

// Counts the calls that have begun and are not over.
class LiveCalls {
 public:
  void Begin();
  void End();
  void WaitUntilNone();

 private:
  Mutex mu_;
  CondVar none_;
  int count_ ABSL_GUARDED_BY(mu_) = 0;
};

// What the calls of one method share.
struct Method {
  std::string path;
  int index = 0;
  int expected = 0;
  UnaryHandler unary;  // one of the two is set
  StreamHandler stream;
  RawService* service = nullptr;
  grpc::ServerCompletionQueue* queue = nullptr;
  OpenStreams* streams = nullptr;
  LiveCalls* live = nullptr;
};

// Prepares one more call of the method.
void ArmUnary(const Method* method);
void ArmStream(const Method* method);

grpc::ByteBuffer ToByteBuffer(std::string head, std::string body);
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_GRPC_CALLS_H_
