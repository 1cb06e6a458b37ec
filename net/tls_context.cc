#include "net/tls_context.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/log.h"
#include "base/status.h"

namespace tidemark::net {
namespace {

// Bundles of every public authority have some 200 KB.
constexpr size_t kPemBytesMax = 1 << 20;
// Of TLS 1.2: forward secrecy and authenticated encryption alone. TLS 1.3 has no others.
constexpr char kTls12Ciphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";
// In the form of the extension: each name with its length before it.
constexpr unsigned char kAlpnHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
// A session belongs to this; OpenSSL resumes none of a client with a certificate without it.
constexpr unsigned char kSessionContext[] = "tidemark";

struct FreePem {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* cert) const { X509_free(cert); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using PemReader = std::unique_ptr<BIO, FreePem>;
using Certificate = std::unique_ptr<X509, FreePem>;
using PrivateKey = std::unique_ptr<EVP_PKEY, FreePem>;

absl::Status Unusable(absl::string_view path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("cannot use ", path, ": ", why));
}

// The newest error of this thread's OpenSSL, in its words.
std::string OpensslReason() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "OpenSSL gives no reason";
}

absl::StatusOr<std::string> ReadPemFile(const std::string& path) {
  const auto cannot = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read ", path, ": ", why));
  };
  // Not blocking: a named pipe that nobody writes to must not hold the server.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return cannot(std::strerror(errno));
  const absl::Cleanup close = [fd] { ::close(fd); };
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return cannot("it is not a file that can be read again");
  if (status.st_size > static_cast<off_t>(kPemBytesMax)) return cannot("it is larger than 1 MB");
  // One more than there should be: who finds it filled has read a file that grows.
  std::string text(static_cast<size_t>(status.st_size) + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot(std::strerror(errno));
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  if (size == text.size()) return cannot("it grows while it is read");
  text.resize(size);
  return text;
}

PemReader ReaderOf(const std::string& text) {
  PemReader reader(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  TM_CHECK(reader != nullptr) << "out of memory";
  return reader;
}

// All certificates of the text, one at least.
absl::StatusOr<std::vector<Certificate>> ReadCertificates(const std::string& path, const std::string& text) {
  const PemReader reader = ReaderOf(text);
  std::vector<Certificate> certificates;
  ERR_clear_error();
  while (X509* const cert = PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)) certificates.emplace_back(cert);
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = OpensslReason();
  if (!at_end) return Unusable(path, absl::StrCat("certificate ", certificates.size() + 1, ": ", reason));
  if (certificates.empty()) return Unusable(path, "it holds no certificate in PEM");
  return certificates;
}

absl::StatusOr<PrivateKey> ReadKey(const std::string& path, const std::string& text) {
  const PemReader reader = ReaderOf(text);
  bool encrypted = false;
  // Without this OpenSSL would ask on the terminal.
  const auto no_passphrase = [](char*, int, int, void* asked) {
    *static_cast<bool*>(asked) = true;
    return -1;
  };
  ERR_clear_error();
  PrivateKey key(PEM_read_bio_PrivateKey(reader.get(), nullptr, no_passphrase, &encrypted));
  if (key != nullptr) return key;
  const std::string reason = OpensslReason();
  if (encrypted) return Unusable(path, "the key is encrypted, and there is no passphrase");
  // OpenSSL calls whatever it cannot decode "unsupported".
  const bool none = !absl::StrContains(text, "PRIVATE KEY-----");
  return Unusable(path, none ? "it holds no private key in PEM" : reason);
}

// http/1.1 if the client offers it. One that offers only other protocols is refused, as RFC 7301 has it.
int SelectAlpn(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* offered, unsigned size,
               void*) {
  const int found = SSL_select_next_proto(const_cast<unsigned char**>(out), out_size, kAlpnHttp11, sizeof(kAlpnHttp11),
                                          offered, size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

TlsContext::Generation NewGeneration() {
  TlsContext::Generation context(SSL_CTX_new(TLS_server_method()), [](SSL_CTX* ctx) { SSL_CTX_free(ctx); });
  SSL_CTX* const ctx = context.get();
  TM_CHECK(ctx != nullptr) << "OpenSSL has no TLS: " << OpensslReason();
  TM_CHECK(SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1 && SSL_CTX_set_cipher_list(ctx, kTls12Ciphers) == 1)
      << OpensslReason();
  // An end without close_notify is an end: HTTP itself tells a whole request from half of one.
  SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Buffers of 16 KB for each of ten thousand idle connections would be most of the memory.
  SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  // A record's head and body in one read(2).
  SSL_CTX_set_read_ahead(ctx, 1);
  // Sessions lie in tickets with the client, none here.
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_id_context(ctx, kSessionContext, sizeof(kSessionContext) - 1);
  SSL_CTX_set_num_tickets(ctx, 1);
  SSL_CTX_set_alpn_select_cb(ctx, SelectAlpn, nullptr);
  return context;
}

absl::Status UseCertificate(SSL_CTX* ctx, const std::string& path, const std::vector<Certificate>& chain) {
  if (SSL_CTX_use_certificate(ctx, chain.front().get()) != 1) return Unusable(path, OpensslReason());
  for (size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(ctx, chain[i].get()) != 1) return Unusable(path, OpensslReason());
  }
  return absl::OkStatus();
}

absl::Status UseClientAuthority(SSL_CTX* ctx, const std::string& path, const std::vector<Certificate>& authorities) {
  X509_STORE* const store = SSL_CTX_get_cert_store(ctx);
  for (const Certificate& authority : authorities) {
    if (X509_STORE_add_cert(store, authority.get()) != 1 || SSL_CTX_add_client_CA(ctx, authority.get()) != 1) {
      return Unusable(path, OpensslReason());
    }
  }
  // What stands in the file is trusted, be it signed by another; Go's pools do so.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, nullptr);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<TlsContext>> TlsContext::Load(TlsFiles files, Clock& clock,
                                                             const metrics::NetMetrics& metrics) {
  TM_CHECK(!files.cert_file.empty() && !files.key_file.empty());
  std::shared_ptr<TlsContext> context(new TlsContext(std::move(files), clock, metrics));
  TM_ASSIGN_OR_RETURN(context->loaded_, context->ReadFiles());
  TM_ASSIGN_OR_RETURN(Generation first, context->Build(context->loaded_));
  MutexLock lock(&context->mu_);
  context->current_ = std::move(first);
  return context;
}

absl::StatusOr<TlsContext::Texts> TlsContext::ReadFiles() const {
  Texts texts;
  TM_ASSIGN_OR_RETURN(texts.cert, ReadPemFile(files_.cert_file));
  TM_ASSIGN_OR_RETURN(texts.key, ReadPemFile(files_.key_file));
  if (!files_.client_ca_file.empty()) {
    TM_ASSIGN_OR_RETURN(texts.client_ca, ReadPemFile(files_.client_ca_file));
  }
  return texts;
}

absl::StatusOr<TlsContext::Generation> TlsContext::Build(const Texts& texts) const {
  TM_ASSIGN_OR_RETURN(const std::vector<Certificate> chain, ReadCertificates(files_.cert_file, texts.cert));
  TM_ASSIGN_OR_RETURN(const PrivateKey key, ReadKey(files_.key_file, texts.key));
  if (X509_check_private_key(chain.front().get(), key.get()) != 1) {
    ERR_clear_error();
    return Unusable(files_.key_file, absl::StrCat("it is not the key of the certificate in ", files_.cert_file));
  }
  Generation generation = NewGeneration();
  TM_RETURN_IF_ERROR(UseCertificate(generation.get(), files_.cert_file, chain));
  if (SSL_CTX_use_PrivateKey(generation.get(), key.get()) != 1) return Unusable(files_.key_file, OpensslReason());
  if (!files_.client_ca_file.empty()) {
    TM_ASSIGN_OR_RETURN(const auto authorities, ReadCertificates(files_.client_ca_file, texts.client_ca));
    TM_RETURN_IF_ERROR(UseClientAuthority(generation.get(), files_.client_ca_file, authorities));
  }
  return generation;
}

TlsContext::Generation TlsContext::current() const {
  MutexLock lock(&mu_);
  return current_;
}

void TlsContext::Reload() {
  absl::StatusOr<Texts> texts = ReadFiles();
  if (texts.ok() && *texts == loaded_) return last_error_.clear();
  absl::StatusOr<Generation> next = texts.ok() ? Build(*texts) : absl::StatusOr<Generation>(texts.status());
  if (!next.ok()) {
    metrics_.tls_reload_errors.Increment();
    // The same pair again, or the half of a new one until the other half has come.
    if (next.status().message() == last_error_) return;
    last_error_ = std::string(next.status().message());
    return Log(LogLevel::kError, "the new TLS files cannot be used, the old ones stay", {{"error", last_error_}});
  }
  loaded_ = *std::move(texts);
  last_error_.clear();
  {
    MutexLock lock(&mu_);
    current_.swap(*next);  // the old one goes after the lock
  }
  metrics_.tls_reloads.Increment();
  Log(LogLevel::kInfo, "new TLS files are in use", {{"cert_file", files_.cert_file}});
}

void TlsContext::NoteFailedHandshake(absl::string_view client, absl::string_view error) {
  metrics_.tls_failed_handshakes.Increment();
  uint64_t held_back = 0;
  if (!handshake_gate_.Open(clock_.Now(), &held_back)) return;
  Log(LogLevel::kWarning, "a TLS handshake failed", {{"client", client}, {"error", error}, {"suppressed", held_back}});
}

}  // namespace tidemark::net
