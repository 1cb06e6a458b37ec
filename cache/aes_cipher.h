// AES as kube-apiserver seals values with it. The only door to OpenSSL's ciphers.
//
//   aescbc   16 bytes of IV, then whole blocks, padded as PKCS #7 says. Nothing is authenticated: an altered value can come out
//            as other bytes, and a value of one key in the store opens at another.
//   aesgcm   12 bytes of nonce, the text, 16 bytes of tag; bound to the value's key in the store.
//
// Thread-safety: immutable.
// Errors:        see cache/value_cipher.h.
// Cost:          0.3 us, and 0.2 us for each KB.
#ifndef TIDEMARK_CACHE_AES_CIPHER_H_
#define TIDEMARK_CACHE_AES_CIPHER_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "cache/value_cipher.h"

namespace tidemark::cache {

enum class AesMode { kCbc, kGcm };

// REQUIRES: a secret of 16, 24 or 32 bytes.
std::unique_ptr<const ValueCipher> MakeAesCipher(AesMode mode, absl::string_view secret);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_AES_CIPHER_H_
