// FakeExchange is a request made up by a test, and whatever was answered to it. FakeReply drains a streamed body as a
// connection would, a few bytes at a time.
//
// Thread-safety: Exchange's; the reader's side belongs to the test's thread.
#ifndef TIDEMARK_HTTP_FAKE_EXCHANGE_H_
#define TIDEMARK_HTTP_FAKE_EXCHANGE_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "net/exchange.h"
#include "net/request_target.h"

namespace tidemark::http {

class FakeExchange : public net::Exchange {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  explicit FakeExchange(absl::string_view target, Headers headers = {}, std::string method = "GET") {
    request_.method = std::move(method);
    net::SplitTarget(target, &request_);
    request_.headers = std::move(headers);
    request_.peer = "127.0.0.1:50000";
  }

  const net::Request& request() const override { return request_; }
  void Reply(net::ResponseHead head, std::string body) override {
    Answer(std::move(head));
    body_ = std::move(body);
    ended_ = true;
  }
  void Reply(net::ResponseHead head, std::unique_ptr<net::BodySource> source, std::optional<uint64_t> length) override {
    Answer(std::move(head));
    source_ = std::move(source);
    length_ = length;
  }
  net::Waker waker() override {
    return [wakes = wakes_] { ++*wakes; };
  }

  bool ClientGone() const override { return client_gone_; }
  void Leave() { client_gone_ = true; }

  bool answered() const { return answered_; }
  const net::ResponseHead& head() const { return head_; }
  int status() const { return head_.status; }
  std::string Header(absl::string_view name) const {
    for (const auto& [key, value] : head_.headers) {
      if (key == name) return value;
    }
    return "";
  }
  std::optional<uint64_t> length() const { return length_; }
  int wakes() const { return *wakes_; }
  bool ended() const { return ended_; }
  bool aborted() const { return aborted_; }
  net::BodySource* source() { return source_.get(); }

  // Pulls until the body ends or waits, `piece` bytes at a time, and returns what came since the last call.
  std::string Drain(size_t piece = 100) {
    std::string out = std::move(body_);
    body_.clear();
    while (source_ != nullptr) {
      std::vector<absl::string_view> slices;
      const net::BodySource::State state = source_->Pull(piece, &slices);
      for (const absl::string_view slice : slices) out.append(slice.data(), slice.size());
      if (state == net::BodySource::State::kWait) break;
      if (state == net::BodySource::State::kMore) continue;
      ended_ = true;
      aborted_ = state == net::BodySource::State::kAbort;
      source_.reset();
    }
    return out;
  }

 private:
  void Answer(net::ResponseHead head) {
    TM_CHECK(!answered_) << "answered twice: " << request_.target;
    answered_ = true;
    head_ = std::move(head);
  }

  net::Request request_;
  bool answered_ = false;
  bool client_gone_ = false;
  net::ResponseHead head_;
  std::string body_;
  std::unique_ptr<net::BodySource> source_;
  std::optional<uint64_t> length_;
  bool ended_ = false;
  bool aborted_ = false;
  const std::shared_ptr<std::atomic<int>> wakes_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_FAKE_EXCHANGE_H_
