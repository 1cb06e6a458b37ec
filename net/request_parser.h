// RequestParser makes a Request of a head that HeadReader has accepted. cpp-httplib parses the request line, put
// together anew from what our reader understood, and must understand the same; this is the only door to that library.
// It sees the line up to the query, and no line that is too long for it or has a method that it does not know.
// The headers are not shown to it: it would percent-decode them, drop empty ones, act on Range with a regular
// expression, and take 2 us more.
//
// Thread-safety: thread-safe.
// Errors:        nullopt when the library reads the line otherwise: to be answered 400.
// Cost:          about 3 us, nearly all of it the library's.
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
