#include "storeclient/grpc_call.h"

#include <utility>

#include "base/check.h"
#include "storeclient/store_errors.h"

namespace tidemark::storeclient {

grpc::ByteBuffer ToByteBuffer(absl::string_view bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size());
  return grpc::ByteBuffer(&slice, 1);
}

absl::string_view FlatMessage::Flatten(const grpc::ByteBuffer& message) {
  if (!message.Valid()) return "";
  if (message.TrySingleSlice(&single_).ok()) {
    return absl::string_view(reinterpret_cast<const char*>(single_.begin()), single_.size());
  }
  TM_CHECK(message.Dump(&slices_).ok());
  if (buffer_.capacity() > kBufferBytesMax) buffer_ = std::string();
  buffer_.clear();
  buffer_.reserve(message.Length());
  for (const grpc::Slice& slice : slices_) buffer_.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  slices_.clear();
  return buffer_;
}

GrpcCall::GrpcCall(const GrpcCallOptions& options, Callback done)
    : loop_(options.loop), endpoint_(options.endpoint), done_(std::move(done)), stub_(options.channel) {
  context_.set_wait_for_ready(options.wait_for_ready);
  if (options.deadline != absl::InfiniteFuture()) context_.set_deadline(absl::ToChronoTime(options.deadline));
}

std::shared_ptr<GrpcCall> GrpcCall::Start(const GrpcCallOptions& options, absl::string_view request, Callback done) {
  std::shared_ptr<GrpcCall> call(new GrpcCall(options, std::move(done)));
  call->self_ = call;
  options.loop->Hold();
  call->call_ =
      call->stub_.PrepareUnaryCall(&call->context_, options.method, ToByteBuffer(request), options.loop->queue());
  call->call_->StartCall();
  call->call_->Finish(&call->response_, &call->status_, call->Hand());
  return call;
}

void GrpcCall::OnDone(bool) {
  const std::shared_ptr<GrpcCall> self = std::move(self_);
  const absl::Status status = StoreError(status_.error_code(), status_.error_message(), endpoint_);
  done_(status, status.ok() ? flat_.Flatten(response_) : absl::string_view());
  done_ = nullptr;
  loop_->Release();
}

}  // namespace tidemark::storeclient
