// RawClient is a blocking loopback client for tests and benchmarks: it sends bytes as they are, and takes answers apart
// just so far.
//
// Thread-safety: thread-compatible.
// Errors:        a read for which nothing comes in kPatienceSeconds stops the program (CHECK): a test does not hang,
//                and one that waits for the end of a connection does not take silence for it.
#ifndef TIDEMARK_NET_RAW_CLIENT_H_
#define TIDEMARK_NET_RAW_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "base/check.h"

namespace tidemark::net {

class RawClient {
 public:
  static constexpr int kPatienceSeconds = 20;

  // `address` is "127.0.0.1:PORT". A small receive buffer makes a client that does not read stall its server soon. It comes
  // from 127.0.0.`source`.
  explicit RawClient(absl::string_view address, int receive_buffer = 0, uint8_t source = 1)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in from{};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xffu) | source);
    if (source != 1) TM_CHECK(::bind(fd_, reinterpret_cast<sockaddr*>(&from), sizeof(from)) == 0) << "errno " << errno;
    if (receive_buffer > 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    const timeval patience = {.tv_sec = kPatienceSeconds, .tv_usec = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int port = 0;
    TM_CHECK(absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port));
    to.sin_port = htons(static_cast<uint16_t>(port));
    TM_CHECK(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0) << "connect: errno " << errno;
  }
  virtual ~RawClient() { Close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  int fd() const { return fd_; }

  // False when the server has closed.
  bool Send(absl::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = SendSome(bytes.data(), bytes.size());
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  void FinishSending() { ::shutdown(fd_, SHUT_WR); }
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  // Reads on until the unread bytes hold `text`; they stay unread. False at the end of the stream.
  bool ReadUntil(absl::string_view text) {
    while (!absl::StrContains(unread_, text)) {
      if (!ReadSome()) return false;
    }
    return true;
  }
  // Takes what is unread up to and with `text`; empty when the stream ends first.
  std::string Take(absl::string_view text) {
    if (!ReadUntil(text)) return "";
    return TakeBytes(unread_.find(text.data(), 0, text.size()) + text.size());
  }
  std::string TakeBytes(size_t count) {
    while (unread_.size() < count && ReadSome()) {
    }
    std::string taken = unread_.substr(0, count);
    unread_.erase(0, count);
    return taken;
  }
  // All that comes until the server closes. *reset: it did so with a reset.
  std::string ReadAll(bool* reset = nullptr) {
    while (ReadSome()) {
    }
    if (reset != nullptr) *reset = error_ == ECONNRESET;
    return std::move(unread_);
  }
  // Reads and drops `count` bytes; fewer when the stream ends.
  size_t Discard(size_t count) {
    static char dropped[1 << 20];
    size_t total = std::min(count, unread_.size());
    unread_.erase(0, total);
    while (total < count) {
      const ssize_t got = ReceiveSome(dropped, std::min(count - total, sizeof(dropped)));
      if (got <= 0) break;
      total += static_cast<size_t>(got);
    }
    return total;
  }

  struct Response {
    int status = 0;  // 0: no answer came
    std::string head;
    std::string body;

    bool Has(absl::string_view field) const { return absl::StrContains(head, field); }
  };

  // One answer with a Content-Length or in chunks; with neither, what comes until the end. A HEAD's answer has no body.
  Response Get(absl::string_view request, bool head_only = false) {
    return Send(request) ? ReadResponse(head_only) : Response();
  }
  Response ReadResponse(bool head_only = false) {
    Response response;
    response.head = Take("\r\n\r\n");
    if (response.head.size() < 12 || !absl::SimpleAtoi(response.head.substr(9, 3), &response.status)) return response;
    if (head_only || response.status / 100 == 1) return response;
    const size_t length_at = response.head.find("\r\nContent-Length: ");
    if (length_at != std::string::npos) {
      response.body = TakeBytes(std::strtoull(response.head.c_str() + length_at + 18, nullptr, 10));
    } else if (response.Has("Transfer-Encoding: chunked")) {
      ReadChunks(&response.body);
    } else {
      response.body = ReadAll();
    }
    return response;
  }
  // One chunk's data; empty at the last one.
  std::string ReadChunk() {
    const std::string size_line = Take("\r\n");
    const size_t size = std::strtoull(size_line.c_str(), nullptr, 16);
    std::string data = TakeBytes(size + 2);
    data.resize(std::min(data.size(), size));
    return data;
  }
  // To the end of the body.
  void ReadChunks(std::string* body) {
    while (true) {
      const std::string data = ReadChunk();
      if (data.empty()) return;
      body->append(data);
    }
  }

 protected:
  // As send(2) and recv(2).
  virtual ssize_t SendSome(const char* bytes, size_t size) { return ::send(fd_, bytes, size, MSG_NOSIGNAL); }
  virtual ssize_t ReceiveSome(char* out, size_t size) { return ::recv(fd_, out, size, 0); }

 private:
  bool ReadSome() {
    char bytes[16384];
    const ssize_t got = ReceiveSome(bytes, sizeof(bytes));
    if (got < 0) error_ = errno;
    TM_CHECK(got >= 0 || error_ != EAGAIN) << "neither a byte nor the end came in " << kPatienceSeconds << " s";
    if (got <= 0) return false;
    unread_.append(bytes, static_cast<size_t>(got));
    return true;
  }

  int fd_;
  int error_ = 0;
  std::string unread_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_RAW_CLIENT_H_
