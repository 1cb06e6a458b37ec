#include "storeclient/grpc_store_client.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/status.h"
#include "storeclient/answer.h"
#include "storeclient/fake_etcd.h"
#include "storeclient/grpc_store_client_driver.h"

namespace tidemark::storeclient {
namespace {

TEST_F(GrpcStoreClientTest, WatchRequestIsAsTheStoreWantsIt) {
  AddMembers(1);
  Connect();
  const Revision listed = Put("a", "1");
  Follow();
  const FakeEtcd::Counts counts = members_[0]->counts();
  EXPECT_EQ(counts.watch_start, listed.Next().value());
  EXPECT_TRUE(counts.has_leader);
  EXPECT_FALSE(counts.prev_kv);
}

TEST_F(GrpcStoreClientTest, LostMemberIsReplacedByAnother) {
  AddMembers(3);
  Connect();
  Put("a", "1");
  Follow();
  const int first = Watching();
  ForgetWatches();
  members_[first]->Stop();
  Put("a", "2");
  EXPECT_TRUE(Has("a", "2"));
  EXPECT_NE(Watching(), first);
  EXPECT_EQ(observer_.counts().lists, 1);
  EXPECT_TRUE(ReadRevision().ok());
  // And the others too, but the first.
  members_[first]->Start();
  for (size_t i = 0; i < members_.size(); ++i) {
    if (static_cast<int>(i) != first) members_[i]->Stop();
  }
  Put("a", "3");
  EXPECT_TRUE(Has("a", "3"));
  EXPECT_TRUE(ReadRevision().ok());
}

TEST_F(GrpcStoreClientTest, HungMemberCostsAShareOfTheDeadline) {
  AddMembers(2);
  Connect();
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->hang_reads = true; });
  const auto revision = ReadRevision(absl::Seconds(3));
  EXPECT_TRUE(revision.ok()) << revision.status();
  EXPECT_TRUE(ReadRevision(absl::Seconds(3)).ok()) << "the one that answered is asked first";
  EXPECT_EQ(members_[0]->counts().ranges, 1);
}

TEST_F(GrpcStoreClientTest, FailedReadIsMadeAgain) {
  AddMembers(1);
  Connect();
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->fail_calls = 3; });
  EXPECT_TRUE(ReadRevision().ok());
  EXPECT_EQ(members_[0]->counts().ranges, 4);
}

TEST_F(GrpcStoreClientTest, VersionsDecideAtTheStart) {
  AddMembers(2);
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->version = "3.4.23"; });
  Connect({.guard_mode = GuardMode::kAuto});
  EXPECT_EQ(client_->CheckVersions(Soon()).outcome, GuardOutcome::kTrusted);
  EXPECT_TRUE(client_->ProgressTrusted());
  Connect({.guard_mode = GuardMode::kRequire});
  EXPECT_EQ(client_->CheckVersions(Soon()).outcome, GuardOutcome::kRefused);
  Connect({.guard_mode = GuardMode::kOff});
  EXPECT_EQ(client_->CheckVersions(Soon()).outcome, GuardOutcome::kFromStore);
  EXPECT_FALSE(client_->ProgressTrusted());
  members_[1]->Set([](FakeEtcd::Knobs* knobs) { knobs->version = "3.5.7"; });
  Connect({.guard_mode = GuardMode::kAuto});
  EXPECT_EQ(client_->CheckVersions(Soon()).outcome, GuardOutcome::kFromStore);
  EXPECT_FALSE(client_->ProgressTrusted());
}

TEST_F(GrpcStoreClientTest, UnreachableStoreIsUnknown) {
  AddMembers(1);
  members_[0]->Stop();
  Connect({.guard_mode = GuardMode::kRequire});
  const GuardDecision decision = client_->CheckVersions(RealClock().Now() + absl::Milliseconds(200));
  EXPECT_EQ(decision.outcome, GuardOutcome::kUnknown);
  EXPECT_TRUE(absl::StrContains(decision.lines[0].message, "unknown")) << decision.lines[0].message;
}

TEST_F(GrpcStoreClientTest, TooOldMemberCarriesNoWatch) {
  AddMembers(2);
  members_[1]->Set([](FakeEtcd::Knobs* knobs) { knobs->version = "3.4.23"; });
  Connect();
  client_->CheckVersions(Soon());
  std::vector<std::unique_ptr<RecordingObserver>> observers;
  std::vector<std::unique_ptr<FollowHandle>> follows;
  for (int i = 0; i < 6; ++i) {
    observers.push_back(std::make_unique<RecordingObserver>(kPrefix));
    follows.push_back(client_->Follow({.prefix = kPrefix, .name = "pods"}, observers.back().get()));
  }
  ASSERT_TRUE(PollUntil([&] { return members_[0]->counts().watches == 6; }));
  EXPECT_EQ(members_[1]->counts().watches, 0);
}

TEST_F(GrpcStoreClientTest, VersionIsAskedAgainAtAReconnection) {
  AddMembers(2);
  Connect();
  client_->CheckVersions(Soon());
  Follow();
  const int first = Watching();
  ForgetWatches();
  // The member is replaced by an old one.
  members_[1 - first]->Set([](FakeEtcd::Knobs* knobs) { knobs->version = "3.5.7"; });
  members_[first]->Set([](FakeEtcd::Knobs* knobs) { knobs->version = "3.5.7"; });
  members_[first]->BreakStreams();
  ASSERT_TRUE(PollUntil([&] { return Watching() == 1 - first; })) << "not known to be old yet";
  ForgetWatches();
  members_[1 - first]->BreakStreams();
  ASSERT_TRUE(PollUntil([&] { return !client_->ProgressTrusted(); }));
  Put("a", "1");
  EXPECT_TRUE(Has("a", "1")) << "there is none better";
}

TEST_F(GrpcStoreClientTest, SilentMemberIsLeft) {
  AddMembers(2);
  Connect();
  Follow();
  const int first = Watching();
  ForgetWatches();
  members_[first]->Set([](FakeEtcd::Knobs* knobs) { knobs->refuse_progress = true; });
  {
    MutexLock lock(&cluster_.mu);
    cluster_.store.Put("/registry/nodes/n", "1");
  }
  const auto moved = ReadRevision();
  ASSERT_TRUE(moved.ok());
  EXPECT_TRUE(PollUntil([&] {
    follow_->RequestProgress();
    return observer_.revision() >= *moved;
  }));
  EXPECT_EQ(Watching(), 1 - first);
}

TEST_F(GrpcStoreClientTest, OldEventsOfAFutureStartAreDropped) {
  AddMembers(1);
  for (int i = 0; i < 5; ++i) Put("a", absl::StrCat(i));
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->replay_before_start = true; });
  Connect();
  Follow();
  Put("a", "new");
  EXPECT_TRUE(Has("a", "new"));
  EXPECT_EQ(observer_.counts().events, 1);
}

TEST_F(GrpcStoreClientTest, RevisionReadsFailUntilEveryFollowKnowsOfARewind) {
  AddMembers(1);
  Connect();
  Put("a", "1");
  Put("b", "1");
  Follow();
  ASSERT_TRUE(ReadRevision().ok());
  // A backup restored under the same cluster id; only a read can show it, as long as the stream lives.
  {
    MutexLock lock(&cluster_.mu);
    cluster_.store.Rewind(Revision(2));
  }
  EXPECT_EQ(KindOf(ReadRevision().status()), ErrorKind::kRewound);
  ASSERT_TRUE(PollUntil([&] { return ReadRevision().ok(); }));
  EXPECT_EQ(observer_.counts().rewinds, 1);
  EXPECT_TRUE(PollUntil([&] { return observer_.revision() == Revision(2); }));
  Put("c", "1");
  EXPECT_TRUE(Has("c", "1"));
}

TEST_F(GrpcStoreClientTest, MessagesOfManySlices) {
  AddMembers(1);
  for (int i = 0; i < 30; ++i) Put(absl::StrCat("k", i), std::string(400'000, static_cast<char>('a' + i % 26)));
  Connect();
  Follow();
  EXPECT_EQ(observer_.state().size(), 30u);
  EXPECT_TRUE(observer_.Has(absl::StrCat(kPrefix, "k7"), std::string(400'000, 'h')));
  Put("big", std::string(1'400'000, 'z'));
  EXPECT_TRUE(Has("big", std::string(1'400'000, 'z')));
}

TEST_F(GrpcStoreClientTest, ReadsUnderWayEndWithTheClient) {
  AddMembers(1);
  Connect();
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->hang_reads = true; });
  Answer<Revision> revision;
  Answer<RangeResult> range;
  client_->ReadRevision(absl::InfiniteFuture(), revision.Callback());
  client_->Range({.key = kPrefix}, absl::InfiniteFuture(), range.Callback());
  ASSERT_TRUE(PollUntil([&] { return members_[0]->counts().ranges == 2; }));
  client_.reset();
  ASSERT_TRUE(revision.has() && range.has());
  EXPECT_EQ(KindOf(revision.get().status()), ErrorKind::kStopped);
  EXPECT_EQ(KindOf(range.get().status()), ErrorKind::kStopped);
}

TEST_F(GrpcStoreClientTest, CountsWhatItDoes) {
  const metrics::StoreClientMetrics counters(&registry_);
  AddMembers(1);
  Connect({.metrics = counters});
  Follow();
  ASSERT_TRUE(ReadRevision().ok());
  const Revision written = Put("a", "1");
  ASSERT_TRUE(PollUntil([&] {
    follow_->RequestProgress();
    return observer_.revision() >= written && metrics::Counter(counters.progress_notifications).Value() > 0;
  }));
  members_[0]->BreakStreams();
  ASSERT_TRUE(PollUntil([&] { return metrics::Counter(counters.resumes).Value() == 1; }));
  EXPECT_EQ(counters.revision_read.requests.Value(), 1);
  EXPECT_EQ(counters.stream_breaks.Value(), 1);
  EXPECT_GE(counters.progress_requests.Value(), 1);
  EXPECT_GE(counters.list.requests.Value(), 1);
  EXPECT_GT(counters.received_bytes.Value(), 0);
}

TEST(GrpcStoreClientOptionsTest, WrongOnesAreToldAtOnce) {
  const std::pair<const char*, GrpcStoreClientOptions> rows[] = {
      {"no endpoint", {}},
      {"empty address", {.store = {.endpoints = {"http://"}}}},
      {"path", {.store = {.endpoints = {"http://127.0.0.1:2379/v3"}}}},
      {"ca file", {.store = {.endpoints = {"https://127.0.0.1:2379"}, .ca_file = "/no/such/file"}}},
      {"certificate without key", {.store = {.endpoints = {"https://127.0.0.1:2379"}, .cert_file = "/no/such/file"}}},
      {"revision key", {.store = {.endpoints = {"127.0.0.1:2379"}}, .revision_key = ""}},
  };
  for (const auto& [name, options] : rows) {
    EXPECT_EQ(GrpcStoreClient::Create(options).status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
}

std::string Read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(GrpcStoreClientTlsTest, BothSidesShowTheirCertificate) {
  char directory[] = "/tmp/tidemark-tls-XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  const std::string dir = directory, key = dir + "/key.pem", cert = dir + "/cert.pem";
  const std::string make =
      absl::StrCat("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext ",
                   "subjectAltName=IP:127.0.0.1 -keyout ", key, " -out ", cert, " 2>/dev/null");
  if (std::system(make.c_str()) != 0) GTEST_SKIP() << "NOT RUN: no openssl program on this machine";
  grpc::SslServerCredentialsOptions server_options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  server_options.pem_root_certs = Read(cert);
  server_options.pem_key_cert_pairs.push_back({Read(key), Read(cert)});
  FakeCluster cluster;
  FakeEtcd etcd(&cluster, grpc::SslServerCredentials(server_options));
  const std::string url = absl::StrCat("https://127.0.0.1:", etcd.port());
  const auto read = [&](const StoreAddress& store, absl::Duration timeout) {
    auto client = GrpcStoreClient::Create({.store = store});
    TM_CHECK_OK(client.status());
    Answer<Revision> answer;
    (*client)->ReadRevision(RealClock().Now() + timeout, answer.Callback());
    EXPECT_TRUE(PollUntil([&] { return answer.has(); }));
    return answer.get().status();
  };
  EXPECT_TRUE(read({.endpoints = {url}, .ca_file = cert, .cert_file = cert, .key_file = key}, absl::Seconds(30)).ok());
  EXPECT_FALSE(read({.endpoints = {url}, .ca_file = cert}, absl::Milliseconds(300)).ok()) << "no certificate of ours";
  EXPECT_FALSE(read({.endpoints = {url}, .cert_file = cert, .key_file = key}, absl::Milliseconds(300)).ok())
      << "not trusted";
  std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace tidemark::storeclient

// gRPC's threads still end when the program does, and what they hold by then looks like a leak. Nothing of ours is named here.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT: the sanitizer's own name
  return "leak:libgrpc.so\nleak:libgpr.so\nleak:libcrypto.so\n";
}
