#include "store/server/grpc_calls.h"

#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "store/server/wire_error.h"

namespace tidemark::store {
namespace {

// Shorter messages are copied into the library's own slice, which costs less than handing over a string.
constexpr size_t kCopiedBytesMax = 1024;

grpc::Slice ToSlice(std::string bytes) {
  if (bytes.size() <= kCopiedBytesMax) return grpc::Slice(bytes);
  auto* const owned = new std::string(std::move(bytes));
  return grpc::Slice(
      &(*owned)[0], owned->size(), [](void* string) { delete static_cast<std::string*>(string); }, owned);
}

// The bytes of a received message, copied only if they came in pieces.
class MessageBytes {
 public:
  explicit MessageBytes(const grpc::ByteBuffer& buffer) {
    if (buffer.Valid() && !buffer.TrySingleSlice(&slice_).ok()) TM_CHECK(buffer.DumpToSingleSlice(&slice_).ok());
  }
  absl::string_view view() const { return {reinterpret_cast<const char*>(slice_.begin()), slice_.size()}; }

 private:
  grpc::Slice slice_;
};

class UnaryCall : public Tag, public CallSink {
 public:
  explicit UnaryCall(const Method* method) : method_(method), writer_(&context_) {
    method_->service->RequestAsyncUnary(method_->index, &context_, &request_, &writer_, method_->queue, method_->queue,
                                        static_cast<Tag*>(this));
  }

  void Run(bool ok) override {
    if (!began_ && ok) {
      began_ = true;
      method_->live->Begin();
      ArmUnary(method_);
      const MessageBytes message(request_);
      method_->unary(message.view(), Reply(this));
      return;
    }
    LiveCalls* const live = began_ ? method_->live : nullptr;
    { MutexLock lock(&finishing_); }
    delete this;  // the answer is out, or the server is shutting down
    if (live != nullptr) live->End();
  }

  void Finish(const absl::Status& status, std::string head, std::string body) override {
    MutexLock lock(&finishing_);
    if (status.ok()) {
      writer_.Finish(ToByteBuffer(std::move(head), std::move(body)), grpc::Status::OK, static_cast<Tag*>(this));
    } else {
      writer_.FinishWithError(ToGrpcStatus(status), static_cast<Tag*>(this));
    }
  }

 private:
  const Method* const method_;
  bool began_ = false;
  // Any thread answers, the polling thread deletes: the library orders the two, but where no sanitizer sees it.
  Mutex finishing_;
  grpc::ServerContext context_;
  grpc::ByteBuffer request_;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> writer_;
};

}  // namespace

// One streaming call. It stays alive by pending_: every operation in the queue keeps a reference.
class BidiCall : public StreamCall, public std::enable_shared_from_this<BidiCall> {
 public:
  explicit BidiCall(const Method* method) : method_(method), stream_(&context_) {}

  void Arm() {
    context_.AsyncNotifyWhenDone(&done_tag_);
    self_ = shared_from_this();
    method_->service->RequestAsyncBidiStreaming(method_->index, &context_, &stream_, method_->queue, method_->queue,
                                                &begin_tag_);
  }

  void Read() override {
    MutexLock lock(&mu_);
    if (ended_ || finishing_) return;
    TM_CHECK(!reading_);
    reading_ = true;
    ++pending_;
    stream_.Read(&message_, &read_tag_);
  }

  void Write(std::string message, bool more) override {
    MutexLock lock(&mu_);
    if (ended_ || finishing_) return;
    TM_CHECK(!writing_);
    writing_ = true;
    ++pending_;
    grpc::WriteOptions options;
    if (more) options.set_buffer_hint();
    stream_.Write(ToByteBuffer(std::move(message), std::string()), options, &write_tag_);
  }

  void Finish(const absl::Status& status) override {
    MutexLock lock(&mu_);
    if (ended_ || finishing_) return;
    finishing_ = true;
    finish_status_ = status.ok() ? grpc::Status::OK : ToGrpcStatus(status);
    if (!writing_) FinishLocked();
  }

 private:
  // One operation's place in the queue.
  struct MemberTag : public Tag {
    MemberTag(BidiCall* call, void (BidiCall::*run)(bool)) : call(call), run(run) {}
    void Run(bool ok) override { (call->*run)(ok); }
    BidiCall* const call;
    void (BidiCall::*const run)(bool);
  };

  void FinishLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    ++pending_;
    stream_.Finish(finish_status_, &finish_tag_);
  }

  void OnBegin(bool ok) {
    if (!ok) {  // shutting down; the done tag never comes
      self_.reset();
      return;
    }
    method_->live->Begin();
    ArmStream(method_);
    {
      MutexLock lock(&mu_);
      pending_ = 1;  // the done tag
    }
    if (method_->streams->Add(self_)) {
      session_ = method_->stream(self_);
    } else {
      Finish(MakeError(ErrorKind::kStopped, "shutting down"));
    }
  }

  void OnRead(bool ok) {
    {
      MutexLock lock(&mu_);
      reading_ = false;
    }
    if (session_ != nullptr && !closed_) {
      if (ok) {
        const MessageBytes message(message_);
        session_->OnMessage(message.view());
      } else {
        session_->OnHalfClosed();
      }
    }
    Drop();
  }

  void OnWrite(bool ok) {
    bool finish = false;
    {
      MutexLock lock(&mu_);
      writing_ = false;
      if (!ok) ended_ = true;  // the done tag follows
      finish = finishing_ && !ended_;
      if (finish) FinishLocked();
    }
    if (ok && !finish && session_ != nullptr && !closed_) session_->OnWritten();
    Drop();
  }

  void OnFinish(bool) { Drop(); }

  // The call is over on the wire, by us or by the client.
  void OnDone(bool) {
    {
      MutexLock lock(&mu_);
      ended_ = true;
    }
    closed_ = true;
    if (session_ != nullptr) session_->OnClosed();
    session_.reset();
    method_->streams->Remove(self_);
    Drop();
  }

  // One operation has left the queue; with the last one the call lets go of itself.
  void Drop() {
    std::shared_ptr<BidiCall> last;
    {
      MutexLock lock(&mu_);
      TM_CHECK(pending_ > 0);
      if (--pending_ > 0) return;
      last = std::move(self_);
    }
    method_->live->End();
  }

  const Method* const method_;
  grpc::ServerContext context_;
  grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> stream_;
  MemberTag begin_tag_{this, &BidiCall::OnBegin};
  MemberTag read_tag_{this, &BidiCall::OnRead};
  MemberTag write_tag_{this, &BidiCall::OnWrite};
  MemberTag finish_tag_{this, &BidiCall::OnFinish};
  MemberTag done_tag_{this, &BidiCall::OnDone};

  // Confined to the polling thread.
  std::shared_ptr<BidiCall> self_;
  std::shared_ptr<StreamSession> session_;
  bool closed_ = false;
  grpc::ByteBuffer message_;

  Mutex mu_;
  int pending_ ABSL_GUARDED_BY(mu_) = 0;  // operations in the queue
  bool reading_ ABSL_GUARDED_BY(mu_) = false;
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  bool finishing_ ABSL_GUARDED_BY(mu_) = false;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;  // no operation may begin any more
  grpc::Status finish_status_ ABSL_GUARDED_BY(mu_);
};

void OpenStreams::WaitUntilNone(absl::Time deadline) {
  MutexLock lock(&mu_);
  while (!calls_.empty() && !none_.WaitWithDeadline(&mu_, deadline)) {
  }
}

int RawService::Add(const char* path, grpc::internal::RpcMethod::RpcType type) {
  AddMethod(new grpc::internal::RpcServiceMethod(path, type, nullptr));
  MarkMethodRaw(count_);
  return count_++;
}

bool OpenStreams::Add(std::shared_ptr<BidiCall> call) {
  MutexLock lock(&mu_);
  if (ended_) return false;
  calls_.insert(std::move(call));
  return true;
}

void OpenStreams::Remove(const std::shared_ptr<BidiCall>& call) {
  MutexLock lock(&mu_);
  calls_.erase(call);
  if (calls_.empty()) none_.SignalAll();
}

void OpenStreams::EndAll(const absl::Status& reason) {
  std::set<std::shared_ptr<BidiCall>> calls;
  {
    MutexLock lock(&mu_);
    ended_ = true;
    calls = calls_;
  }
  for (const std::shared_ptr<BidiCall>& call : calls) call->Finish(reason);
}

void LiveCalls::Begin() {
  MutexLock lock(&mu_);
  ++count_;
}

void LiveCalls::End() {
  MutexLock lock(&mu_);
  if (--count_ == 0) none_.SignalAll();
}

void LiveCalls::WaitUntilNone() {
  MutexLock lock(&mu_);
  while (count_ > 0) none_.Wait(&mu_);
}

void ArmUnary(const Method* method) { new UnaryCall(method); }

void ArmStream(const Method* method) { std::make_shared<BidiCall>(method)->Arm(); }

grpc::ByteBuffer ToByteBuffer(std::string head, std::string body) {
  if (body.size() <= kCopiedBytesMax) {
    head += body;
    const grpc::Slice slice = ToSlice(std::move(head));
    return grpc::ByteBuffer(&slice, 1);
  }
  const grpc::Slice slices[] = {ToSlice(std::move(head)), ToSlice(std::move(body))};
  return grpc::ByteBuffer(slices, 2);
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  const WireError error = ToWire(status);
  return grpc::Status(static_cast<grpc::StatusCode>(error.code), error.text);
}

}  // namespace tidemark::store
