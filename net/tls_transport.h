// TlsTransport is the server's side of TLS on another transport: the handshake happens inside the first reads.
//
// What the other transport cannot take or give now is kWouldBlock here, whichever of the two TLS waits for: the loop tells
// of both edges, a connection that writes tries again at each of them, and one that reads asks read_wants_room().
//
// Thread-safety: confined to the connection's turn; see connection.h.
// Ownership:     owns the socket; holds its generation of the context until Close.
// Errors:        kEnd when the peer has closed, politely (close_notify) or not; kBroken for all else. A handshake that
//                fails is logged, and the client is told by TLS's alert; one that speaks HTTP gets an HTTP error.
// Cost:          nothing until the first byte comes. Then 11 to 15 KB while idle (measured with OpenSSL 3.0), and a
//                signature for each handshake. Writing copies slices below 16 KB into records.
#ifndef TIDEMARK_NET_TLS_TRANSPORT_H_
#define TIDEMARK_NET_TLS_TRANSPORT_H_

#include <memory>
#include <optional>
#include <string>

#include "net/tls_context.h"
#include "net/transport.h"

struct ssl_st;

namespace tidemark::net {

class TlsTransport : public Transport {
 public:
  // `peer` is named in the log.
  TlsTransport(std::unique_ptr<Transport> socket, std::shared_ptr<TlsContext> context, std::string peer);
  ~TlsTransport() override;
  TlsTransport(const TlsTransport&) = delete;
  TlsTransport& operator=(const TlsTransport&) = delete;

  Transfer Read(char* out, size_t size) override;
  // After kWouldBlock the next call begins with the same bytes.
  Transfer Write(const iovec* parts, int count) override;
  bool holds_input() const override { return input_end_.has_value(); }
  bool read_wants_room() const override { return read_wants_room_; }
  void FinishWriting() override;
  void Close(bool reset) override;

 private:
  struct FreeSsl {
    void operator()(ssl_st* ssl) const;
  };

  // Makes ssl_ at the first use. False when closed.
  bool Begin();
  // What a call that moved nothing means.
  Transfer::State StateAfterFailure();
  void OnFailedHandshake();
  // Says once that nothing more comes from here, if that can be said.
  void SendCloseNotify();

  const std::unique_ptr<Transport> socket_;
  const std::shared_ptr<TlsContext> context_;
  const std::string peer_;
  TlsContext::Generation generation_;     // behind ssl_: goes after it
  std::unique_ptr<ssl_st, FreeSsl> ssl_;  // nullptr: nothing has come yet, or closed
  std::optional<Transfer::State> input_end_;
  bool read_wants_room_ = false;
  bool established_ = false;  // the handshake is over
  bool failed_ = false;       // TLS cannot go on
  bool closed_ = false;
  bool said_close_ = false;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_TLS_TRANSPORT_H_
