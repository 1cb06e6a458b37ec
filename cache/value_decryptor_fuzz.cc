// Any value is read or refused with a reason. What was sealed comes out as it was; with one byte altered, what authenticates says
// so, and aescbc at least does not crash.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "cache/test_sealed_value.h"
#include "cache/value_decryptor.h"

namespace {

using tidemark::cache::SealValue;
using tidemark::cache::ValueDecryptor;
using Method = tidemark::config::EncryptionMethod;

constexpr char kKey[] = "/registry/secrets/default/vault";

const tidemark::config::EncryptionProviders& Providers() {
  static const auto* const providers = new tidemark::config::EncryptionProviders{
      {Method::kAesCbc, {{"k", "sixteen byte key"}, {"k:l", "twenty four bytes of key"}}},
      {Method::kAesGcm, {{"k", "twenty four bytes of key"}}},
      {Method::kSecretbox, {{"k", "another thirty-two byte long key"}}},
      {Method::kKmsV2, {}, "plug"},
      {}};
  return *providers;
}

// The same without identity: nothing is read that is not encrypted.
const tidemark::config::EncryptionProviders& ProvidersWithoutIdentity() {
  static const auto* const providers =
      new tidemark::config::EncryptionProviders(Providers().begin(), std::prev(Providers().end()));
  return *providers;
}

// Any value, as it is and behind each prefix.
void CheckAny(const ValueDecryptor& decryptor, bool plain_allowed, absl::string_view value) {
  static constexpr absl::string_view kPrefixes[] = {"",
                                                    "k8s:enc:",
                                                    "k8s:enc:aescbc:v1:k:",
                                                    "k8s:enc:aescbc:v1:k:l:",
                                                    "k8s:enc:aesgcm:v1:k:",
                                                    "k8s:enc:secretbox:v1:k:",
                                                    "k8s:enc:kms:v1:plug:",
                                                    "k8s:enc:kms:v2:plug:"};
  for (const absl::string_view prefix : kPrefixes) {
    const std::string whole = absl::StrCat(prefix, value);
    std::string scratch;
    const auto read = decryptor.Read(kKey, whole, &scratch);
    if (!absl::StartsWith(whole, "k8s:enc:")) {
      TM_CHECK(read.ok() == plain_allowed && (!read.ok() || *read == whole)) << whole;
      TM_CHECK(!read.ok() || read->data() == whole.data()) << "a copy";
    }
    if (absl::StartsWith(whole, "k8s:enc:kms:")) TM_CHECK(!read.ok()) << whole;
    if (!read.ok()) TM_CHECK(!read.status().message().empty() && read.status().message().size() < 1000) << whole;
  }
}

// `at` chooses the byte, `bits` how it is altered.
void CheckSealed(const ValueDecryptor& decryptor, absl::string_view plain, size_t at, uint8_t bits) {
  for (const auto& provider : Providers()) {
    for (const auto& key : provider.keys) {
      std::string value = SealValue(provider.method, key, kKey, plain);
      std::string scratch;
      const auto read = decryptor.Read(kKey, value, &scratch);
      TM_CHECK(read.ok() && *read == plain) << read.status();
      const size_t name_end = value.find(absl::StrCat(":", key.name, ":")) + key.name.size() + 2;
      const size_t altered = name_end + at % (value.size() - name_end);
      value[altered] = static_cast<char>(value[altered] ^ bits);
      std::string other;
      const auto tampered = decryptor.Read(kKey, value, &other);
      if (bits == 0 || provider.method == Method::kAesCbc) continue;
      TM_CHECK(!tampered.ok()) << "an altered value was read";
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const decryptor = new ValueDecryptor(&Providers());
  static const auto* const strict = new ValueDecryptor(&ProvidersWithoutIdentity());
  static const auto* const unconfigured = new ValueDecryptor(nullptr);
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  CheckAny(*decryptor, /*plain_allowed=*/true, text);
  CheckAny(*strict, /*plain_allowed=*/false, text);
  CheckAny(*unconfigured, /*plain_allowed=*/true, text);
  if (size > 3) CheckSealed(*decryptor, text.substr(3), (size_t{data[0]} << 8) + data[1], data[2]);
  return 0;
}
