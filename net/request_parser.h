// RequestParser makes a Request of a head that HeadReader has accepted. cpp-httplib parses it; this is the only door to
// that library. It is shown a head put together anew from what our reader understood, and must understand the same; its
// percent-decoded path, headers and sorted query are not used (it loses what was sent).
//
// Thread-safety: thread-safe.
// Errors:        nullopt when the library reads the head otherwise: to be answered 400.
// Cost:          some microseconds (net/http_server_bench.cc).
#ifndef TIDEMARK_NET_REQUEST_PARSER_H_
#define TIDEMARK_NET_REQUEST_PARSER_H_

#include <memory>
#include <optional>
#include <string>

#include "net/exchange.h"
#include "net/head_reader.h"

namespace tidemark::net {

class RequestParser {
 public:
  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  std::optional<Request> Parse(Head head, std::string peer) const;

 private:
  class Library;
  const std::unique_ptr<Library> library_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_REQUEST_PARSER_H_
