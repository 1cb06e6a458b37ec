// GrpcWatch is one watch stream of the store with one watch on it: a progress request concerns all watches of its stream, so every
// Follow has a stream of its own. `hasleader` is set: a member without a leader ends the stream rather than staying silent.
//
// Thread-safety: confined to its loop.
// Ownership:     lives until its last completion; the listener hears nothing after Close.
// Errors:        OnWatchEnd with a status of StoreError; kCorrupt when a message cannot be read.
// Cost:          a message is parsed once, in place; the loop stays with it until the listener returns.
#ifndef TIDEMARK_STORECLIENT_GRPC_WATCH_H_
#define TIDEMARK_STORECLIENT_GRPC_WATCH_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "storeclient/grpc_call.h"
#include "storeclient/grpc_loop.h"
#include "storeclient/wire.h"

namespace tidemark::storeclient {

class GrpcWatch : public std::enable_shared_from_this<GrpcWatch> {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // The views live as long as the call. `bytes`: of the message.
    virtual void OnWatchMessage(const WatchView& message, size_t bytes) = 0;
    // The last call.
    virtual void OnWatchEnd(const absl::Status& status) = 0;
  };

  static std::shared_ptr<GrpcWatch> Open(GrpcLoop* loop, std::shared_ptr<grpc::Channel> channel, std::string endpoint,
                                         absl::string_view prefix, Revision start, Listener* listener);
  ~GrpcWatch();

  // At most one waits behind the write at hand: a second one would ask the same.
  void RequestProgress();
  void Close();

 private:
  // A completion of this stream.
  class Tag : public GrpcTag {
   public:
    using Method = void (GrpcWatch::*)(bool);
    Tag(GrpcWatch* watch, Method method) : watch_(watch), method_(method) {}
    void OnDone(bool ok) override;

   private:
    GrpcWatch* const watch_;
    const Method method_;
  };

  GrpcWatch(GrpcLoop* loop, std::shared_ptr<grpc::Channel> channel, std::string endpoint, Listener* listener);
  void OnStarted(bool ok);
  void OnWritten(bool ok);
  void OnRead(bool ok);
  void OnFinished(bool ok);
  void Write(const std::string& message);
  void Finish();
  void End(const absl::Status& status);

  GrpcLoop* const loop_;
  const std::string endpoint_;
  Listener* listener_;  // nullptr after the end
  std::string create_;  // the request that opens the watch
  grpc::ClientContext context_;
  grpc::GenericStub stub_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  Tag started_{this, &GrpcWatch::OnStarted};
  Tag written_{this, &GrpcWatch::OnWritten};
  Tag read_{this, &GrpcWatch::OnRead};
  Tag finished_{this, &GrpcWatch::OnFinished};
  bool writing_ = true;  // a write is under way, or the stream is not started
  bool broken_ = false;  // no more writes
  bool progress_wanted_ = false;
  grpc::ByteBuffer received_;
  FlatMessage flat_;
  WatchView view_;
  grpc::Status status_;
  int pending_ = 0;                  // completions that will come
  std::shared_ptr<GrpcWatch> self_;  // as long as any will
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_GRPC_WATCH_H_
