#include "storeclient/grpc_watch.h"

#include <utility>

#include "storeclient/messages.h"
#include "storeclient/store_errors.h"

namespace tidemark::storeclient {

void GrpcWatch::Tag::OnDone(bool ok) {
  GrpcWatch* const watch = watch_;
  --watch->pending_;
  (watch->*method_)(ok);
  if (watch->pending_ == 0) watch->self_.reset();  // may free the watch, and this tag with it
}

GrpcWatch::GrpcWatch(GrpcLoop* loop, std::shared_ptr<grpc::Channel> channel, std::string endpoint, Listener* listener)
    : loop_(loop), endpoint_(std::move(endpoint)), listener_(listener), stub_(std::move(channel)) {
  loop_->Hold();
}

GrpcWatch::~GrpcWatch() { loop_->Release(); }

std::shared_ptr<GrpcWatch> GrpcWatch::Open(GrpcLoop* loop, std::shared_ptr<grpc::Channel> channel, std::string endpoint,
                                           absl::string_view prefix, Revision start, Listener* listener) {
  std::shared_ptr<GrpcWatch> watch(new GrpcWatch(loop, std::move(channel), std::move(endpoint), listener));
  watch->self_ = watch;
  watch->create_ = WatchCreateBytes(prefix, start);
  watch->context_.AddMetadata("hasleader", "true");
  watch->call_ = watch->stub_.PrepareCall(&watch->context_, kWatchMethod, loop->queue());
  ++watch->pending_;
  watch->call_->StartCall(watch->started_.Hand());
  return watch;
}

void GrpcWatch::OnStarted(bool ok) {
  if (!ok) return Finish();
  Write(create_);
  ++pending_;
  call_->Read(&received_, read_.Hand());
}

void GrpcWatch::Write(const std::string& message) {
  writing_ = true;
  ++pending_;
  call_->Write(ToByteBuffer(message), written_.Hand());
}

void GrpcWatch::OnWritten(bool ok) {
  writing_ = false;
  // The read ends too and tells why.
  if (!ok) broken_ = true;
  if (progress_wanted_) RequestProgress();
}

void GrpcWatch::RequestProgress() {
  progress_wanted_ = true;
  if (writing_ || broken_ || listener_ == nullptr) return;
  progress_wanted_ = false;
  Write(WatchProgressBytes());
}

void GrpcWatch::OnRead(bool ok) {
  if (!ok) return Finish();
  const absl::string_view bytes = flat_.Flatten(received_);
  if (listener_ != nullptr) {
    const absl::Status parsed = ParseWatch(bytes, &view_);
    if (parsed.ok()) {
      listener_->OnWatchMessage(view_, bytes.size());
    } else {
      End(parsed);
      context_.TryCancel();
    }
  }
  ++pending_;
  call_->Read(&received_, read_.Hand());
}

void GrpcWatch::Finish() {
  broken_ = true;
  ++pending_;
  call_->Finish(&status_, finished_.Hand());
}

void GrpcWatch::OnFinished(bool) {
  absl::Status status = StoreError(status_.error_code(), status_.error_message(), endpoint_);
  if (status.ok()) status = StoreError(grpc::StatusCode::UNAVAILABLE, "the store ended the watch stream", endpoint_);
  End(status);
}

void GrpcWatch::End(const absl::Status& status) {
  Listener* const listener = std::exchange(listener_, nullptr);
  if (listener != nullptr) listener->OnWatchEnd(status);
}

void GrpcWatch::Close() {
  listener_ = nullptr;
  context_.TryCancel();
}

}  // namespace tidemark::storeclient
