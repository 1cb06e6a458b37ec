#include "net/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "net/limits.h"

namespace tidemark::net {
namespace {

// A client that vanished without a word is noticed after two minutes, on connections where nothing is sent.
constexpr int kKeepAliveIdleSeconds = 60;
constexpr int kKeepAliveGapSeconds = 15;
constexpr int kKeepAliveProbes = 4;

std::string PeerName(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "?";
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    return absl::StrCat(text, ":", ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  return absl::StrCat("[", text, "]:", ntohs(v6.sin6_port));
}

void SetOption(int fd, int level, int option, int value) { ::setsockopt(fd, level, option, &value, sizeof(value)); }

void SetClientOptions(int fd) {
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, kUnsentBytesMax);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveGapSeconds);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveProbes);
}

// The socket, or -1 and errno.
int ListenOn(const addrinfo& address) {
  const int fd = ::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  // Not SO_REUSEPORT: a second server on the same port has to fail.
  SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (::bind(fd, address.ai_addr, address.ai_addrlen) == 0 && ::listen(fd, kListenBacklog) == 0) return fd;
  const int reason = errno;
  ::close(fd);
  errno = reason;
  return -1;
}

absl::Status BadAddress(absl::string_view address, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("cannot listen on ", address, ": ", why));
}

}  // namespace

absl::StatusOr<std::shared_ptr<Listener>> Listener::Open(absl::string_view address, Clock& clock) {
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos) return BadAddress(address, "want HOST:PORT");
  absl::string_view host = address.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string host_text(host), port_text(address.substr(colon + 1));
  const int error = ::getaddrinfo(host_text.empty() ? nullptr : host_text.c_str(), port_text.c_str(), &hints, &found);
  if (error != 0) return BadAddress(address, gai_strerror(error));
  const absl::Cleanup free_found = [found] { ::freeaddrinfo(found); };

  const absl::StatusOr<int> fd = ListenOnFirst(found);
  if (!fd.ok()) return BadAddress(address, fd.status().message());
  sockaddr_storage bound{};
  socklen_t bound_size = sizeof(bound);
  if (::getsockname(*fd, reinterpret_cast<sockaddr*>(&bound), &bound_size) != 0) {
    const int reason = errno;
    ::close(*fd);
    return BadAddress(address, std::strerror(reason));
  }
  return std::shared_ptr<Listener>(new Listener(*fd, PeerName(bound), clock));
}

absl::StatusOr<int> Listener::ListenOnFirst(const addrinfo* addresses) {
  int reason = EADDRNOTAVAIL;
  for (const addrinfo* address = addresses; address != nullptr; address = address->ai_next) {
    const int fd = ListenOn(*address);
    if (fd >= 0) return fd;
    reason = errno;
    if (reason != EADDRNOTAVAIL && reason != EAFNOSUPPORT) break;
  }
  return absl::InvalidArgumentError(std::strerror(reason));
}

void Listener::Start(EventLoop* loop, OnAccept on_accept) {
  loop_ = loop;
  on_accept_ = std::move(on_accept);
  loop_->Add(shared_from_this(), fd_, EPOLLIN);
}

void Listener::Close() {
  if (fd_ < 0) return;
  ::close(fd_);
  fd_ = -1;
  if (loop_ != nullptr) loop_->Remove(this);
  on_accept_ = nullptr;
}

void Listener::OnReady(uint32_t) {
  for (int i = 0; i < kAcceptsPerTurnMax; ++i) {
    sockaddr_storage peer{};
    socklen_t peer_size = sizeof(peer);
    const int fd = ::accept4(fd_, reinterpret_cast<sockaddr*>(&peer), &peer_size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      SetClientOptions(fd);
      on_accept_(fd, PeerName(peer));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      return Pause(errno);
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void Listener::Pause(int error) {
  if (uint64_t held_back = 0; pause_gate_.Open(clock_.Now(), &held_back)) {
    Log(LogLevel::kError, "cannot accept connections for now",
        {{"error", std::strerror(error)}, {"suppressed", held_back}});
  }
  loop_->Modify(this, fd_, 0);
  loop_->SetDeadline(this, clock_.Now() + kAcceptPause);
}

void Listener::OnDeadline() {
  if (fd_ >= 0) loop_->Modify(this, fd_, EPOLLIN);
}

}  // namespace tidemark::net
