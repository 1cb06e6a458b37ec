#include "cache/value_decryptor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "cache/aes_cipher.h"
#include "cache/secretbox_cipher.h"

namespace tidemark::cache {
namespace {

constexpr absl::string_view kEncrypted = "k8s:enc:";
// What of a value's own words is shown in an error.
constexpr size_t kWordShownMax = 64;

absl::string_view PrefixOf(config::EncryptionMethod method) {
  if (method == config::EncryptionMethod::kSecretbox) return "k8s:enc:secretbox:v1:";
  return method == config::EncryptionMethod::kAesCbc ? "k8s:enc:aescbc:v1:" : "k8s:enc:aesgcm:v1:";
}

std::unique_ptr<const ValueCipher> MakeCipher(config::EncryptionMethod method, absl::string_view secret) {
  if (method == config::EncryptionMethod::kSecretbox) return MakeSecretboxCipher(secret);
  return MakeAesCipher(method == config::EncryptionMethod::kAesCbc ? AesMode::kCbc : AesMode::kGcm, secret);
}

// Takes the next word and its colon off the front. Shown in errors, which are text.
std::string TakeWord(absl::string_view* rest) {
  const size_t end = std::min(rest->find(':'), rest->size());
  const std::string word = absl::CHexEscape(rest->substr(0, std::min(end, kWordShownMax)));
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return word;
}

// What the value says of itself.
struct Label {
  std::string method;   // "aescbc"
  std::string version;  // "v1"
  std::string name;     // of the key, or of the kms plugin
};

Label LabelOf(absl::string_view value) {
  absl::ConsumePrefix(&value, kEncrypted);
  Label label;
  label.method = TakeWord(&value);
  label.version = TakeWord(&value);
  label.name = TakeWord(&value);
  return label;
}

absl::Status Unreadable(absl::string_view how, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("it is encrypted at rest (", how, ")", why));
}

}  // namespace

ValueDecryptor::ValueDecryptor(const config::EncryptionProviders* providers)
    : configured_(providers != nullptr), plain_allowed_(providers == nullptr) {
  if (providers == nullptr) return;
  for (const config::EncryptionProvider& given : *providers) {
    if (given.method == config::EncryptionMethod::kIdentity) plain_allowed_ = true;
    if (given.keys.empty()) continue;
    Provider provider;
    provider.prefix = PrefixOf(given.method);
    for (const config::EncryptionKey& key : given.keys) {
      provider.keys.push_back({absl::StrCat(key.name, ":"), MakeCipher(given.method, key.secret)});
    }
    providers_.push_back(std::move(provider));
  }
}

absl::StatusOr<absl::string_view> ValueDecryptor::Read(absl::string_view etcd_key, absl::string_view value,
                                                       std::string* scratch) const {
  if (absl::StartsWith(value, kEncrypted)) return Decrypt(etcd_key, value, scratch);
  if (plain_allowed_) return value;
  return absl::InvalidArgumentError(
      "it is not encrypted, and identity is not among the providers that the encryption configuration gives its "
      "resource");
}

absl::StatusOr<absl::string_view> ValueDecryptor::Decrypt(absl::string_view etcd_key, absl::string_view value,
                                                          std::string* scratch) const {
  bool provided = false;
  absl::Status failure;
  for (const Provider& provider : providers_) {
    absl::string_view named = value;
    if (!absl::ConsumePrefix(&named, provider.prefix)) continue;
    provided = true;
    for (const Key& key : provider.keys) {
      absl::string_view sealed = named;
      if (!absl::ConsumePrefix(&sealed, key.prefix)) continue;
      const absl::Status opened = key.cipher->Open(sealed, etcd_key, scratch);
      if (opened.ok()) return *scratch;
      failure.Update(opened);
    }
  }
  const Label label = LabelOf(value);
  if (label.method == "kms") {
    return Unreadable(absl::StrCat("kms ", label.version, ", plugin \"", label.name, "\""),
                      ", and plugins of a KMS are not asked for keys here");
  }
  if (!configured_) return Unreadable(label.method, ", and no --encryption-provider-config gives its key");
  if (!provided) {
    return Unreadable(label.method, absl::StrCat(", and the encryption configuration gives its resource no ",
                                                 label.method, " ", label.version));
  }
  if (failure.ok()) {
    return Unreadable(label.method, absl::StrCat(", and the encryption configuration gives its resource no key \"",
                                                 label.name, "\" for that"));
  }
  return Unreadable(absl::StrCat(label.method, ", key \"", label.name, "\""),
                    absl::StrCat(" and cannot be decrypted: ", failure.message()));
}

}  // namespace tidemark::cache
