#include "store/server/watch_service.h"

#include <atomic>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/bind_front.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/watch_message.h"
#include "store/mvcc/watchable_store.h"
#include "store/server/answer.h"

namespace tidemark::store {

// One stream of watches.
class WatchSession : public StreamSession, public std::enable_shared_from_this<WatchSession> {
 public:
  WatchSession(const ServiceParts& parts, Executor* sender, size_t fragment_bytes, std::shared_ptr<StreamCall> call)
      : parts_(parts), sender_(sender), fragment_bytes_(fragment_bytes), call_(std::move(call)) {}

  void Begin() {
    stream_ = parts_.state->watchable().NewStream([weak = weak_from_this(), sender = sender_] {
      sender->Post([weak] {
        if (const auto self = weak.lock()) self->Kick();
      });
    });
    call_->Read();
  }

  // Polling thread.

  void OnMessage(absl::string_view bytes) override {
    etcdserverpb::WatchRequest request;
    if (const absl::Status status = ParseRequest(bytes, &request); !status.ok()) {
      call_->Finish(status);
      return;
    }
    if (request.has_create_request()) {
      stream_->Create(request.create_request());
    } else if (request.has_cancel_request()) {
      stream_->Cancel(request.cancel_request().watch_id());
    } else if (request.has_progress_request()) {
      stream_->RequestProgress();
    }
    read_paused_ = true;
    ReadUnlessFull();
  }

  // The watches go on until the client leaves (etcd).
  void OnHalfClosed() override {}

  void OnWritten() override { Pump(/*light_only=*/true); }

  void OnClosed() override {
    sender_->Post([self = shared_from_this()] { self->stream_.reset(); });
  }

  // Sending thread.

  void Tick() {
    if (stream_ != nullptr) stream_->ProgressTick();
  }

 private:
  // What the polling thread encodes itself, to save a change of threads for each message: some tens of microseconds.
  static constexpr size_t kInlineBytesMax = 64 << 10;
  static constexpr size_t kInlineLookupsMax = 64;

  // There may be something to send.
  void Kick() {
    if (stream_ == nullptr) return;
    {
      MutexLock lock(&mu_);
      again_ = pumping_;
      if (pumping_) return;
      pumping_ = true;
    }
    Pump(/*light_only=*/false);
  }

  // Hands the next piece to the connection; OnWritten comes back here. `light_only`: what takes long to encode is left to
  // the sending thread. REQUIRES: pumping_, which passes from thread to thread with the one write that is under way.
  void Pump(bool light_only) {
    if (stream_ == nullptr) return;
    while (true) {
      const bool heavy_next = !Fill(light_only);
      ReadUnlessFull();
      if (!pieces_.empty()) break;
      if (heavy_next) return sender_->Post([self = shared_from_this()] { self->Pump(/*light_only=*/false); });
      MutexLock lock(&mu_);
      pumping_ = again_;
      again_ = false;
      if (!pumping_) return;
    }
    std::string piece = std::move(pieces_.front());
    pieces_.pop_front();
    call_->Write(std::move(piece), /*more=*/!pieces_.empty());
  }

  // Encodes one piece more than is written now, to know whether to hold that back. False when a message was left because
  // it is not light.
  bool Fill(bool light_only) {
    while (pieces_.size() < 2) {
      const std::optional<mvcc::EncodingCost> next = stream_->NextCost();
      if (!next.has_value()) return true;
      if (light_only && (next->bytes > kInlineBytesMax || next->lookups > kInlineLookupsMax)) return false;
      EncodeNext();
    }
    return true;
  }

  // REQUIRES: a message waits.
  void EncodeNext() {
    const std::optional<mvcc::WatchMessage> message = stream_->Next();
    parts_.metrics->events.Increment(static_cast<double>(message->events.size()));
    const std::string header = parts_.header->Encode(message->revision);
    for (std::string& piece : mvcc::EncodeWatchResponse(*message, parts_.state->store(), fragment_bytes_)) {
      piece += header;
      pieces_.push_back(std::move(piece));
    }
  }

  // The next request is read once the answers to earlier ones have room.
  void ReadUnlessFull() {
    if (read_paused_ && stream_->pending() <= mvcc::kStreamMessagesMax && read_paused_.exchange(false)) call_->Read();
  }

  const ServiceParts& parts_;
  Executor* const sender_;
  const size_t fragment_bytes_;
  const std::shared_ptr<StreamCall> call_;
  // Thread-safe. Reset on sender_ after OnClosed, from when on the polling thread does not touch it.
  std::unique_ptr<mvcc::WatchStream> stream_;
  std::atomic<bool> read_paused_{false};  // a request was taken, and no read is under way

  Mutex mu_;
  bool pumping_ ABSL_GUARDED_BY(mu_) = false;  // somebody is in Pump, or a write is under way
  bool again_ ABSL_GUARDED_BY(mu_) = false;    // and was kicked meanwhile

  // Confined to whoever pumps.
  std::deque<std::string> pieces_;
};

WatchService::WatchService(const ServiceParts& parts, Executor* sender, WatchServiceOptions options)
    : parts_(parts), sender_(sender), options_(options) {}

void WatchService::AddTo(MethodTable* methods) {
  methods->AddStream("/etcdserverpb.Watch/Watch", absl::bind_front(&WatchService::Begin, this));
}

std::shared_ptr<StreamSession> WatchService::Begin(std::shared_ptr<StreamCall> call) {
  auto session = std::make_shared<WatchSession>(parts_, sender_, options_.fragment_bytes, std::move(call));
  session->Begin();
  MutexLock lock(&mu_);
  sessions_.Add(session);
  return session;
}

void WatchService::StartTicking() {
  sender_->PostAt(sender_->clock().Now() + options_.progress_interval, [this] { Tick(); });
}

void WatchService::Tick() {
  std::vector<std::weak_ptr<WatchSession>> sessions;
  {
    MutexLock lock(&mu_);
    sessions = sessions_.items();
  }
  for (const std::weak_ptr<WatchSession>& weak : sessions) {
    if (const auto session = weak.lock()) session->Tick();
  }
  StartTicking();
}

}  // namespace tidemark::store
