// NaCl's secretbox (XSalsa20 and Poly1305) as kube-apiserver seals values with it: 24 bytes of nonce, 16 bytes of tag, the text.
// A value is bound to nothing: it opens at another key of the store too. The only door to libsodium.
//
// Thread-safety: immutable.
// Errors:        see cache/value_cipher.h.
// Cost:          0.6 us, and 0.8 us for each KB.
#ifndef TIDEMARK_CACHE_SECRETBOX_CIPHER_H_
#define TIDEMARK_CACHE_SECRETBOX_CIPHER_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "cache/value_cipher.h"

namespace tidemark::cache {

// REQUIRES: a secret of 32 bytes.
std::unique_ptr<const ValueCipher> MakeSecretboxCipher(absl::string_view secret);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_SECRETBOX_CIPHER_H_
