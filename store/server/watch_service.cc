#include "store/server/watch_service.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>

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
        if (const auto self = weak.lock()) self->Pump();
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
    if (stream_->pending() <= mvcc::kStreamMessagesMax) {
      call_->Read();
    } else {
      Post([](WatchSession* self) { self->read_paused_ = true; });
    }
  }

  // The watches go on until the client leaves (etcd).
  void OnHalfClosed() override {}

  void OnWritten() override {
    Post([](WatchSession* self) {
      self->writing_ = false;
      self->Pump();
    });
  }

  void OnClosed() override {
    Post([](WatchSession* self) {
      self->closed_ = true;
      self->stream_.reset();
    });
  }

  // Sending thread.

  void Tick() {
    if (!closed_) stream_->ProgressTick();
  }

 private:
  template <typename Task>
  void Post(Task task) {
    sender_->Post([self = shared_from_this(), task] { task(self.get()); });
  }

  // Hands the next piece to the connection, unless it still has one.
  void Pump() {
    if (closed_ || writing_) return;
    if (pieces_.empty()) EncodeNext();
    if (!pieces_.empty()) {
      writing_ = true;
      std::string piece = std::move(pieces_.front());
      pieces_.pop_front();
      call_->Write(std::move(piece));
    }
    if (read_paused_ && stream_->pending() <= mvcc::kStreamMessagesMax) {
      read_paused_ = false;
      call_->Read();
    }
  }

  void EncodeNext() {
    const std::optional<mvcc::WatchMessage> message = stream_->Next();
    if (!message.has_value()) return;
    parts_.metrics->events.Increment(static_cast<double>(message->events.size()));
    const std::string header = parts_.header->Encode(message->revision);
    for (std::string& piece : mvcc::EncodeWatchResponse(*message, parts_.state->store(), fragment_bytes_)) {
      piece += header;
      pieces_.push_back(std::move(piece));
    }
  }

  const ServiceParts& parts_;
  Executor* const sender_;
  const size_t fragment_bytes_;
  const std::shared_ptr<StreamCall> call_;
  std::unique_ptr<mvcc::WatchStream> stream_;  // until closed; thread-safe

  // Confined to sender_.
  std::deque<std::string> pieces_;  // of the message that is being sent
  bool writing_ = false;
  bool read_paused_ = false;
  bool closed_ = false;
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
  // Ended sessions are swept out by halves, so that a stream costs O(1).
  if (sessions_.size() == sessions_.capacity()) {
    std::erase_if(sessions_, [](const std::weak_ptr<WatchSession>& weak) { return weak.expired(); });
  }
  sessions_.push_back(session);
  return session;
}

void WatchService::StartTicking() {
  sender_->PostAt(sender_->clock().Now() + options_.progress_interval, [this] { Tick(); });
}

void WatchService::Tick() {
  std::vector<std::weak_ptr<WatchSession>> sessions;
  {
    MutexLock lock(&mu_);
    sessions = sessions_;
  }
  for (const std::weak_ptr<WatchSession>& weak : sessions) {
    if (const auto session = weak.lock()) session->Tick();
  }
  StartTicking();
}

}  // namespace tidemark::store
