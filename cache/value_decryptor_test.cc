#include "cache/value_decryptor.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cache/test_sealed_value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

using config::EncryptionKey;
using config::EncryptionProvider;
using config::EncryptionProviders;
using Method = config::EncryptionMethod;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kVault[] = "/registry/secrets/default/vault";
constexpr char kPlain[] =
    R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"vault","namespace":"default"},"data":{"a":"Yg=="}})";

const EncryptionKey kKey16 = {"key16", "sixteen byte key"};
const EncryptionKey kKey24 = {"key24", "twenty four bytes of key"};
const EncryptionKey kKey32 = {"key32", "thirty-two bytes make one AES ke"};
const EncryptionKey kBox = {"box", "another thirty-two byte long key"};
const EncryptionProvider kIdentity = {};

struct Form {
  Method method;
  EncryptionKey key;
};
const Form kForms[] = {{Method::kAesCbc, kKey16}, {Method::kAesCbc, kKey24}, {Method::kAesCbc, kKey32},
                       {Method::kAesGcm, kKey16}, {Method::kAesGcm, kKey24}, {Method::kAesGcm, kKey32},
                       {Method::kSecretbox, kBox}};

// The value, or the error's text behind "! ".
std::string Read(const EncryptionProviders* providers, absl::string_view value, absl::string_view key = kVault) {
  std::string scratch;
  const auto read = ValueDecryptor(providers).Read(key, value, &scratch);
  return read.ok() ? std::string(*read) : absl::StrCat("! ", read.status().message());
}
std::string Read(const EncryptionProviders& providers, absl::string_view value, absl::string_view key = kVault) {
  return Read(&providers, value, key);
}

// Where in the value the cipher's part begins.
size_t SealedAt(absl::string_view value, const EncryptionKey& key) {
  const std::string name = absl::StrCat(":", key.name, ":");
  return value.find(name) + name.size();
}

// Each made by kube-apiserver's own transformers (1.36.3) of kPlain at kVault.
TEST(ValueDecryptorTest, ReadsWhatKubeApiserverWrote) {
  struct Row {
    Method method;
    EncryptionKey key;
    const char* value;
  };
  const Row rows[] = {
      {Method::kAesCbc, kKey16,
       "azhzOmVuYzphZXNjYmM6djE6a2V5MTY6vlFO9uPJHmjLSvrYGtM12udVZ+q+Wz7uMsUGiiYZc7ueenYyzxecckH/unvhUuHGUKHf"
       "+l7pAS5fogmoJJhLDhB1AaXp8NC4Q5MWUANLnWqSz65AQos3RBdOVeqK/KRQ3AwEnjm0I9lG8eJ5nTRY6IM0DpAx1f0Lk5wSpxlv"
       "BmI="},
      {Method::kAesCbc, kKey24,
       "azhzOmVuYzphZXNjYmM6djE6a2V5MjQ6TPcV1vgNOMLA87b94L/P9D/QX+ZzPTuUzGuM7YU3MvICyXic1fQBAYmTybWYy+12buoq"
       "JG9Aw7VgFluXH0ZZU7NTqptmNKZ79zQdbRxlTVNE8Wj3u9mYSfKm5xmq62170Gih48Dm2ZtYdmvfHhm0FCTtp6ZJM3YUGIWyjGOa"
       "QWQ="},
      {Method::kAesCbc, kKey32,
       "azhzOmVuYzphZXNjYmM6djE6a2V5MzI6a6FurXVDBDC50kmAPKDrCbkXSM/N+c3Q7755naozc1NAoqhqjNSAZFP0ek7taWrvXs5u"
       "91w8ugLEzMwKDwm6nXal/ylfhODmZwxhM30ctcj/ar7fSlCAMc6OKWYMsNNt2+yXJtteXvILNBT/S+NSdTVZYI6S6xR/ndYyD+Xj"
       "BDM="},
      {Method::kAesGcm, kKey16,
       "azhzOmVuYzphZXNnY206djE6a2V5MTY6PTp8gjIuKvAK1RMYwaQbTKybd5y/N2Pj/XRjBK+4TBdT7/IbtxKR9lj8QxBSB9BUPHIm"
       "znonBO51eB2lcI7YeGvs0q24Krwse4LG1n9+RVK/TiNv7RMyUK+gUcfT/mNZ8f9LawCtB8JtdrqnlBh5GR51MlA1ttHDrxquftQa"
       "CRhyBcrYug=="},
      {Method::kAesGcm, kKey24,
       "azhzOmVuYzphZXNnY206djE6a2V5MjQ6+BHHBZ35CqaqTAm0vUgUEvnjsT54jC9Z0aL3IJx7IVUToISdcK/siHlQzJuh5anArzAd"
       "oX14UkUF0Wn6VZcRwZYYyGjkT1VZDhNu8LkvevbXaihO2chrTd//PwE5/xGZIxMta47GOlcpA45sAzwgLOiHAlgPl2oYDfDbQq1g"
       "MSp9kRJC8A=="},
      {Method::kAesGcm, kKey32,
       "azhzOmVuYzphZXNnY206djE6a2V5MzI6zxZGNAPg0lX4khHd1u1904eQaIGOYfUmXy+NJtJ9V0x7sClxQXy7sVda21hH5v77OA+N"
       "lRFWga8ZJRcBNXKDCDiQAYbyYdzdp3ByELokXuOMRN7txaR2Nl6Oevy51a8ckOT6GZjpE1vOKTm+8C4ZPrbmEY+ocNUwAzE9xFjw"
       "tQpX4mJKpw=="},
      {Method::kSecretbox, kBox,
       "azhzOmVuYzpzZWNyZXRib3g6djE6Ym94Oj8tGjHlflXbj2g0acJrBvRlKTF4F3eV3IFHIvr6PMTSxHzmrf4O9bEY4UqcAkMUAySw"
       "vNIBGuf8F4QXRLDItD3ni4XLikO82AyD1JvpJ36nijWwCJMZQm9psEV2x07yAV3GsctHqpuV3xtsIxfxyhO0x3ppaGiySkzsEy3o"
       "aRlMj17rzi8cgQsQXsGTcNEdJGE="},
  };
  for (const Row& row : rows) {
    std::string value;
    ASSERT_TRUE(absl::Base64Unescape(row.value, &value));
    const EncryptionProviders providers = {{row.method, {row.key}}};
    EXPECT_EQ(Read(providers, value), kPlain) << row.key.name;
    // Only aesgcm's values are bound to their keys in the store.
    if (row.method == Method::kAesGcm) {
      EXPECT_THAT(Read(providers, value, "/registry/secrets/default/vaul"), HasSubstr("has been altered"));
    } else {
      EXPECT_EQ(Read(providers, value, "/registry/secrets/default/other"), kPlain);
    }
  }
}

TEST(ValueDecryptorTest, ReadsEveryLength) {
  for (const Form& form : kForms) {
    const EncryptionProviders providers = {kIdentity, {form.method, {form.key}}};
    std::string plain;
    for (int i = 0; i < 70; ++i, plain.push_back(static_cast<char>(i))) {
      EXPECT_EQ(Read(providers, SealValue(form.method, form.key, kVault, plain)), plain);
    }
    const std::string big(3 << 20, 'x');
    EXPECT_TRUE(Read(providers, SealValue(form.method, form.key, kVault, big)) == big);
  }
}

TEST(ValueDecryptorTest, WhatIsNotEncryptedIsNotCopied) {
  const std::string values[] = {"", kPlain, std::string("k8s\0\n", 5), "k8s:enc", "k8s:encrypted"};
  const EncryptionProviders last = {{Method::kAesCbc, {kKey16}}, kIdentity};
  for (const EncryptionProviders* providers : {static_cast<const EncryptionProviders*>(nullptr), &last}) {
    const ValueDecryptor decryptor(providers);
    for (const std::string& value : values) {
      std::string scratch;
      const auto read = decryptor.Read(kVault, value, &scratch);
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(*read, value);
      EXPECT_EQ(read->data(), value.data());
    }
  }
  const EncryptionProviders without = {{Method::kAesCbc, {kKey16}}};
  for (const std::string& value : values) {
    EXPECT_THAT(Read(without, value), StartsWith("! it is not encrypted, and identity is not among")) << value;
  }
}

TEST(ValueDecryptorTest, EveryTruncationIsAnError) {
  for (const Form& form : kForms) {
    const EncryptionProviders providers = {{form.method, {form.key}}, kIdentity};
    const std::string value = SealValue(form.method, form.key, kVault, kPlain);
    const size_t start = std::string("k8s:enc:").size();
    for (size_t size = start; size < value.size(); ++size) {
      EXPECT_THAT(Read(providers, value.substr(0, size)), StartsWith("! it is encrypted at rest (")) << size;
    }
    for (size_t size = 0; size <= 16; ++size) {
      EXPECT_THAT(Read(providers, value.substr(0, SealedAt(value, form.key) + size)),
                  HasSubstr("decrypted: it is cut short"));
    }
  }
}

TEST(ValueDecryptorTest, EveryAlteredByteIsAnError) {
  for (const Form& form : kForms) {
    const EncryptionProviders providers = {{form.method, {form.key}}, kIdentity};
    const std::string value = SealValue(form.method, form.key, kVault, kPlain);
    for (size_t at = std::string("k8s:enc:").size(); at < value.size(); ++at) {
      // aescbc authenticates nothing: behind the name only the padding is checked.
      const bool name = at < SealedAt(value, form.key);
      for (int bit = 0; bit < 8; ++bit) {
        std::string altered = value;
        altered[at] = static_cast<char>(altered[at] ^ (1 << bit));
        const std::string read = Read(providers, altered);
        if (name || form.method != Method::kAesCbc) {
          EXPECT_THAT(read, StartsWith("! it is encrypted at rest (")) << form.key.name << " " << at;
        } else {
          EXPECT_NE(read, kPlain) << form.key.name << " " << at;
        }
      }
    }
  }
}

TEST(ValueDecryptorTest, AnotherKeyOfTheNameIsAnError) {
  for (const Form& form : kForms) {
    EncryptionKey other = form.key;
    other.secret[0] = static_cast<char>(other.secret[0] ^ 1);
    const std::string value = SealValue(form.method, form.key, kVault, kPlain);
    EXPECT_THAT(
        Read(EncryptionProviders{{form.method, {other}}}, value),
        AllOf(HasSubstr(absl::StrCat(", key \"", form.key.name, "\") and cannot be decrypted: the key is another")),
              testing::Not(HasSubstr(form.key.secret))));
    // Whichever of the two opens it, in one provider or in two.
    EXPECT_EQ(Read(EncryptionProviders{{form.method, {other, form.key}}}, value), kPlain);
    EXPECT_EQ(Read(EncryptionProviders{{form.method, {other}}, kIdentity, {form.method, {form.key}}}, value), kPlain);
  }
}

TEST(ValueDecryptorTest, NamesOfKeysMayHoldColonsAndBeginAlike) {
  const EncryptionKey shorter = {"a", kKey16.secret}, longer = {"a:b", kKey32.secret}, third = {"ab", kKey24.secret};
  const EncryptionProviders providers = {{Method::kAesGcm, {shorter, longer, third}}};
  for (const EncryptionKey& key : providers[0].keys) {
    EXPECT_EQ(Read(providers, SealValue(Method::kAesGcm, key, kVault, kPlain)), kPlain) << key.name;
  }
}

TEST(ValueDecryptorTest, SaysWhatIsMissing) {
  const EncryptionProviders aes = {{Method::kAesCbc, {kKey16}}, {Method::kKmsV2, {}, "plug"}};
  const EncryptionProviders plain = {kIdentity};
  struct Row {
    const EncryptionProviders* providers;
    std::string value;
    const char* error;
  };
  const Row rows[] = {
      {nullptr, "k8s:enc:aescbc:v1:key1:x",
       "! it is encrypted at rest (aescbc), and no --encryption-provider-config gives its key"},
      {nullptr, "k8s:enc:", "! it is encrypted at rest (), and no --encryption-provider-config gives its key"},
      {nullptr, "k8s:enc:kms:v2:plug:x",
       "! it is encrypted at rest (kms v2, plugin \"plug\"), and plugins of a KMS are not asked for keys here"},
      {&aes, "k8s:enc:kms:v1:other:x",
       "! it is encrypted at rest (kms v1, plugin \"other\"), and plugins of a KMS are not asked for keys here"},
      {&aes, "k8s:enc:kms:v2:plug:x",
       "! it is encrypted at rest (kms v2, plugin \"plug\"), and plugins of a KMS are not asked for keys here"},
      {&plain, "k8s:enc:aescbc:v1:key1:x",
       "! it is encrypted at rest (aescbc), and the encryption configuration gives its resource no aescbc v1"},
      {&aes, "k8s:enc:aesgcm:v1:key1:x",
       "! it is encrypted at rest (aesgcm), and the encryption configuration gives its resource no aesgcm v1"},
      {&aes, "k8s:enc:aescbc:v2:key16:x",
       "! it is encrypted at rest (aescbc), and the encryption configuration gives its resource no aescbc v2"},
      {&aes, "k8s:enc:aescbc:v1:key1:x",
       "! it is encrypted at rest (aescbc), and the encryption configuration gives its resource no key \"key1\" for "
       "that"},
      {&aes, "k8s:enc:aescbc:v1:key16",
       "! it is encrypted at rest (aescbc), and the encryption configuration gives its resource no key \"key16\" for "
       "that"},
      {&aes, "k8s:enc:aescbc:v1:\xff\n:x",
       "! it is encrypted at rest (aescbc), and the encryption configuration gives its resource no key \"\\xff\\n\" "
       "for that"},
  };
  for (const Row& row : rows) EXPECT_EQ(Read(row.providers, row.value), row.error);
  EXPECT_LT(Read(nullptr, absl::StrCat("k8s:enc:", std::string(100000, 'x'))).size(), 300U);
}

}  // namespace
}  // namespace tidemark::cache
