// FormatResponseHead writes the head of one answer.
//
// Thread-safety: pure.
#ifndef TIDEMARK_NET_RESPONSE_HEAD_H_
#define TIDEMARK_NET_RESPONSE_HEAD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "net/exchange.h"

namespace tidemark::net {

// How the client finds the end of the body, and what becomes of the connection.
struct Framing {
  enum class Body {
    kNone,     // the status has no body (204, 304): no header says anything of one
    kLength,   // Content-Length: `length`
    kChunked,  // Transfer-Encoding: chunked
    kClose,    // ends with the connection (HTTP/1.0)
  };
  Body body = Body::kLength;
  uint64_t length = 0;
  bool close = false;       // Connection: close
  bool keep_alive = false;  // Connection: keep-alive, said only to HTTP/1.0 clients
};

// Control bytes in a header's value become blanks: no answer can be split by them.
std::string FormatResponseHead(const ResponseHead& head, const Framing& framing, absl::Time now);

absl::string_view ReasonPhrase(int status);

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_RESPONSE_HEAD_H_
