// The seam between the services and gRPC: services see requests and answers as bytes, and never the library.
//
//   server.AddUnary("/etcdserverpb.KV/Put", [&](absl::string_view request, Reply reply) { ... });
//
// GrpcServer (grpc_server.h) is the real one; tests call the services' functions with a CallSink of their own.
//
// Thread-safety: Reply is thread-compatible, StreamCall thread-safe. A session's functions are called one at a time.
#ifndef TIDEMARK_STORE_SERVER_RPC_H_
#define TIDEMARK_STORE_SERVER_RPC_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tidemark::store {

// Where the answer of one unary call goes.
class CallSink {
 public:
  virtual ~CallSink() = default;
  // Exactly once, on any thread. The message is head and body, one behind the other; empty when status is not OK. The
  // sink may be gone when this returns.
  virtual void Finish(const absl::Status& status, std::string head, std::string body) = 0;
};

// The duty to answer one unary call. One that is destroyed unused answers that the server has stopped.
class Reply {
 public:
  explicit Reply(CallSink* sink) : sink_(sink) {}
  Reply(Reply&& other) noexcept : sink_(std::exchange(other.sink_, nullptr)) {}
  Reply& operator=(Reply&& other) noexcept;
  ~Reply();

  // REQUIRES: neither was called before.
  void Send(std::string message) { Send(std::move(message), std::string()); }
  // A large body is sent from where it lies.
  void Send(std::string head, std::string body);
  void Fail(const absl::Status& status);

 private:
  CallSink* sink_;  // null once answered
};

// A unary method. `request` lives as long as the call. It runs on the polling thread: what takes long goes elsewhere.
using UnaryHandler = std::function<void(absl::string_view request, Reply reply)>;

// The connection's side of one streaming call. Reads and writes go on side by side, each one at a time.
class StreamCall {
 public:
  virtual ~StreamCall() = default;
  // Asks for the next message: OnMessage or OnHalfClosed answers. REQUIRES: no other read is under way.
  virtual void Read() = 0;
  // OnWritten answers, unless the call ends. `more`: another one follows at once, so this one may wait to travel with
  // it. REQUIRES: no other write is under way.
  virtual void Write(std::string message, bool more = false) = 0;
  // Ends the call. A write under way is finished first. Idempotent.
  virtual void Finish(const absl::Status& status) = 0;
};

// The service's side. All calls come on the polling thread, one at a time, and should return soon.
class StreamSession {
 public:
  virtual ~StreamSession() = default;
  virtual void OnMessage(absl::string_view message) = 0;
  // The client sends nothing more.
  virtual void OnHalfClosed() = 0;
  virtual void OnWritten() = 0;
  // The call has ended; nothing is called afterwards.
  virtual void OnClosed() = 0;
};

// Begins the session of a new call. The call lives as long as somebody holds it.
using StreamHandler = std::function<std::shared_ptr<StreamSession>(std::shared_ptr<StreamCall> call)>;

// Where services register what they answer. A method that nobody has added is answered Unimplemented.
class MethodTable {
 public:
  virtual ~MethodTable() = default;
  // `expected` calls of it may begin at one moment: so many are prepared in advance.
  virtual void AddUnary(std::string path, int expected, UnaryHandler handler) = 0;
  virtual void AddStream(std::string path, StreamHandler handler) = 0;
};

// A busy method and a rare one.
inline constexpr int kManyCalls = 256;
inline constexpr int kFewCalls = 4;

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_RPC_H_
