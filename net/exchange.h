// Exchange is one request and its answer. A handler may answer at once or later, from any thread; the connection behind
// it lives in the server (net/http_server.h), which writes what a BodySource gives for as long as the socket takes it.
//
//   void Handle(std::shared_ptr<Exchange> exchange) override {
//     exchange->Reply({.status = 200, .content_type = "application/json"}, "{}");
//   }
//
// Thread-safety: Exchange and Waker are thread-safe; a BodySource is called by one thread at a time.
// Ownership:     the server owns a source from Reply on, and destroys it when the body has ended or the client is gone.
// Errors:        an Exchange that is destroyed unanswered is answered 500. A second Reply is a
//                programmer's error (CHECK).
#ifndef TIDEMARK_NET_EXCHANGE_H_
#define TIDEMARK_NET_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace tidemark::net {

struct Request {
  std::string method;  // as sent: any token but CONNECT
  std::string target;  // as sent: path and query
  std::string path;    // before the '?', percent escapes not yet decoded
  // Decoded ('+' and %XX), in the order sent; a name may repeat. A part that cannot be decoded is dropped.
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string peer;                                          // "127.0.0.1:51234"

  // The first value, or nullopt.
  std::optional<absl::string_view> Query(absl::string_view name) const;
  absl::string_view Header(absl::string_view lower_case_name) const;  // empty when absent
};

struct ResponseHead {
  int status = 200;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;  // beside Content-Type, framing, Date and Connection
};

// Gives a body piece by piece: a LIST always has more until its end, a WATCH waits in between.
class BodySource {
 public:
  enum class State {
    kMore,   // call again as soon as the socket has taken these bytes
    kWait,   // nothing more until the waker is called; the connection costs no CPU meanwhile
    kEnd,    // the body is complete
    kAbort,  // cut the connection: the body cannot be completed, and the client must see that
  };

  virtual ~BodySource() = default;
  // Appends to `slices` about `max_bytes` of the body. The bytes stay valid until the next Pull or the destruction. May
  // append nothing with kMore only when it will give something at the next call.
  virtual State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) = 0;
  // All bytes given so far have been taken, and the source waits: what it holds for them may go. Never called together with
  // Pull.
  virtual void Release() {}
  // Memory that was made for the body and lives until the next Pull or longer, which the server limits over all answers: 0 for
  // slices of what lies elsewhere anyway. Cheap; never called together with Pull.
  virtual size_t held_bytes() const { return 0; }
  // The server is stopping: a body that would wait for ever should end. Called once at most, never together with Pull,
  // which comes next. Whoever goes on is cut after ServerLimits::drain_time.
  virtual void Drain() {}
};

// Wakes the source that said kWait. Cheap, never blocks, may be called from any thread and
// after the connection is gone.
using Waker = std::function<void()>;

class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const Request& request() const = 0;
  // A whole answer, with a Content-Length.
  virtual void Reply(ResponseHead head, std::string body) = 0;
  // A streamed answer: chunked, or with `length` when it is known. The waker is for a source that says kWait.
  virtual void Reply(ResponseHead head, std::unique_ptr<BodySource> source,
                     std::optional<uint64_t> length = std::nullopt) = 0;
  // Valid before and after Reply.
  virtual Waker waker() = 0;
  // Whether the connection has ended, so that an answer is made in vain. Who has only finished sending may still read one.
  virtual bool ClientGone() const = 0;
};

// Called on a worker thread of the server; must not block.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void Handle(std::shared_ptr<Exchange> exchange) = 0;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_EXCHANGE_H_
