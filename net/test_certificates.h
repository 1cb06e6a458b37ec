// TestAuthority signs certificates for tests, made when the test runs; TestPemFiles are the files that a server reads.
//
// Thread-safety: thread-compatible.
// Cost:          a certificate has an EC key (P-256): well below a millisecond.
#ifndef TIDEMARK_NET_TEST_CERTIFICATES_H_
#define TIDEMARK_NET_TEST_CERTIFICATES_H_

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "net/tls_context.h"

namespace tidemark::net {

struct PemPair {
  std::string cert;
  std::string key;
};

class TestAuthority {
 public:
  struct Request {
    std::string name;
    bool for_client = false;
    bool expired = false;
    bool authority = false;
  };

  explicit TestAuthority(const std::string& name) : key_(EVP_EC_gen("P-256"), EVP_PKEY_free) {
    own_ = Sign({.name = name, .authority = true}, key_.get(), nullptr);
  }

  // PEM.
  std::string cert() const { return CertPem(own_.get()); }
  // For 127.0.0.1, or for a client.
  PemPair Issue(const Request& request) const {
    const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    return {CertPem(Sign(request, key.get(), own_.get()).get()), KeyPem(key.get(), nullptr)};
  }
  // An authority below this one.
  TestAuthority IssueAuthority(const std::string& name) const {
    TestAuthority issued(name);
    issued.own_ = Sign({.name = name, .authority = true}, issued.key_.get(), own_.get());
    return issued;
  }

  static std::string EncryptedKey() {
    const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    return KeyPem(key.get(), EVP_aes_128_cbc());
  }

 private:
  using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
  using Cert = std::unique_ptr<X509, void (*)(X509*)>;

  static void Extend(X509* cert, X509* issuer, int nid, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
    TM_CHECK(extension != nullptr && X509_add_ext(cert, extension, -1) == 1) << value;
    X509_EXTENSION_free(extension);
  }
  // `issuer` nullptr: signed by itself.
  Cert Sign(const Request& request, EVP_PKEY* subject_key, X509* issuer) const {
    static long serial = 1;
    Cert cert(X509_new(), X509_free);
    X509_set_version(cert.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), serial++);
    X509_gmtime_adj(X509_getm_notBefore(cert.get()), -7200);
    X509_gmtime_adj(X509_getm_notAfter(cert.get()), request.expired ? -3600 : 86400);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(cert.get()), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(request.name.c_str()), -1, -1, 0);
    X509* const by = issuer != nullptr ? issuer : cert.get();
    X509_set_issuer_name(cert.get(), X509_get_subject_name(by));
    X509_set_pubkey(cert.get(), subject_key);
    if (request.authority) {
      Extend(cert.get(), by, NID_basic_constraints, "critical,CA:TRUE");
    } else {
      Extend(cert.get(), by, NID_ext_key_usage, request.for_client ? "clientAuth" : "serverAuth");
      if (!request.for_client) Extend(cert.get(), by, NID_subject_alt_name, "IP:127.0.0.1");
    }
    TM_CHECK(X509_sign(cert.get(), key_.get(), EVP_sha256()) > 0);
    return cert;
  }
  template <typename Write>
  static std::string Pem(Write write) {
    BIO* const out = BIO_new(BIO_s_mem());
    TM_CHECK(write(out) == 1);
    char* text = nullptr;
    const long size = BIO_get_mem_data(out, &text);
    std::string pem(text, static_cast<size_t>(size));
    BIO_free(out);
    return pem;
  }
  static std::string CertPem(X509* cert) {
    return Pem([&](BIO* out) { return PEM_write_bio_X509(out, cert); });
  }
  static std::string KeyPem(EVP_PKEY* key, const EVP_CIPHER* cipher) {
    char passphrase[] = "secret";
    auto* const secret = cipher != nullptr ? reinterpret_cast<unsigned char*>(passphrase) : nullptr;
    return Pem([&](BIO* out) { return PEM_write_bio_PrivateKey(out, key, cipher, secret, 6, nullptr, nullptr); });
  }

  Key key_;
  Cert own_{nullptr, X509_free};
};

// A folder with tls.crt, tls.key and ca.crt; it goes with the object.
class TestPemFiles {
 public:
  TestPemFiles() { TM_CHECK(::mkdtemp(folder_) != nullptr); }
  explicit TestPemFiles(const PemPair& server) : TestPemFiles() { Write(server); }
  ~TestPemFiles() {
    for (const std::string& path : {cert(), key(), ca()}) ::unlink(path.c_str());
    ::rmdir(folder_);
  }
  TestPemFiles(const TestPemFiles&) = delete;
  TestPemFiles& operator=(const TestPemFiles&) = delete;

  std::string cert() const { return std::string(folder_) + "/tls.crt"; }
  std::string key() const { return std::string(folder_) + "/tls.key"; }
  std::string ca() const { return std::string(folder_) + "/ca.crt"; }
  TlsFiles server() const { return {.cert_file = cert(), .key_file = key()}; }
  TlsFiles with_client_ca() const { return {.cert_file = cert(), .key_file = key(), .client_ca_file = ca()}; }

  void Write(const PemPair& server) const {
    Write(cert(), server.cert);
    Write(key(), server.key);
  }
  static void Write(const std::string& path, absl::string_view text) {
    FILE* const file = std::fopen(path.c_str(), "we");
    TM_CHECK(file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size()) << path;
    std::fclose(file);
  }

 private:
  char folder_[32] = "/tmp/tidemark-pem-XXXXXX";  // mkdtemp puts the folder's own letters in place of the six X
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_TEST_CERTIFICATES_H_
