#include "net/transport.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "net/limits.h"

namespace tidemark::net {
namespace {

// Small parts as one: a copy of so little costs less than what the kernel does for each part.
class GatheredParts {
 public:
  GatheredParts(const iovec* parts, int count) {
    for (int i = 0; i < count; ++i) {
      if (parts[i].iov_len == 0) continue;
      std::memcpy(bytes_.data() + size_, parts[i].iov_base, parts[i].iov_len);
      size_ += parts[i].iov_len;
    }
  }
  const char* data() const { return bytes_.data(); }

 private:
  std::array<char, kGatheredBytesMax> bytes_;
  size_t size_ = 0;
};

ssize_t SendParts(int fd, const iovec* parts, int count, size_t bytes) {
  if (count == 1) return ::send(fd, parts[0].iov_base, bytes, kSendFlags);
  if (bytes <= kGatheredBytesMax) return ::send(fd, GatheredParts(parts, count).data(), bytes, kSendFlags);
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = static_cast<size_t>(count);
  return ::sendmsg(fd, &message, kSendFlags);
}

}  // namespace

Transfer TransferOf(ssize_t result, size_t asked) {
  if (result == -EAGAIN || result == -EWOULDBLOCK) return {0, Transfer::State::kWouldBlock};
  if (result < 0) return {0, Transfer::State::kBroken};
  const size_t sent = static_cast<size_t>(result);
  // A short write means a full buffer; the kernel has noted that we wait for room.
  return {sent, sent == asked ? Transfer::State::kOpen : Transfer::State::kWouldBlock};
}

Transfer SendOn(int fd, const iovec* parts, int count) {
  size_t asked = 0;
  for (int i = 0; i < count; ++i) asked += parts[i].iov_len;
  while (true) {
    const ssize_t sent = SendParts(fd, parts, count, asked);
    if (sent < 0 && errno == EINTR) continue;
    return TransferOf(sent >= 0 ? sent : -errno, asked);
  }
}

Transfer SocketTransport::Read(char* out, size_t size) {
  while (true) {
    const ssize_t got = ::recv(fd_, out, size, MSG_DONTWAIT);
    if (got > 0) return {static_cast<size_t>(got), Transfer::State::kOpen};
    if (got == 0) return {0, Transfer::State::kEnd};
    if (errno == EINTR) continue;
    return {0, errno == EAGAIN || errno == EWOULDBLOCK ? Transfer::State::kWouldBlock : Transfer::State::kBroken};
  }
}

Transfer SocketTransport::Write(const iovec* parts, int count) { return SendOn(fd_, parts, count); }

void SocketTransport::FinishWriting() { ::shutdown(fd_, SHUT_WR); }

void SocketTransport::Close(bool reset) {
  if (fd_ < 0) return;
  if (reset) {
    const linger at_once = {.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }
  ::close(fd_);
  fd_ = -1;
}

}  // namespace tidemark::net
