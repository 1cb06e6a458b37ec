// RequestReader cuts a connection's bytes into requests: strict heads, bodies read and dropped,
// what follows kept for later.
//
// Thread-safety: thread-compatible; pure.
// Errors:        a Refusal; nothing can be read after it.
// Limits:        holds one head (HeadLimits) and what came with its last read (kReadBytes); the caller reads
//                only when asked for more.
// Cost:          no buffer while nothing is unread.
#ifndef TIDEMARK_NET_REQUEST_READER_H_
#define TIDEMARK_NET_REQUEST_READER_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "net/body_skipper.h"
#include "net/head_reader.h"
#include "net/limits.h"

namespace tidemark::net {

class RequestReader {
 public:
  enum class State {
    kNeedHead,      // append more
    kNeedBody,      // append more; the head has been read
    kWantContinue,  // the client waits for "100 Continue" before it sends its body; then as kNeedBody
    kRequest,       // TakeHead
    kRefused,
  };

  // REQUIRES: limits outlive the reader.
  explicit RequestReader(const ServerLimits& limits) : limits_(&limits), head_reader_(limits.head) {}

  void Append(absl::string_view bytes);
  State Next();
  // REQUIRES: Next returned kRequest.
  Head TakeHead();
  // REQUIRES: Next returned kRefused.
  const Refusal& refusal() const { return refusal_; }
  size_t unread_bytes() const { return unread().size(); }
  // Whether bytes of a request that is not complete have come.
  bool mid_request() const { return !buffer_.empty() || skipper_ != nullptr; }

 private:
  State ReadBody();
  State Refuse(const Refusal& refusal);
  absl::string_view unread() const { return absl::string_view(buffer_).substr(start_); }
  // Drops the first `bytes` of what is unread.
  void Consume(size_t bytes);

  const ServerLimits* limits_;
  std::string buffer_;  // freed when all of it has been read
  size_t start_ = 0;    // of the unread bytes in it
  HeadReader head_reader_;
  Head head_;                             // valid while skipper_ is set
  std::unique_ptr<BodySkipper> skipper_;  // the head is complete
  bool continue_wanted_ = false;
  Refusal refusal_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_REQUEST_READER_H_
