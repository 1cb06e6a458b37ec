// TLS through the whole server: over loopback, with clients that behave and such that do not.
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "net/test_certificates.h"
#include "net/test_server.h"
#include "net/test_tls_client.h"

namespace tidemark::net {
namespace {

using ::testing::HasSubstr;

class TlsServerTest : public ::testing::Test {
 protected:
  TlsServerTest() { files_.Write(files_.ca(), client_authority_.cert()); }

  const TestAuthority authority_{"authority"}, client_authority_{"client-authority"};
  const TestPemFiles files_{authority_.Issue({.name = "first"})};
};

TEST_F(TlsServerTest, KeepsTheConnection) {
  TestServer server(Hello, {}, 2, files_.server());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(server.address(), {.ca = authority_.cert(), .version = version});
    ASSERT_TRUE(client.connected()) << client.error();
    EXPECT_EQ(client.server_name(), "first");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Get(kGet).body, "hello /hello\n");
  }
  EXPECT_EQ(server.metrics.accepted.Value(), 2);
  EXPECT_EQ(server.metrics.received_bytes.Value(), 6 * kGet.size());
}

TEST_F(TlsServerTest, NegotiatesHttp11AndNoMore) {
  TestServer server(Hello, {}, 2, files_.server());
  TlsClient client(server.address());
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(client.ssl(), &protocol, &size);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(protocol), size), "http/1.1");
  EXPECT_FALSE(TlsClient(server.address(), {.alpn = "h2"}).connected());
  EXPECT_FALSE(TlsClient(server.address(), {.version = TLS1_1_VERSION}).connected());
}

// The listening sockets of this process give what they have to those that they accept.
void ShrinkSendBuffers() {
  const int bytes = 1;  // the kernel's least is taken
  for (int fd = 0; fd < 1024; ++fd) {
    int listens = 0;
    socklen_t size = sizeof(listens);
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) continue;
    ASSERT_EQ(::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)), 0);
  }
}

TEST_F(TlsServerTest, AHandshakeGoesOnWhenThereIsRoom) {
  PemPair server_pair = authority_.Issue({.name = "first"});
  for (int i = 0; i < 150; ++i) server_pair.cert += authority_.cert();
  files_.Write(server_pair);
  TestServer server(Hello, {}, 2, files_.server());
  ShrinkSendBuffers();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(server.address(), {.version = version}, /*receive_buffer=*/4096);
    EXPECT_EQ(client.Get(kGet).status, 200) << client.error();
  }
}

TEST_F(TlsServerTest, PipelinedRequestsAreAnsweredInOrder) {
  TestServer server(Hello, {}, 2, files_.server());
  TlsClient client(server.address());
  std::string requests;
  for (int i = 0; i < 500; ++i) absl::StrAppend(&requests, "GET /", i, " HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < 500; ++i) ASSERT_EQ(client.ReadResponse().body, absl::StrCat("hello /", i, "\n"));
}

TEST_F(TlsServerTest, ARequestInSingleBytesOfARecordEach) {
  TestServer server(Hello, {}, 2, files_.server());
  TlsClient client(server.address());
  for (const char byte : kGet) ASSERT_TRUE(client.Send(absl::string_view(&byte, 1)));
  EXPECT_EQ(client.ReadResponse().status, 200);
}

TEST_F(TlsServerTest, BigAnswersInBigAndSmallSlices) {
  static constexpr uint64_t kBytes = 8 << 20;
  for (const size_t slice : {size_t{100}, size_t{5000}, size_t{1} << 20}) {
    TestServer server(
        [slice](std::shared_ptr<Exchange> exchange) {
          exchange->Reply({}, std::make_unique<BlockSource>(kBytes, slice));
        },
        {}, 2, files_.server());
    TlsClient client(server.address());
    const RawClient::Response response = client.Get(kGet);
    EXPECT_EQ(response.body.size(), kBytes);
    EXPECT_EQ(response.body.find_first_not_of('x'), std::string::npos);
    EXPECT_EQ(client.Get("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", /*head_only=*/true).status, 200);
  }
}

TEST_F(TlsServerTest, ASlowReaderHoldsTheSourceBackAndGetsAll) {
  static constexpr uint64_t kBytes = 16 << 20;
  std::atomic<uint64_t> pulled{0};
  TestServer server(
      [&](std::shared_ptr<Exchange> exchange) {
        exchange->Reply({}, std::make_unique<BlockSource>(kBytes, 1000, &pulled), kBytes);
      },
      {}, 2, files_.server());
  TlsClient client(server.address(), {}, /*receive_buffer=*/4096);
  client.Send(kGet);
  ASSERT_NE(client.Take("\r\n\r\n"), "");
  TlsClient other(server.address());
  other.Send(kGet);
  EXPECT_EQ(other.Take("\r\n\r\n").substr(0, 12), "HTTP/1.1 200");
  // Both wait with what the kernel takes, far from the end.
  EXPECT_LT(pulled.load(), kBytes);
  other.Close();
  EXPECT_EQ(client.Discard(kBytes), kBytes);
}

TEST_F(TlsServerTest, AStalledReaderIsCutWithoutAnEnd) {
  ServerLimits limits;
  limits.write_window = absl::Milliseconds(50);
  TestServer server(
      [](std::shared_ptr<Exchange> exchange) { exchange->Reply({}, std::make_unique<BlockSource>(1ull << 40, 1000)); },
      limits, 2, files_.server());
  TlsClient stalled(server.address(), {}, 4096);
  stalled.Send(kGet);
  while (server.metrics.closed_slow.Value() == 0) std::this_thread::yield();
  stalled.ReadAll();
  EXPECT_FALSE(stalled.ended());
}

TEST_F(TlsServerTest, AWatchIsWokenAndDrained) {
  const auto feed = std::make_shared<Feed>();
  TestServer server(Watch(feed), {}, 2, files_.server());
  TlsClient client(server.address());
  ASSERT_TRUE(client.Send(kGet));
  for (int i = 0; i < 100; ++i) {
    feed->Push(absl::StrCat("event ", i, "\n"));
    ASSERT_TRUE(client.ReadUntil(absl::StrCat("event ", i, "\n")));
  }
  std::thread stop([&] { server->Stop(); });
  client.ReadAll();
  EXPECT_TRUE(client.ended());
  client.Close();  // or the server waits for it
  stop.join();
}

TEST_F(TlsServerTest, ALastAnswerEndsPolitely) {
  TestServer server(Hello, {}, 2, files_.server());
  for (const char* const request :
       {"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "nonsense\r\n\r\n"}) {
    TlsClient client(server.address());
    ASSERT_TRUE(client.Send(request));
    EXPECT_THAT(client.ReadAll(), HasSubstr("HTTP/1.1 "));
    EXPECT_TRUE(client.ended()) << request;
  }
}

TEST_F(TlsServerTest, AClientsEndIsSeenWhateverCameBeforeIt) {
  TestServer server(Hello, {}, 2, files_.server());
  TlsClient client(server.address());
  EXPECT_EQ(client.Get(kGet).status, 200);
  // Behind a request, and the socket stays open: no event tells of the end but the one of these bytes.
  ASSERT_TRUE(client.Send(std::string(kGet)));
  SSL_shutdown(client.ssl());
  EXPECT_EQ(client.ReadResponse().status, 200);
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_TRUE(client.ended());
  while (server.metrics.closed_by_client.Value() == 0) std::this_thread::yield();
}

TEST_F(TlsServerTest, ClientCertificates) {
  const TestAuthority other("other-authority"), below = client_authority_.IssueAuthority("below");
  struct Row {
    const char* name;
    PemPair identity;
    bool served;
  };
  const Row rows[] = {
      {"None", {}, true},
      {"Good", client_authority_.Issue({.name = "alice", .for_client = true}), true},
      {"OfAnotherAuthority", other.Issue({.name = "alice", .for_client = true}), false},
      {"OfTheServersAuthority", authority_.Issue({.name = "alice", .for_client = true}), false},
      {"Expired", client_authority_.Issue({.name = "alice", .for_client = true, .expired = true}), false},
      {"ForServers", client_authority_.Issue({.name = "alice"}), false},
      {"ChainNotSent", below.Issue({.name = "alice", .for_client = true}), false},
  };
  TestServer server(Hello, {}, 2, files_.with_client_ca());
  for (const Row& row : rows) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      SCOPED_TRACE(absl::StrCat(row.name, " ", version));
      TlsClient client(server.address(), {.identity = row.identity, .version = version});
      // In TLS 1.3 the client learns of it with its first read.
      if (row.served) {
        EXPECT_EQ(client.Get(kGet).status, 200);
      } else {
        EXPECT_EQ(client.connected() ? client.ReadAll() : "", "");
        EXPECT_NE(client.error(), "");
      }
    }
  }
}

TEST_F(TlsServerTest, WithoutAnAuthorityNoCertificateIsAskedFor) {
  const TestAuthority other("other-authority");
  TestServer server(Hello, {}, 2, files_.server());
  TlsClient client(server.address(), {.identity = other.Issue({.name = "alice", .for_client = true})});
  EXPECT_EQ(client.Get(kGet).status, 200);
}

TEST_F(TlsServerTest, AnAuthorityBelowAnotherIsTrustedByItself) {
  const TestAuthority below = client_authority_.IssueAuthority("below");
  files_.Write(files_.ca(), below.cert());
  TestServer server(Hello, {}, 2, files_.with_client_ca());
  TlsClient client(server.address(), {.identity = below.Issue({.name = "alice", .for_client = true})});
  EXPECT_EQ(client.Get(kGet).status, 200);
}

TEST_F(TlsServerTest, SessionsAreResumed) {
  TestServer server(Hello, {}, 2, files_.with_client_ca());
  const PemPair identity = client_authority_.Issue({.name = "alice", .for_client = true});
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient first(server.address(), {.identity = identity, .version = version});
    EXPECT_EQ(first.Get(kGet).status, 200);
    SSL_SESSION* const session = SSL_get1_session(first.ssl());
    TlsClient second(server.address(), {.identity = identity, .version = version}, 0, session);
    EXPECT_EQ(second.Get(kGet).status, 200);
    EXPECT_TRUE(SSL_session_reused(second.ssl())) << version;
    SSL_SESSION_free(session);
  }
}

TEST_F(TlsServerTest, NewFilesAreUsedByNewConnections) {
  ServerLimits limits;
  limits.tls_reload_gap = absl::Milliseconds(5);
  TestServer server(Hello, limits, 2, files_.with_client_ca());
  TlsClient old(server.address());
  EXPECT_EQ(old.server_name(), "first");
  // A pair that cannot be used changes nothing.
  files_.Write(files_.key(), "half");
  EXPECT_EQ(TlsClient(server.address()).server_name(), "first");
  files_.Write(authority_.Issue({.name = "second"}));
  while (TlsClient(server.address()).server_name() != "second") std::this_thread::yield();
  EXPECT_EQ(old.Get(kGet).status, 200);
  // The authority alone.
  const TestAuthority next("next");
  files_.Write(files_.ca(), next.cert());
  const PemPair identity = next.Issue({.name = "bob", .for_client = true});
  while (TlsClient(server.address(), {.identity = identity}).Get(kGet).status != 200) std::this_thread::yield();
}

TEST_F(TlsServerTest, HandshakesHaveALimitOfTime) {
  ServerLimits limits;
  limits.head_time = absl::Milliseconds(300);
  TestServer server(Hello, limits, 2, files_.server());
  TlsPeer peer;
  const std::string hello = peer.TakeWire();
  RawClient silent(server.address()), half(server.address()), waiting(server.address());
  half.Send(hello.substr(0, 30));
  waiting.Send(hello);
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_EQ(half.ReadAll(), "");
  EXPECT_NE(waiting.ReadAll(), "");  // the server's part of it
  TlsClient mute(server.address());
  EXPECT_EQ(mute.ReadAll(), "");
  TlsClient slow(server.address());
  slow.Send("GET / HT");
  EXPECT_EQ(slow.ReadResponse().status, 408);
  slow.Close();  // or the server waits for it
  while (server.metrics.connections.Value() > 0) std::this_thread::yield();
  EXPECT_EQ(server.metrics.closed_idle.Value(), 4);
}

TEST_F(TlsServerTest, WhatIsNoTlsIsToldSoOrClosed) {
  TestServer server(Hello, {}, 2, files_.server());
  RawClient plain(server.address());
  plain.Send(kGet);
  EXPECT_EQ(plain.ReadAll(), "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
  EXPECT_EQ(server.metrics.tls_failed_handshakes.Value(), 1);
  for (const std::string& noise :
       {std::string(1000, '\xff'), std::string("\x16\x03\x01\xff\xff"), std::string(5, '\0')}) {
    RawClient client(server.address());
    client.Send(noise);
    client.FinishSending();
    client.ReadAll();
  }
  while (server.metrics.connections.Value() > 0) std::this_thread::yield();
  EXPECT_EQ(server.metrics.requests.Value(), 0);
}

TEST_F(TlsServerTest, ATruncatedRequestIsNone) {
  TestServer server(Hello, {}, 2, files_.server());
  for (size_t cut = 0; cut < 60; cut += 7) {
    RawClient wire(server.address());
    TlsPeer peer({.version = TLS1_3_VERSION});
    while (!peer.connected()) {
      wire.Send(peer.TakeWire());
      // One flight of the server, in as many pieces as it takes.
      while (!peer.connected()) peer.Receive(wire.TakeBytes(1));
    }
    peer.Send(kGet);
    const std::string bytes = peer.TakeWire();
    wire.Send(bytes.substr(0, bytes.size() - 1 - cut));
    wire.FinishSending();
    wire.ReadAll();
  }
  while (server.metrics.connections.Value() > 0) std::this_thread::yield();
  EXPECT_EQ(server.metrics.requests.Value(), 0);
}

TEST_F(TlsServerTest, ConnectionsOverTheLimitAreClosed) {
  ServerLimits limits;
  limits.connections_max = 1;
  TestServer server(Hello, limits, 2, files_.server());
  TlsClient first(server.address());
  EXPECT_EQ(first.Get(kGet).status, 200);
  EXPECT_FALSE(TlsClient(server.address()).connected());
  first.Close();
  while (server.metrics.connections.Value() > 0) std::this_thread::yield();
  EXPECT_EQ(TlsClient(server.address()).Get(kGet).status, 200);
}

TEST_F(TlsServerTest, ManyClientsAtOnce) {
  TestServer server(Hello, {}, 2, files_.server());
  std::vector<std::thread> threads;
  std::atomic<int> answered{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        TlsClient client(server.address());
        for (int j = 0; j < 5; ++j) answered += client.Get(kGet).status == 200;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered.load(), 400);
}

TEST_F(TlsServerTest, FilesThatCannotBeUsedStopTheStart) {
  files_.Write(files_.cert(), "nothing");
  TestServer plain(Hello);
  const auto server = HttpServer::Start({.listen = {"127.0.0.1:0"}, .tls = files_.server()}, &plain);
  EXPECT_EQ(server.status().message(), absl::StrCat("cannot use ", files_.cert(), ": it holds no certificate in PEM"));
}

}  // namespace
}  // namespace tidemark::net
