// TlsPeer is a TLS client without a socket, for tests: whoever has it carries the bytes.
//
// Thread-safety: thread-compatible.
#ifndef TIDEMARK_NET_TEST_TLS_PEER_H_
#define TIDEMARK_NET_TEST_TLS_PEER_H_

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "net/test_certificates.h"

namespace tidemark::net {

struct TlsClientOptions {
  std::string ca;    // PEM; empty: any server is believed
  PemPair identity;  // empty: no certificate is shown
  int version = 0;   // TLS1_2_VERSION; 0: the highest that both have
  std::string alpn = "http/1.1";
};

using TlsClientContext = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

inline TlsClientContext NewTlsClientContext(const TlsClientOptions& options) {
  TlsClientContext context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SSL_CTX* const ctx = context.get();
  // What the server must not take is offered too.
  SSL_CTX_set_security_level(ctx, 0);
  SSL_CTX_set_max_cert_list(ctx, 1 << 20);
  if (options.version != 0) {
    SSL_CTX_set_min_proto_version(ctx, options.version);
    SSL_CTX_set_max_proto_version(ctx, options.version);
  }
  const auto reader = [](const std::string& text) {
    return BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  };
  if (!options.ca.empty()) {
    BIO* const bio = reader(options.ca);
    X509* const ca = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    TM_CHECK(X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), ca) == 1);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, nullptr);
    X509_free(ca);
    BIO_free(bio);
  }
  if (!options.identity.cert.empty()) {
    BIO* const cert_bio = reader(options.identity.cert);
    BIO* const key_bio = reader(options.identity.key);
    X509* const cert = PEM_read_bio_X509(cert_bio, nullptr, nullptr, nullptr);
    EVP_PKEY* const key = PEM_read_bio_PrivateKey(key_bio, nullptr, nullptr, nullptr);
    TM_CHECK(SSL_CTX_use_certificate(ctx, cert) == 1 && SSL_CTX_use_PrivateKey(ctx, key) == 1);
    X509_free(cert);
    EVP_PKEY_free(key);
    BIO_free(cert_bio);
    BIO_free(key_bio);
  }
  const std::string alpn = std::string(1, static_cast<char>(options.alpn.size())) + options.alpn;
  if (!options.alpn.empty()) {
    SSL_CTX_set_alpn_protos(ctx, reinterpret_cast<const unsigned char*>(alpn.data()),
                            static_cast<unsigned>(alpn.size()));
  }
  return context;
}

class TlsPeer {
 public:
  explicit TlsPeer(const TlsClientOptions& options = {})
      : context_(NewTlsClientContext(options)), ssl_(SSL_new(context_.get()), SSL_free) {
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    BIO_set_mem_eof_return(in_, -1);
    SSL_set_bio(ssl_.get(), in_, out_);
    SSL_set_connect_state(ssl_.get());
  }

  bool connected() const { return SSL_is_init_finished(ssl_.get()); }
  bool ended() const { return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }

  // Takes what the server has sent; returns the text in it.
  std::string Receive(absl::string_view wire) {
    if (!wire.empty()) BIO_write(in_, wire.data(), static_cast<int>(wire.size()));
    std::string text;
    char piece[4096];
    while (true) {
      ERR_clear_error();
      const int got = SSL_read(ssl_.get(), piece, sizeof(piece));
      if (got <= 0) return text;
      text.append(piece, static_cast<size_t>(got));
    }
  }
  // REQUIRES: connected().
  void Send(absl::string_view text) {
    TM_CHECK(SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) == static_cast<int>(text.size()));
  }
  void SendCloseNotify() { SSL_shutdown(ssl_.get()); }
  // Changes the keys, and asks the server to do so. REQUIRES: TLS 1.3.
  void RequestNewKeys() {
    TM_CHECK(SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(ssl_.get()) == 1);
  }
  // Asks for another handshake. REQUIRES: TLS 1.2.
  void RequestHandshake() {
    TM_CHECK(SSL_renegotiate(ssl_.get()) == 1);
    SSL_do_handshake(ssl_.get());
  }
  // What goes to the server; begins the handshake.
  std::string TakeWire() {
    if (!connected()) {
      ERR_clear_error();
      SSL_do_handshake(ssl_.get());
    }
    std::string wire(BIO_ctrl_pending(out_), '\0');
    if (!wire.empty()) TM_CHECK(BIO_read(out_, wire.data(), static_cast<int>(wire.size())) > 0);
    return wire;
  }

 private:
  const TlsClientContext context_;
  const std::unique_ptr<SSL, void (*)(SSL*)> ssl_;  // owns the two below
  BIO* in_ = nullptr;
  BIO* out_ = nullptr;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_TEST_TLS_PEER_H_
