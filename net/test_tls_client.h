// TlsClient is a RawClient that speaks TLS.
//
// Thread-safety: thread-compatible.
// Errors:        a handshake or a read that fails says why in error(), in OpenSSL's words.
#ifndef TIDEMARK_NET_TEST_TLS_CLIENT_H_
#define TIDEMARK_NET_TEST_TLS_CLIENT_H_

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "net/raw_client.h"
#include "net/test_tls_peer.h"

namespace tidemark::net {

class TlsClient : public RawClient {
 public:
  explicit TlsClient(absl::string_view address, const TlsClientOptions& options = {}, int receive_buffer = 0,
                     SSL_SESSION* resume = nullptr)
      : RawClient(address, receive_buffer),
        context_(NewTlsClientContext(options)),
        ssl_(SSL_new(context_.get()), SSL_free) {
    std::signal(SIGPIPE, SIG_IGN);
    SSL_set_fd(ssl_.get(), fd());
    if (resume != nullptr) SSL_set_session(ssl_.get(), resume);
    connected_ = SSL_connect(ssl_.get()) == 1 || Fail();
  }

  bool connected() const { return connected_; }
  // Whether the server said that it was the end.
  bool ended() const { return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }
  const std::string& error() const { return error_; }
  SSL* ssl() const { return ssl_.get(); }
  // The name in the server's certificate.
  std::string server_name() const {
    char name[100] = "";
    X509* const cert = SSL_get0_peer_certificate(ssl_.get());
    if (cert != nullptr) X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, name, sizeof(name));
    return name;
  }

 protected:
  ssize_t SendSome(const char* bytes, size_t size) override {
    const int sent = SSL_write(ssl_.get(), bytes, static_cast<int>(size));
    return sent > 0 ? sent : -1;
  }
  ssize_t ReceiveSome(char* out, size_t size) override {
    ERR_clear_error();
    const int got = SSL_read(ssl_.get(), out, static_cast<int>(size));
    if (got > 0) return got;
    const int kind = SSL_get_error(ssl_.get(), got);
    if (kind == SSL_ERROR_ZERO_RETURN) return 0;
    if (kind == SSL_ERROR_SSL) {
      Fail();
      errno = EPROTO;
    } else if (kind == SSL_ERROR_WANT_READ) {
      errno = EAGAIN;  // the socket's patience is over
    }
    return -1;
  }

 private:
  bool Fail() {
    const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
    error_ = reason != nullptr ? reason : "no reason";
    return false;
  }

  const TlsClientContext context_;
  const std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  bool connected_ = false;
  std::string error_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_TEST_TLS_CLIENT_H_
