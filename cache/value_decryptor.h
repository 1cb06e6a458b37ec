// ValueDecryptor reads the values of one resource that kube-apiserver may have encrypted at rest.
//
//   "k8s:enc:aesgcm:v1:" key name ":" what the cipher made     (aescbc, aesgcm, secretbox)
//   "k8s:enc:kms:v2:" name of the plugin ":" ...               cannot be read here
//   anything else                                              not encrypted
//
// The providers are tried in their order, those of the value's method alone, and of their keys those of the value's key name;
// the first that opens it wins. What is not encrypted is read when identity is among the providers, wherever it stands.
//
//   ValueDecryptor decryptor(resource.encryption);
//   TM_ASSIGN_OR_RETURN(absl::string_view plain, decryptor.Read("/registry/secrets/default/vault", value, &scratch));
//
// Thread-safety: immutable.
// Ownership:     what Read returns is a view of `value`, or of the scratch string.
// Errors:        kInvalidArgument whose message is a sentence about the value ("it is encrypted at rest (aescbc), ..."). Key names
//                are shown in it, keys never.
// Cost:          nothing for what is not encrypted: no copy.
// Source:        kube-apiserver 1.36.3's transformers.
#ifndef TIDEMARK_CACHE_VALUE_DECRYPTOR_H_
#define TIDEMARK_CACHE_VALUE_DECRYPTOR_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cache/value_cipher.h"
#include "config/encryption_config.h"

namespace tidemark::cache {

class ValueDecryptor {
 public:
  // nullptr: no configuration was given.
  explicit ValueDecryptor(const config::EncryptionProviders* providers);

  // `etcd_key` is whole: aesgcm's values are bound to it.
  absl::StatusOr<absl::string_view> Read(absl::string_view etcd_key, absl::string_view value,
                                         std::string* scratch) const;

 private:
  struct Key {
    std::string prefix;  // name and colon
    std::unique_ptr<const ValueCipher> cipher;
  };
  struct Provider {
    absl::string_view prefix;  // "k8s:enc:aescbc:v1:"
    std::vector<Key> keys;
  };

  absl::StatusOr<absl::string_view> Decrypt(absl::string_view etcd_key, absl::string_view value,
                                            std::string* scratch) const;

  bool configured_;
  bool plain_allowed_;
  std::vector<Provider> providers_;  // those that have keys
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_VALUE_DECRYPTOR_H_
