#include "net/transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace tidemark::net {

Transfer SocketTransport::Read(char* out, size_t size) {
  while (true) {
    const ssize_t got = ::recv(fd_, out, size, MSG_DONTWAIT);
    if (got > 0) return {static_cast<size_t>(got), Transfer::State::kOpen};
    if (got == 0) return {0, Transfer::State::kEnd};
    if (errno == EINTR) continue;
    return {0, errno == EAGAIN || errno == EWOULDBLOCK ? Transfer::State::kWouldBlock : Transfer::State::kBroken};
  }
}

Transfer SocketTransport::Write(const iovec* parts, int count) {
  size_t asked = 0;
  for (int i = 0; i < count; ++i) asked += parts[i].iov_len;
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = static_cast<size_t>(count);
  while (true) {
    const ssize_t sent = ::sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      // A short write means a full buffer; the kernel has noted that we wait for room.
      const bool all = static_cast<size_t>(sent) == asked;
      return {static_cast<size_t>(sent), all ? Transfer::State::kOpen : Transfer::State::kWouldBlock};
    }
    if (errno == EINTR) continue;
    return {0, errno == EAGAIN || errno == EWOULDBLOCK ? Transfer::State::kWouldBlock : Transfer::State::kBroken};
  }
}

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
