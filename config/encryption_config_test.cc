#include "config/encryption_config.h"

#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::config {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kHead[] = "kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\n";
// 16, 24 and 32 bytes.
constexpr char kSecret16[] = "c2l4dGVlbiBieXRlIGtleQ==";
constexpr char kSecret24[] = "dHdlbnR5IGZvdXIgYnl0ZXMgb2Yga2V5";
constexpr char kSecret32[] = "dGhpcnR5LXR3byBieXRlcyBtYWtlIG9uZSBBRVMga2U=";

std::string Error(const std::string& text) {
  const auto config = ParseEncryptionConfig(text);
  return config.ok() ? "OK" : std::string(config.status().message());
}

// A configuration of entries, each resources and providers.
std::string Rules(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string text = absl::StrCat(kHead, "resources:\n");
  for (const auto& [resources, providers] : entries) {
    absl::StrAppend(&text, "- resources: [", resources, "]\n  providers: [", providers, "]\n");
  }
  return text;
}

std::string Keys(absl::string_view method, absl::string_view name, absl::string_view secret) {
  return absl::StrCat("{", method, ": {keys: [{name: ", name, ", secret: ", secret, "}]}}");
}

// The names of the first key of each provider; "identity" without keys.
std::string Providers(const EncryptionConfig& config, absl::string_view group, absl::string_view plural) {
  std::string names;
  const auto providers = config.ProvidersOf(group, plural);
  for (const EncryptionProvider& provider : *providers) {
    absl::StrAppend(&names, names.empty() ? "" : " ", provider.keys.empty() ? "identity" : provider.keys[0].name);
  }
  return names;
}

TEST(EncryptionConfigTest, EveryKindOfProviderIsRead) {
  const auto config = ParseEncryptionConfig(absl::StrCat(kHead, R"(
resources:
- resources: [secrets]
  providers:
  - aescbc:
      keys:
      - {name: one, secret: )",
                                                         kSecret16, R"(}
      - {name: two, secret: )",
                                                         kSecret24, R"(}
  - aesgcm: {keys: [{name: three, secret: )",
                                                         kSecret32, R"(}]}
  - secretbox: {keys: [{name: four, secret: )",
                                                         kSecret32, R"(}]}
  - kms: {name: old, endpoint: 'unix:///tmp/kms.sock', cachesize: 10, timeout: 3s}
  - kms: {apiVersion: v2, name: new, endpoint: 'unix:///tmp/kms.sock'}
  - identity: {}
)"));
  ASSERT_TRUE(config.ok()) << config.status();
  const EncryptionProviders& providers = *config->ProvidersOf("", "secrets");
  ASSERT_EQ(providers.size(), 6U);
  EXPECT_EQ(providers[0].method, EncryptionMethod::kAesCbc);
  ASSERT_EQ(providers[0].keys.size(), 2U);
  EXPECT_EQ(providers[0].keys[0].name, "one");
  EXPECT_EQ(providers[0].keys[0].secret, "sixteen byte key");
  EXPECT_EQ(providers[0].keys[1].secret, "twenty four bytes of key");
  EXPECT_EQ(providers[1].method, EncryptionMethod::kAesGcm);
  EXPECT_EQ(providers[1].keys[0].secret, "thirty-two bytes make one AES ke");
  EXPECT_EQ(providers[2].method, EncryptionMethod::kSecretbox);
  EXPECT_EQ(providers[3].method, EncryptionMethod::kKmsV1);
  EXPECT_EQ(providers[3].kms_name, "old");
  EXPECT_EQ(providers[4].method, EncryptionMethod::kKmsV2);
  EXPECT_EQ(providers[5].method, EncryptionMethod::kIdentity);
}

TEST(EncryptionConfigTest, TheMostExactRuleWinsAndEntriesOfOneNameAddUp) {
  const std::string a = Keys("aescbc", "a", kSecret16), b = Keys("aesgcm", "b", kSecret32),
                    c = Keys("secretbox", "c", kSecret32), d = Keys("aescbc", "d", kSecret24);
  const auto config = ParseEncryptionConfig(Rules({{"secrets, pandas.bears.example", a},
                                                   {"secrets", b + ", {identity: {}}"},
                                                   {"'*.apps', '*.'", c},
                                                   {"'*.*'", d}}));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(Providers(*config, "", "secrets"), "a b identity");
  EXPECT_EQ(Providers(*config, "bears.example", "pandas"), "a");
  EXPECT_EQ(Providers(*config, "bears.example", "others"), "d");
  EXPECT_EQ(Providers(*config, "", "configmaps"), "c");
  EXPECT_EQ(Providers(*config, "apps", "deployments"), "c");
  EXPECT_EQ(Providers(*config, "batch", "secrets"), "d");
}

TEST(EncryptionConfigTest, AResourceWithoutARuleIsNotEncrypted) {
  const auto config = ParseEncryptionConfig(Rules({{"secrets.", Keys("aescbc", "a", kSecret16)}}));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(Providers(*config, "", "secrets"), "a");
  EXPECT_EQ(Providers(*config, "", "pods"), "identity");
  EXPECT_EQ(Providers(*config, "apps", "secrets"), "identity");
}

TEST(EncryptionConfigTest, TheOldKindJsonAndBrokenBase64LinesAreTaken) {
  EXPECT_EQ(Error("kind: EncryptionConfig\napiVersion: v1\nresources: [{resources: [a], providers: [{identity: {}}]}]"),
            "OK");
  EXPECT_EQ(Error(R"({"kind": "EncryptionConfiguration", "apiVersion": "apiserver.config.k8s.io/v1",
                      "resources": [{"resources": ["a"], "providers": [{"identity": {}}]}]})"),
            "OK");
  EXPECT_EQ(Error(Rules({{"a", Keys("aescbc", "k", "\"c2l4dGVlbiBi\\neXRlIGtleQ==\"")}})), "OK");
  // Its own prefix tells the longer name apart.
  EXPECT_EQ(Error(Rules({{"a", Keys("aescbc", "'k:l'", kSecret16)}})), "OK");
}

TEST(EncryptionConfigTest, MistakesInTheFrame) {
  struct Row {
    std::string text;
    const char* error;
  };
  const std::string good = "resources: [{resources: [a], providers: [{identity: {}}]}]\n";
  const Row rows[] = {
      {"", "one document is wanted, it has 0"},
      {kHead + good + "---\na: b\n", "one document is wanted, it has 2"},
      {"- a", "an EncryptionConfiguration is wanted"},
      {"a: [", "line"},
      {"kind: EncryptionConfiguration\n" + good, "apiVersion: it is missing"},
      {"apiVersion: v1\n" + good, "kind: it is missing"},
      {"apiVersion: v1\nkind: EncryptionConfiguration\n" + good, "this is v1 EncryptionConfiguration; apiserver"},
      {"apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfig\n" + good, "this is apiserver.config.k8s.io/v1"},
      {"apiVersion: 1\nkind: EncryptionConfig\n" + good, "apiVersion: it must be text"},
      {kHead, "resources: it must have at least one entry"},
      {absl::StrCat(kHead, "resources: []"), "resources: it must have at least one entry"},
      {absl::StrCat(kHead, "resources: {}"), "resources: it must be a list"},
      {absl::StrCat(kHead, "resources: [7]"), "resources[0]: it must be an object"},
      {absl::StrCat(kHead, good, "metadata: {}"), "metadata: it is not known"},
      {absl::StrCat(kHead, good, good), "\"resources\" is given twice"},
  };
  for (const Row& row : rows) EXPECT_THAT(Error(row.text), HasSubstr(row.error)) << row.text;
}

TEST(EncryptionConfigTest, MistakesInTheNames) {
  struct Row {
    const char* names;
    const char* error;
  };
  const Row rows[] = {
      {"", "resources[0].resources: it must have at least one entry"},
      {"7", "resources[0].resources[0]: it must be text"},
      {"a, Secrets", "resources[0].resources[1]: \"Secrets\": it must be in lower case"},
      {"'*'", "'*.' is the core group"},
      {"apiserveripinfo", "it is no resource of the API"},
      {"serviceipallocations", "it is no resource of the API"},
      {"servicenodeportallocations", "it is no resource of the API"},
      {"events.events.k8s.io", "'events'"},
      {"deployments.extensions", "the group does not exist any more"},
      {"'secrets.*'", "needs '*' as the resource"},
      {"secrets, a, secrets", "resources[0].resources: \"secrets\" is given twice"},
      {"secrets, secrets.", "is given twice"},
      {"secrets, '*.'", "resources[0].resources: \"*.\" covers \"secrets\""},
      {"'*.apps', deployments.apps", "\"*.apps\" covers \"deployments.apps\""},
      {"'*.*', a.b", "\"*.*\" covers \"a.b\""},
  };
  for (const Row& row : rows) EXPECT_THAT(Error(Rules({{row.names, "{identity: {}}"}})), HasSubstr(row.error));
  const std::string plain = "{identity: {}}";
  EXPECT_EQ(Error(Rules({{"'*.*'", plain}, {"secrets", plain}})),
            "resources[1].resources: \"secrets\" comes behind \"*.*\", which covers it");
  EXPECT_EQ(Error(Rules({{"'*.'", plain}, {"a.b, secrets", plain}})),
            "resources[1].resources: \"secrets\" comes behind \"*.\", which covers it");
  EXPECT_EQ(Error(Rules({{"'*.'", plain}, {"'*.'", plain}})),
            "resources[1].resources: \"*.\" comes behind \"*.\", which covers it");
  EXPECT_EQ(Error(Rules({{"secrets, a.b", plain}, {"'*.b', '*.'", plain}, {"'*.*'", plain}})), "OK");
}

TEST(EncryptionConfigTest, MistakesInTheProviders) {
  struct Row {
    std::string providers;
    const char* error;
  };
  const Row rows[] = {
      {"", "resources[0].providers: it must have at least one entry"},
      {"identity", "resources[0].providers[0]: it must be an object"},
      {"{}", "resources[0].providers[0]: one of identity: {}, aescbc"},
      {"{identity: }", "resources[0].providers[0]: one of identity: {}, aescbc"},
      {"{Identity: {}}", "resources[0].providers[0].Identity: it is not known"},
      {"{identity: {a: b}}", "resources[0].providers[0].identity.a: it is not known"},
      {"{identity: {}}, {identity: {}, kms: {}}",
       "resources[0].providers[1]: identity and kms must be entries of their"},
      {"{aescbc: {}}", "resources[0].providers[0].aescbc.keys: it must have at least one entry"},
      {"{aescbc: {keys: []}}", "resources[0].providers[0].aescbc.keys: it must have at least one entry"},
      {"{aescbc: {keys: [a]}}", "resources[0].providers[0].aescbc.keys[0]: it must be an object"},
      {"{aescbc: {keys: [{secret: a}]}}", "aescbc.keys[0].name: it is missing"},
      {"{aescbc: {keys: [{name: a}]}}", "aescbc.keys[0].secret: it is missing"},
      {"{aescbc: {keys: [{name: 1, secret: a}]}}", "aescbc.keys[0].name: it must be text"},
      {"{aescbc: {keys: [{name: a, secrets: a}]}}", "aescbc.keys[0].secrets: it is not known"},
      {Keys("aesgcm", "a", "c2l4dGVlbiBieXRlIGtleQ"), "aesgcm.keys[0].secret: it must be base64"},
      {Keys("aesgcm", "a", "c2l4dGVlbiBieXRlIGtl-Q=="), "aesgcm.keys[0].secret: it must be base64"},
      {Keys("aesgcm", "a", "\"c2l4dGVlbiBieXRlIGt eQ===\""), "aesgcm.keys[0].secret: it must be base64"},
      {Keys("aesgcm", "a", "aGVsbG8="), "aesgcm.keys[0].secret: a key of 16, 24 or 32 bytes is wanted, it has 5"},
      {Keys("secretbox", "a", kSecret16), "secretbox.keys[0].secret: a key of 32 bytes is wanted, it has 16"},
      {"{kms: {endpoint: a}}", "kms.name: it is missing"},
      {"{kms: {name: a, apiVersion: v3}}", "kms.apiVersion: it must be v1 or v2"},
      {"{kms: {name: a, cacheSize: 3}}", "kms.cacheSize: it is not known"},
  };
  for (const Row& row : rows) EXPECT_THAT(Error(Rules({{"secrets", row.providers}})), HasSubstr(row.error));
  EXPECT_THAT(Error(Rules({{"a", Keys("aescbc", "k", "aHVzaCBodXNo")}})), Not(HasSubstr("aHVz")));
}

TEST(EncryptionConfigTest, AFileIsNamedInItsErrors) {
  const std::string path = testing::TempDir() + "tidemark-encryption-" + std::to_string(::getpid()) + ".yaml";
  std::ofstream(path) << kHead;
  EXPECT_EQ(ReadEncryptionConfig(path).status().message(), path + ": resources: it must have at least one entry");
  std::ofstream(path) << Rules({{"secrets", Keys("aescbc", "a", kSecret16)}});
  const auto config = ReadEncryptionConfig(path);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(Providers(*config, "", "secrets"), "a");
  ::unlink(path.c_str());
  EXPECT_THAT(std::string(ReadEncryptionConfig(path).status().message()), HasSubstr("cannot read " + path));
}

}  // namespace
}  // namespace tidemark::config
