#include "net/request_parser.h"

#include <httplib.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "net/request_target.h"

namespace tidemark::net {
namespace {

// Compiled into the library: a longer request line it refuses. Ours may be longer (net/limits.h); then HeadReader
// parses it alone.
constexpr size_t kLibraryLineBytesMax = 8192 - 2;

// The library refuses all others; HeadReader parses those alone.
bool IsLibraryMethod(absl::string_view method) {
  static constexpr absl::string_view kMethods[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"};
  return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
}

// Gives one head to the library and drops what it would answer.
class HeadStream : public httplib::Stream {
 public:
  explicit HeadStream(absl::string_view head) : head_(head) {}

  bool is_readable() const override { return !head_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* out, size_t size) override {
    const size_t taken = std::min(size, head_.size());
    std::memcpy(out, head_.data(), taken);
    head_.remove_prefix(taken);
    return static_cast<ssize_t>(taken);
  }
  ssize_t write(const char*, size_t size) override { return static_cast<ssize_t>(size); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  absl::string_view head_;
};

}  // namespace

class RequestParser::Library : public httplib::Server {
 public:
  Library() {
    set_pre_routing_handler([](const httplib::Request&, httplib::Response&) { return HandlerResponse::Handled; });
  }

  // Whether the library reads this method and target out of `text`.
  bool Reads(absl::string_view text, absl::string_view method, absl::string_view target) {
    bool agrees = false;
    try {
      HeadStream stream(text);
      bool closed = false;
      process_request(stream, false, closed,
                      [&](httplib::Request& read) { agrees = read.method == method && read.target == target; });
    } catch (const std::exception&) {
      return false;
    }
    return agrees;
  }
};

RequestParser::RequestParser() : library_(std::make_unique<Library>()) {}
RequestParser::~RequestParser() = default;

std::optional<Request> RequestParser::Parse(Head head, std::string peer) const {
  // It would refuse a second '?', which belongs to the query.
  const absl::string_view target = absl::string_view(head.target).substr(0, head.target.find('?'));
  const std::string line = absl::StrCat(head.method, " ", target, " HTTP/1.", head.minor_version);
  const bool readable = line.size() <= kLibraryLineBytesMax && IsLibraryMethod(head.method);
  if (readable && !library_->Reads(line + "\r\n\r\n", head.method, target)) return std::nullopt;
  Request request;
  SplitTarget(head.target, &request);
  request.method = std::move(head.method);
  request.headers = std::move(head.headers);
  request.peer = std::move(peer);
  return request;
}

}  // namespace tidemark::net
