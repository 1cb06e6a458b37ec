// TestServer is a running HttpServer whose handler is a function, with what its tests need around it: bodies of any
// size, and a Feed that a test pushes into an open watch.
//
// Thread-safety: Feed is thread-safe.
#ifndef TIDEMARK_NET_TEST_SERVER_H_
#define TIDEMARK_NET_TEST_SERVER_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/mutex.h"
#include "base/test_gate.h"
#include "metrics/registry.h"
#include "net/http_server.h"

namespace tidemark::net {

using HandleFn = std::function<void(std::shared_ptr<Exchange>)>;

inline constexpr absl::string_view kGet = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";

class TestServer : public Handler {
 public:
  explicit TestServer(HandleFn handle, ServerLimits limits = {}, int workers = 2, TlsFiles tls = {})
      : handle_(std::move(handle)) {
    absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(
        {.listen = {"127.0.0.1:0"}, .tls = std::move(tls), .limits = limits, .workers = workers, .metrics = metrics},
        this);
    TM_CHECK_OK(server.status());
    server_ = *std::move(server);
  }

  void Handle(std::shared_ptr<Exchange> exchange) override { handle_(std::move(exchange)); }
  std::string address() const { return server_->addresses().front(); }
  HttpServer& server() { return *server_; }
  HttpServer* operator->() { return server_.get(); }

  metrics::Registry registry;
  metrics::NetMetrics metrics{&registry};

 private:
  const HandleFn handle_;
  std::unique_ptr<HttpServer> server_;
};

inline void Hello(std::shared_ptr<Exchange> exchange) {
  exchange->Reply({.status = 200, .content_type = "text/plain"},
                  absl::StrCat("hello ", exchange->request().path, "\n"));
}

// Repeats one block until `total` bytes are given.
class BlockSource : public BodySource {
 public:
  BlockSource(uint64_t total, size_t slice, std::atomic<uint64_t>* pulled = nullptr)
      : left_(total), block_(slice, 'x'), pulled_(pulled) {}

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    for (size_t given = 0; given < max_bytes && left_ > 0;) {
      const size_t bytes = std::min<uint64_t>(block_.size(), left_);
      slices->push_back(absl::string_view(block_).substr(0, bytes));
      given += bytes;
      left_ -= bytes;
      if (pulled_ != nullptr) *pulled_ += bytes;
    }
    return left_ == 0 ? State::kEnd : State::kMore;
  }

 private:
  uint64_t left_;
  const std::string block_;
  std::atomic<uint64_t>* const pulled_;
};

// What a test pushes into an open watch from any thread.
class Feed {
 public:
  void Push(std::string event, bool end = false) {
    MutexLock lock(&mu_);
    events_.push_back(std::move(event));
    end_ |= end;
    if (waker_) waker_();
  }
  void SetWaker(Waker waker) {
    MutexLock lock(&mu_);
    waker_ = std::move(waker);
  }
  BodySource::State Take(std::vector<std::string>* events) {
    MutexLock lock(&mu_);
    events->swap(events_);
    events_.clear();
    return end_ ? BodySource::State::kEnd : BodySource::State::kWait;
  }

  Gate destroyed;
  std::atomic<bool> drained{false};
  std::atomic<int> pulls{0};

 private:
  Mutex mu_;
  std::vector<std::string> events_ ABSL_GUARDED_BY(mu_);
  bool end_ ABSL_GUARDED_BY(mu_) = false;
  Waker waker_ ABSL_GUARDED_BY(mu_);
};

class FeedSource : public BodySource {
 public:
  FeedSource(std::shared_ptr<Feed> feed, bool ends_on_drain) : feed_(std::move(feed)), ends_on_drain_(ends_on_drain) {}
  ~FeedSource() override { feed_->destroyed.Open(); }

  State Pull(size_t, std::vector<absl::string_view>* slices) override {
    ++feed_->pulls;
    const State state = feed_->Take(&held_);
    slices->insert(slices->end(), held_.begin(), held_.end());
    return ends_on_drain_ && feed_->drained ? State::kEnd : state;
  }
  void Drain() override { feed_->drained = true; }

 private:
  const std::shared_ptr<Feed> feed_;
  const bool ends_on_drain_;
  std::vector<std::string> held_;
};

inline HandleFn Watch(std::shared_ptr<Feed> feed, bool ends_on_drain = true) {
  return [feed, ends_on_drain](std::shared_ptr<Exchange> exchange) {
    feed->SetWaker(exchange->waker());
    exchange->Reply({.status = 200, .content_type = "application/json"},
                    std::make_unique<FeedSource>(feed, ends_on_drain));
  };
}

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_TEST_SERVER_H_
