// Transport moves bytes over one connection; SocketTransport is the plain socket, TlsTransport (net/tls_transport.h) puts
// TLS on another.
//
// Thread-safety: confined to the connection's turn; see connection.h.
// Ownership:     owns the file descriptor.
// Errors:        a Transfer says how far it came; nothing is retried, nothing blocks.
#ifndef TIDEMARK_NET_TRANSPORT_H_
#define TIDEMARK_NET_TRANSPORT_H_

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>

namespace tidemark::net {

struct Transfer {
  size_t bytes = 0;
  enum class State { kOpen, kWouldBlock, kEnd, kBroken } state = State::kOpen;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // kEnd: the peer sends no more. kWouldBlock: nothing there now. Fewer than `size` bytes: no more for now, unless
  // holds_input(), and the loop will say when more has come.
  virtual Transfer Read(char* out, size_t size) = 0;
  // kWouldBlock: `bytes` (maybe 0) were taken, and the loop will say when there is room for more. Small parts go as one copy.
  virtual Transfer Write(const iovec* parts, int count) = 0;
  // The socket, when bytes may be sent on it past this transport, in one call with those of others (net/send_batch.h); else -1.
  virtual int batch_fd() const { return -1; }
  // Whether Read has more to say, about which the loop will not: the end that it saw behind its last bytes.
  virtual bool holds_input() const { return false; }
  // Whether Read goes on when there is room to write: a handshake's answer has to go out before more comes in.
  virtual bool read_wants_room() const { return false; }
  // Ends our direction, so that the peer sees the end of the answer.
  virtual void FinishWriting() = 0;
  // Closes; with a reset if the peer must not take what it has for complete.
  virtual void Close(bool reset) = 0;
};

inline constexpr int kSendFlags = MSG_DONTWAIT | MSG_NOSIGNAL;
// What a send's result means: bytes, or an errno below zero, of the bytes that were to go.
Transfer TransferOf(ssize_t result, size_t asked);
// SocketTransport::Write, by the socket.
Transfer SendOn(int fd, const iovec* parts, int count);

class SocketTransport : public Transport {
 public:
  explicit SocketTransport(int fd) : fd_(fd) {}
  ~SocketTransport() override { Close(false); }
  SocketTransport(const SocketTransport&) = delete;
  SocketTransport& operator=(const SocketTransport&) = delete;

  Transfer Read(char* out, size_t size) override;
  Transfer Write(const iovec* parts, int count) override;
  int batch_fd() const override { return fd_; }
  void FinishWriting() override;
  void Close(bool reset) override;

 private:
  int fd_;  // -1: closed
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_TRANSPORT_H_
