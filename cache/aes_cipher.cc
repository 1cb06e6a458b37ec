#include "cache/aes_cipher.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <limits>
#include <string>

#include "base/check.h"

namespace tidemark::cache {
namespace {

constexpr size_t kBlockBytes = 16;
constexpr size_t kNonceBytes = 12;
constexpr size_t kTagBytes = 16;
// OpenSSL counts in int.
constexpr size_t kSealedBytesMax = std::numeric_limits<int>::max() - kBlockBytes;

struct FreeCipherContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipherContext>;

const EVP_CIPHER* CipherOf(AesMode mode, size_t secret_bytes) {
  const bool cbc = mode == AesMode::kCbc;
  if (secret_bytes == 16) return cbc ? EVP_aes_128_cbc() : EVP_aes_128_gcm();
  if (secret_bytes == 24) return cbc ? EVP_aes_192_cbc() : EVP_aes_192_gcm();
  return cbc ? EVP_aes_256_cbc() : EVP_aes_256_gcm();
}

const unsigned char* Bytes(absl::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

class AesCipher : public ValueCipher {
 public:
  // The key's schedule is made once; each value copies it.
  AesCipher(AesMode mode, absl::string_view secret) : mode_(mode), keyed_(EVP_CIPHER_CTX_new()) {
    TM_CHECK(secret.size() == 16 || secret.size() == 24 || secret.size() == 32) << secret.size();
    TM_CHECK(keyed_ != nullptr &&
             EVP_DecryptInit_ex(keyed_.get(), CipherOf(mode, secret.size()), nullptr, Bytes(secret), nullptr) == 1)
        << "OpenSSL has no AES";
  }

  absl::Status Open(absl::string_view sealed, absl::string_view context, std::string* plain) const override {
    const bool cbc = mode_ == AesMode::kCbc;
    const size_t front = cbc ? kBlockBytes : kNonceBytes;
    if (sealed.size() < front + (cbc ? kBlockBytes : kTagBytes)) return CutShort();
    if (cbc && sealed.size() % kBlockBytes != 0) return CutShort();
    if (sealed.size() > kSealedBytesMax) return absl::InvalidArgumentError("it is too long");
    CipherContext opening(EVP_CIPHER_CTX_new());
    TM_CHECK(opening != nullptr && EVP_CIPHER_CTX_copy(opening.get(), keyed_.get()) == 1) << "out of memory";
    const absl::string_view start = sealed.substr(0, front);
    sealed.remove_prefix(front);
    const bool opened = EVP_DecryptInit_ex(opening.get(), nullptr, nullptr, nullptr, Bytes(start)) == 1 &&
                        (cbc || Bind(opening.get(), context, &sealed)) && Decrypt(opening.get(), sealed, plain);
    if (opened) return absl::OkStatus();
    // What is left in the thread's queue would be taken for the next caller's.
    ERR_clear_error();
    return WrongKey();
  }

 private:
  // Takes the tag off the end.
  static bool Bind(EVP_CIPHER_CTX* opening, absl::string_view context, absl::string_view* sealed) {
    std::string tag(sealed->substr(sealed->size() - kTagBytes));
    sealed->remove_suffix(kTagBytes);
    int bound = 0;
    return EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()) == 1 &&
           EVP_DecryptUpdate(opening, nullptr, &bound, Bytes(context), static_cast<int>(context.size())) == 1;
  }

  static bool Decrypt(EVP_CIPHER_CTX* opening, absl::string_view sealed, std::string* plain) {
    plain->resize(sealed.size() + kBlockBytes);
    auto* const out = reinterpret_cast<unsigned char*>(plain->data());
    int written = 0, rest = 0;
    if (EVP_DecryptUpdate(opening, out, &written, Bytes(sealed), static_cast<int>(sealed.size())) != 1) return false;
    if (EVP_DecryptFinal_ex(opening, out + written, &rest) != 1) return false;
    plain->resize(static_cast<size_t>(written) + static_cast<size_t>(rest));
    return true;
  }

  const AesMode mode_;
  const CipherContext keyed_;
};

}  // namespace

std::unique_ptr<const ValueCipher> MakeAesCipher(AesMode mode, absl::string_view secret) {
  return std::make_unique<const AesCipher>(mode, secret);
}

}  // namespace tidemark::cache
