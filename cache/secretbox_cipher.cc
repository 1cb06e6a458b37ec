#include "cache/secretbox_cipher.h"

#include <sodium.h>

#include <string>

#include "base/check.h"

namespace tidemark::cache {
namespace {

const unsigned char* UnsignedBytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

class SecretboxCipher : public ValueCipher {
 public:
  explicit SecretboxCipher(absl::string_view secret) : secret_(secret) {
    TM_CHECK(secret.size() == crypto_secretbox_KEYBYTES) << secret.size();
    TM_CHECK(sodium_init() >= 0) << "libsodium cannot start";
  }

  absl::Status Open(absl::string_view sealed, absl::string_view, std::string* plain) const override {
    if (sealed.size() < crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES) return CutShort();
    const absl::string_view nonce = sealed.substr(0, crypto_secretbox_NONCEBYTES);
    sealed.remove_prefix(crypto_secretbox_NONCEBYTES);
    plain->resize(sealed.size() - crypto_secretbox_MACBYTES);
    const int failed =
        crypto_secretbox_open_easy(reinterpret_cast<unsigned char*>(plain->data()), UnsignedBytes(sealed),
                                   sealed.size(), UnsignedBytes(nonce), UnsignedBytes(secret_));
    return failed == 0 ? absl::OkStatus() : WrongKey();
  }

 private:
  const std::string secret_;
};

}  // namespace

std::unique_ptr<const ValueCipher> MakeSecretboxCipher(absl::string_view secret) {
  return std::make_unique<const SecretboxCipher>(secret);
}

}  // namespace tidemark::cache
