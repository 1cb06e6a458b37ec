#include "net/tls_context.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "net/test_certificates.h"

namespace tidemark::net {
namespace {

struct PemRow {
  const char* name;
  std::function<void(const TestPemFiles&, const TestAuthority&)> change;
  std::string error;  // $CERT, $KEY and $CA stand for the paths
};

const PemRow kUnusable[] = {
    {"NoCertificate", [](const auto& files, const auto&) { ::unlink(files.cert().c_str()); },
     "cannot read $CERT: No such file or directory"},
    {"NoKey", [](const auto& files, const auto&) { ::unlink(files.key().c_str()); },
     "cannot read $KEY: No such file or directory"},
    {"NoAuthority", [](const auto& files, const auto&) { ::unlink(files.ca().c_str()); },
     "cannot read $CA: No such file or directory"},
    {"EmptyCertificate", [](const auto& files, const auto&) { files.Write(files.cert(), ""); },
     "cannot use $CERT: it holds no certificate in PEM"},
    {"EmptyKey", [](const auto& files, const auto&) { files.Write(files.key(), "none"); },
     "cannot use $KEY: it holds no private key in PEM"},
    {"EmptyAuthority", [](const auto& files, const auto&) { files.Write(files.ca(), "# none\n"); },
     "cannot use $CA: it holds no certificate in PEM"},
    {"KeyAsCertificate",
     [](const auto& files, const auto& authority) {
       const PemPair pair = authority.Issue({.name = "server"});
       files.Write({.cert = pair.key, .key = pair.cert});
     },
     "cannot use $CERT: it holds no certificate in PEM"},
    {"KeyOfAnother",
     [](const auto& files, const auto& authority) { files.Write(files.key(), authority.Issue({.name = "other"}).key); },
     "cannot use $KEY: it is not the key of the certificate in $CERT"},
    {"EncryptedKey", [](const auto& files, const auto&) { files.Write(files.key(), TestAuthority::EncryptedKey()); },
     "cannot use $KEY: the key is encrypted, and there is no passphrase"},
    {"HalfACertificateInTheChain",
     [](const auto& files, const auto& authority) {
       const PemPair pair = authority.Issue({.name = "server"});
       files.Write({.cert = absl::StrCat(pair.cert, authority.cert().substr(0, 200)), .key = pair.key});
     },
     "cannot use $CERT: certificate 2: bad end line"},
    {"TooLarge", [](const auto& files, const auto&) { files.Write(files.cert(), std::string((1 << 20) + 1, '\n')); },
     "cannot read $CERT: it is larger than 1 MB"},
    {"AFolder",
     [](const auto& files, const auto&) {
       ::unlink(files.key().c_str());
       ::symlink("/tmp", files.key().c_str());
     },
     "cannot read $KEY: it is not a file that can be read again"},
};

class TlsContextTest : public ::testing::TestWithParam<PemRow> {};

TEST_P(TlsContextTest, SaysInOneLineWhatIsWrong) {
  const TestAuthority authority("authority");
  const TestPemFiles files(authority.Issue({.name = "server"}));
  files.Write(files.ca(), authority.cert());
  ASSERT_TRUE(TlsContext::Load(files.with_client_ca(), RealClock()).ok());
  GetParam().change(files, authority);
  const auto context = TlsContext::Load(files.with_client_ca(), RealClock());
  const std::string expected =
      absl::StrReplaceAll(GetParam().error, {{"$CERT", files.cert()}, {"$KEY", files.key()}, {"$CA", files.ca()}});
  EXPECT_EQ(std::string(context.status().message()), expected);
}

INSTANTIATE_TEST_SUITE_P(Files, TlsContextTest, ::testing::ValuesIn(kUnusable),
                         [](const auto& info) { return info.param.name; });

TEST(TlsFilesTest, WhatStandsBesideIsPassedOver) {
  const TestAuthority authority("authority");
  const PemPair pair = authority.Issue({.name = "server"});
  const TestPemFiles files(pair);
  // As `openssl ecparam -genkey` writes it.
  const std::string parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
  files.Write(files.key(), absl::StrCat("a comment\n", parameters, pair.key));
  EXPECT_TRUE(TlsContext::Load(files.server(), RealClock()).ok());
  // Key and certificate in one file.
  files.Write(files.cert(), absl::StrCat(parameters, pair.key, pair.cert, authority.cert()));
  EXPECT_TRUE(TlsContext::Load({.cert_file = files.cert(), .key_file = files.cert()}, RealClock()).ok());
}

class TlsReloadTest : public ::testing::Test {
 protected:
  const TestAuthority authority_{"authority"};
  const TestPemFiles files_{authority_.Issue({.name = "first"})};
  metrics::Registry registry_;
  metrics::NetMetrics metrics_{&registry_};
  const std::shared_ptr<TlsContext> context_ = *TlsContext::Load(files_.server(), RealClock(), metrics_);
  const TlsContext::Generation first_ = context_->current();
};

TEST_F(TlsReloadTest, TheSameFilesAreTheSameGeneration) {
  context_->Reload();
  EXPECT_EQ(context_->current(), first_);
  // Written anew with the same text.
  std::string text(1 << 16, '\0');
  FILE* const file = std::fopen(files_.cert().c_str(), "re");
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  ::unlink(files_.cert().c_str());
  files_.Write(files_.cert(), text);
  context_->Reload();
  EXPECT_EQ(context_->current(), first_);
}

TEST_F(TlsReloadTest, ANewPairIsTakenWhenItIsWhole) {
  const PemPair next = authority_.Issue({.name = "second"});
  files_.Write(files_.cert(), next.cert);
  ::testing::internal::CaptureStderr();
  context_->Reload();
  context_->Reload();
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(context_->current(), first_);
  EXPECT_NE(log.find(absl::StrCat("it is not the key of the certificate in ", files_.cert())), std::string::npos);
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_EQ(metrics_.tls_reloads.Value(), 0);
  EXPECT_EQ(metrics_.tls_reload_errors.Value(), 2);
  files_.Write(files_.key(), next.key);
  context_->Reload();
  context_->Reload();
  EXPECT_NE(context_->current(), first_);
  EXPECT_EQ(metrics_.tls_reloads.Value(), 1);
  EXPECT_EQ(metrics_.tls_reload_errors.Value(), 2);
}

TEST_F(TlsReloadTest, FilesThatComeBackAreNoNewGeneration) {
  const PemPair first = authority_.Issue({.name = "second"});
  files_.Write(first);
  context_->Reload();
  const TlsContext::Generation second = context_->current();
  ::unlink(files_.key().c_str());
  context_->Reload();
  EXPECT_EQ(context_->current(), second);
  files_.Write(first);
  context_->Reload();
  EXPECT_EQ(context_->current(), second);
}

TEST_F(TlsReloadTest, FailedHandshakesAreOneLineASecond) {
  SimClock clock;
  const auto context = *TlsContext::Load(files_.server(), clock, metrics_);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 10; ++i) context->NoteFailedHandshake("127.0.0.1:1", "reason");
  clock.Advance(absl::Seconds(2));
  context->NoteFailedHandshake("127.0.0.1:2", "other");
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << log;
  EXPECT_NE(log.find("client=127.0.0.1:2 error=other suppressed=9"), std::string::npos) << log;
  EXPECT_EQ(metrics_.tls_failed_handshakes.Value(), 11);
}

}  // namespace
}  // namespace tidemark::net
