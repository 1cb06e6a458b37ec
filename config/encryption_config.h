// The file of --encryption-provider-config: how kube-apiserver encrypts what it stores, in the form that kube-apiserver reads.
//
//   apiVersion: apiserver.config.k8s.io/v1
//   kind: EncryptionConfiguration
//   resources:
//   - resources: [secrets, '*.apps']
//     providers:
//     - aescbc: {keys: [{name: key1, secret: c2l4dGVlbiBieXRlIGtleQ==}]}
//     - identity: {}
//
// A resource's providers are those of the entries that name it, in the order of the file; without one those of `*.GROUP`
// (`*.` is the core group), then of `*.*`. An entry behind a wildcard that covers it is refused.
//
// Thread-safety: pure, but for reading the file; EncryptionConfig is immutable.
// Errors:        kInvalidArgument that names the file and the place in it: resources[0].providers[1].aescbc.keys[0].secret. No
//                error shows a secret. Nothing throws.
// Limits:        1 MB. Of a file with more than one document none is taken.
// Source:        kube-apiserver 1.36.3: the same files are taken and refused, but that kms providers are not checked beyond
//                their members and names, and that a second document is refused.
#ifndef TIDEMARK_CONFIG_ENCRYPTION_CONFIG_H_
#define TIDEMARK_CONFIG_ENCRYPTION_CONFIG_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::config {

enum class EncryptionMethod { kIdentity, kAesCbc, kAesGcm, kSecretbox, kKmsV1, kKmsV2 };

struct EncryptionKey {
  std::string name;    // not empty
  std::string secret;  // its bytes: 16, 24 or 32 for AES, 32 for secretbox
};

struct EncryptionProvider {
  EncryptionMethod method = EncryptionMethod::kIdentity;
  std::vector<EncryptionKey> keys;  // in the order in which they are tried; none for identity and kms
  std::string kms_name;
};

using EncryptionProviders = std::vector<EncryptionProvider>;

class EncryptionConfig {
 public:
  // A resource without an entry is not encrypted: identity alone. Never null.
  std::shared_ptr<const EncryptionProviders> ProvidersOf(absl::string_view group, absl::string_view plural) const;

  // Takes the providers for "secrets", "deployments.apps", "*.", "*.GROUP" or "*.*".
  absl::Status Add(absl::string_view resource, const EncryptionProviders& providers);

 private:
  using GroupResource = std::pair<std::string, std::string>;
  std::map<GroupResource, std::shared_ptr<EncryptionProviders>> rules_;
};

// `text` is the file's content.
absl::StatusOr<EncryptionConfig> ParseEncryptionConfig(absl::string_view text);
absl::StatusOr<EncryptionConfig> ReadEncryptionConfig(const std::string& path);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_ENCRYPTION_CONFIG_H_
