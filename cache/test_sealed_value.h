// Values as kube-apiserver would have encrypted them, for tests: sealed with the libraries that open them.
//
// Thread-safety: pure functions; the nonces are fixed.
#ifndef TIDEMARK_CACHE_TEST_SEALED_VALUE_H_
#define TIDEMARK_CACHE_TEST_SEALED_VALUE_H_

#include <openssl/evp.h>
#include <sodium.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "config/encryption_config.h"

namespace tidemark::cache {

inline std::string SealAes(bool cbc, const std::string& secret, absl::string_view context, absl::string_view plain) {
  const std::string name = absl::StrCat("AES-", secret.size() * 8, cbc ? "-CBC" : "-GCM");
  const std::string front(cbc ? 16 : 12, '\x17');
  std::string sealed(plain.size() + 32, '\0');
  const auto bytes = [](absl::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); };
  auto* const out = reinterpret_cast<unsigned char*>(sealed.data());
  int bound = 0, written = 0, rest = 0;
  EVP_CIPHER_CTX* const sealing = EVP_CIPHER_CTX_new();
  TM_CHECK(EVP_EncryptInit_ex(sealing, EVP_get_cipherbyname(name.c_str()), nullptr, bytes(secret), bytes(front)) == 1);
  if (!cbc) EVP_EncryptUpdate(sealing, nullptr, &bound, bytes(context), static_cast<int>(context.size()));
  TM_CHECK(EVP_EncryptUpdate(sealing, out, &written, bytes(plain), static_cast<int>(plain.size())) == 1);
  TM_CHECK(EVP_EncryptFinal_ex(sealing, out + written, &rest) == 1);
  sealed.resize(static_cast<size_t>(written + rest));
  std::string tag(cbc ? 0 : 16, '\0');
  if (!cbc) TM_CHECK(EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, 16, tag.data()) == 1);
  EVP_CIPHER_CTX_free(sealing);
  return absl::StrCat(front, sealed, tag);
}

inline std::string SealSecretbox(const std::string& secret, absl::string_view plain) {
  const std::string nonce(crypto_secretbox_NONCEBYTES, '\x17');
  std::string sealed(plain.size() + crypto_secretbox_MACBYTES, '\0');
  const auto bytes = [](absl::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); };
  crypto_secretbox_easy(reinterpret_cast<unsigned char*>(sealed.data()), bytes(plain), plain.size(), bytes(nonce),
                        bytes(secret));
  return absl::StrCat(nonce, sealed);
}

// The whole value, with its prefix. REQUIRES: aescbc, aesgcm or secretbox.
inline std::string SealValue(config::EncryptionMethod method, const config::EncryptionKey& key,
                             absl::string_view etcd_key, absl::string_view plain) {
  using Method = config::EncryptionMethod;
  if (method == Method::kSecretbox) {
    return absl::StrCat("k8s:enc:secretbox:v1:", key.name, ":", SealSecretbox(key.secret, plain));
  }
  const bool cbc = method == Method::kAesCbc;
  return absl::StrCat("k8s:enc:", cbc ? "aescbc" : "aesgcm", ":v1:", key.name, ":",
                      SealAes(cbc, key.secret, etcd_key, plain));
}

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_TEST_SEALED_VALUE_H_
