#include "store/server/range_stream.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/bind_front.h"
#include "base/status.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/range_cursor.h"
#include "store/mvcc/request_check.h"
#include "store/mvcc/wire.h"
#include "store/server/answer.h"
#include "store/server/kv_service.h"

namespace tidemark::store {
namespace {

using etcdserverpb::RangeRequest;

// Field numbers of RangeResponse, and of RangeStreamResponse.
constexpr int kMoreField = 3;
constexpr int kCountField = 4;
constexpr int kRangeResponseField = 1;
// A message never has more keys, however small they are.
constexpr size_t kKeysMax = 100'000;

absl::Status CheckStream(const RangeRequest& request) {
  TM_RETURN_IF_ERROR(mvcc::CheckRange(request));
  if (request.sort_order() != RangeRequest::NONE || request.sort_target() != RangeRequest::KEY) {
    return absl::UnimplementedError("RangeStream does not support custom sort orders");
  }
  if (request.min_mod_revision() != 0 || request.max_mod_revision() != 0 || request.min_create_revision() != 0 ||
      request.max_create_revision() != 0) {
    return absl::UnimplementedError("RangeStream does not support revision filters");
  }
  return absl::OkStatus();
}

class RangeSession : public StreamSession, public std::enable_shared_from_this<RangeSession> {
 public:
  RangeSession(const ServiceParts& parts, std::shared_ptr<StreamCall> call) : parts_(parts), call_(std::move(call)) {
    call_->Read();
  }

  void OnMessage(absl::string_view bytes) override {
    absl::Status status = ParseRequest(bytes, &request_);
    if (status.ok()) status = CheckStream(request_);
    if (!status.ok()) {
      call_->Finish(status);
      return;
    }
    const auto read = request_.serializable() ? ReadSerializably : ReadLinearizably;
    read(parts_, /*long_running=*/true, [self = shared_from_this()](const absl::Status& ready) { self->Send(ready); });
  }
  void OnHalfClosed() override {}
  void OnWritten() override {
    if (finished_) {
      call_->Finish(absl::OkStatus());
      return;
    }
    ReadSerializably(parts_, /*long_running=*/true,
                     [self = shared_from_this()](const absl::Status& ready) { self->Send(ready); });
  }
  void OnClosed() override { closed_ = true; }

 private:
  // One message, on a worker.
  void Send(absl::Status status) {
    if (closed_) return;
    std::string message;
    if (status.ok()) status = request_.count_only() ? EncodeCount(&message) : EncodePortion(&message);
    if (!status.ok()) {
      call_->Finish(status);
      return;
    }
    std::string framed;
    framed.reserve(mvcc::BytesFieldSize(message.size()));
    mvcc::AppendBytesField(kRangeResponseField, message, &framed);
    call_->Write(std::move(framed));
  }

  absl::Status EncodePortion(std::string* message) {
    if (!cursor_.has_value()) cursor_.emplace(parts_.state->store(), request_);
    TM_RETURN_IF_ERROR(cursor_->Next(keys_, BytesMax(), message));
    Adapt(message->size());
    if (!cursor_->done()) return absl::OkStatus();
    mvcc::AppendIntField(kMoreField, cursor_->more() ? 1 : 0, message);
    mvcc::AppendIntField(kCountField, cursor_->count(), message);
    *message += parts_.header->Encode(cursor_->store_revision());
    finished_ = true;
    return absl::OkStatus();
  }

  absl::Status EncodeCount(std::string* message) {
    TM_ASSIGN_OR_RETURN(const Revision revision, parts_.state->store().RangeEncoded(request_, message));
    *message += parts_.header->Encode(revision);
    finished_ = true;
    return absl::OkStatus();
  }

  size_t Aim() const { return static_cast<size_t>(parts_.request_bytes_max); }
  // Values may grow along the range: a message ends here, however many keys it was to have.
  size_t BytesMax() const { return 2 * Aim(); }

  void Adapt(size_t bytes) {
    if (bytes < Aim() / 2) keys_ = std::min(keys_ * 2, kKeysMax);
    if (bytes >= BytesMax()) keys_ = std::max<size_t>(keys_ / 2, 1);
  }

  const ServiceParts& parts_;
  const std::shared_ptr<StreamCall> call_;
  std::atomic<bool> closed_{false};

  // Passed from thread to thread with the one message that is under way.
  RangeRequest request_;
  std::optional<mvcc::RangeCursor> cursor_;
  size_t keys_ = kFirstKeys;
  bool finished_ = false;  // the last message has been made
};

}  // namespace

void RangeStream::AddTo(MethodTable* methods) {
  methods->AddStream("/etcdserverpb.KV/RangeStream", absl::bind_front(&RangeStream::Begin, this));
}

std::shared_ptr<StreamSession> RangeStream::Begin(std::shared_ptr<StreamCall> call) {
  return std::make_shared<RangeSession>(parts_, std::move(call));
}

}  // namespace tidemark::store
