#include "net/response_head.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tidemark::net {
namespace {

void AppendField(std::string* out, absl::string_view name, absl::string_view value) {
  absl::StrAppend(out, name, ": ");
  for (const char c : value) out->push_back(absl::ascii_iscntrl(static_cast<unsigned char>(c)) && c != '\t' ? ' ' : c);
  out->append("\r\n");
}

// "Sun, 06 Nov 1994 08:49:37 GMT": formatted once a second on each thread.
const std::string& HttpDate(absl::Time now) {
  thread_local int64_t second = -1;
  thread_local std::string text;
  if (const int64_t current = absl::ToUnixSeconds(now); current != second) {
    second = current;
    text = absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", now, absl::UTCTimeZone());
  }
  return text;
}

}  // namespace

absl::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

std::string FormatResponseHead(const ResponseHead& head, const Framing& framing, absl::Time now) {
  std::string out;
  out.reserve(256);
  absl::StrAppend(&out, "HTTP/1.1 ", head.status, " ", ReasonPhrase(head.status), "\r\n");
  if (!head.content_type.empty()) AppendField(&out, "Content-Type", head.content_type);
  for (const auto& [name, value] : head.headers) AppendField(&out, name, value);
  absl::StrAppend(&out, "Date: ", HttpDate(now), "\r\n");
  if (framing.body == Framing::Body::kLength) absl::StrAppend(&out, "Content-Length: ", framing.length, "\r\n");
  if (framing.body == Framing::Body::kChunked) out += "Transfer-Encoding: chunked\r\n";
  if (framing.close) {
    out += "Connection: close\r\n";
  } else if (framing.keep_alive) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
  return out;
}

}  // namespace tidemark::net
