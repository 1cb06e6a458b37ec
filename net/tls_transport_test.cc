#include "net/tls_transport.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/test_seed.h"
#include "gtest/gtest.h"
#include "net/limits.h"
#include "net/test_certificates.h"
#include "net/test_tls_peer.h"

namespace tidemark::net {
namespace {

using State = Transfer::State;

// The wire between the two, with as much room as a test gives.
struct Wire {
  std::string to_server, to_client;
  bool ended = false;      // the client has closed its socket
  size_t room = 1 << 30;   // bytes that the server may still write
  size_t piece = 1 << 30;  // bytes that one read gives at most
  bool finished = false, closed = false, reset = false;
};

class WireTransport : public Transport {
 public:
  explicit WireTransport(Wire* wire) : wire_(wire) {}
  Transfer Read(char* out, size_t size) override {
    const size_t bytes = std::min({size, wire_->piece, wire_->to_server.size()});
    if (bytes == 0) return {0, wire_->ended ? State::kEnd : State::kWouldBlock};
    wire_->to_server.copy(out, bytes);
    wire_->to_server.erase(0, bytes);
    return {bytes, State::kOpen};
  }
  Transfer Write(const iovec* parts, int count) override {
    Transfer total;
    for (int i = 0; i < count; ++i) {
      const size_t bytes = std::min(parts[i].iov_len, wire_->room);
      wire_->to_client.append(static_cast<const char*>(parts[i].iov_base), bytes);
      wire_->room -= bytes;
      total.bytes += bytes;
      if (bytes < parts[i].iov_len) total.state = State::kWouldBlock;
    }
    return total;
  }
  void FinishWriting() override { wire_->finished = true; }
  void Close(bool reset) override {
    wire_->closed = true;
    wire_->reset = reset;
  }

 private:
  Wire* const wire_;
};

class TlsTransportTest : public ::testing::Test {
 protected:
  TlsTransportTest() : files_(authority_.Issue({.name = "server"})) {}

  void Connect(const TlsClientOptions& options = {}) {
    auto context = TlsContext::Load(files_.server(), RealClock());
    TM_CHECK_OK(context.status());
    transport_.reset();
    wire_ = {};
    transport_ = std::make_unique<TlsTransport>(std::make_unique<WireTransport>(&wire_), *context, "client:1");
    peer_ = std::make_unique<TlsPeer>(options);
  }
  void Handshake(const TlsClientOptions& options = {}) {
    Connect(options);
    for (int i = 0; i < 4; ++i) {
      wire_.to_server += peer_->TakeWire();
      EXPECT_EQ(Read().state, State::kWouldBlock);
      Deliver();
    }
    ASSERT_TRUE(peer_->connected());
  }
  // What one Read gives, in text_.
  Transfer Read(size_t size = kReadBytes) {
    std::string text(size, '\0');
    const Transfer got = transport_->Read(text.data(), size);
    text_ = text.substr(0, got.bytes);
    return got;
  }
  Transfer Write(const std::vector<std::string>& slices) {
    std::vector<iovec> parts;
    for (const std::string& slice : slices) parts.push_back({const_cast<char*>(slice.data()), slice.size()});
    return transport_->Write(parts.data(), static_cast<int>(parts.size()));
  }
  // Takes what the server has written to the client, whose text it returns.
  std::string Deliver() { return peer_->Receive(std::exchange(wire_.to_client, "")); }
  void ClientSends(absl::string_view text) {
    peer_->Send(text);
    wire_.to_server += peer_->TakeWire();
  }

  TestAuthority authority_{"authority"};
  TestPemFiles files_;
  Wire wire_;
  std::unique_ptr<TlsTransport> transport_;
  std::unique_ptr<TlsPeer> peer_;
  std::string text_;
};

TEST_F(TlsTransportTest, BytesGoBothWays) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Handshake({.ca = authority_.cert(), .version = version});
    ClientSends("question");
    EXPECT_EQ(Read().bytes, 8);
    EXPECT_EQ(text_, "question");
    EXPECT_EQ(Read().state, State::kWouldBlock);
    EXPECT_EQ(Write({"ans", "", "wer"}).state, State::kOpen);
    EXPECT_EQ(Deliver(), "answer");
  }
}

TEST_F(TlsTransportTest, OneReadTakesAllRecordsThatHaveCome) {
  Handshake();
  for (int i = 0; i < 5; ++i) ClientSends(absl::StrCat("record ", i, " "));
  EXPECT_EQ(Read().state, State::kOpen);
  EXPECT_EQ(text_, "record 0 record 1 record 2 record 3 record 4 ");
  EXPECT_FALSE(transport_->holds_input());
}

TEST_F(TlsTransportTest, WhatDoesNotFitIntoOneReadComesWithTheNext) {
  Handshake();
  ClientSends("0123456789");
  EXPECT_EQ(Read(4).bytes, 4);
  EXPECT_EQ(Read(4).bytes, 4);
  EXPECT_EQ(Read(4).bytes, 2);
  EXPECT_EQ(text_, "89");
}

TEST_F(TlsTransportTest, AWireOfSingleBytes) {
  Connect();
  std::string out, text;
  bool sent = false;
  for (int i = 0; i < 20'000 && text != "question"; ++i) {
    out += peer_->TakeWire();
    if (!out.empty()) {
      wire_.to_server += out.substr(0, 1);
      out.erase(0, 1);
    }
    Read();
    text += text_;
    Deliver();
    if (peer_->connected() && !std::exchange(sent, true)) peer_->Send("question");
  }
  EXPECT_EQ(text, "question");
}

TEST_F(TlsTransportTest, AHandshakeWaitsForRoom) {
  Connect();
  wire_.room = 100;
  wire_.to_server += peer_->TakeWire();
  EXPECT_EQ(Read().state, State::kWouldBlock);
  EXPECT_TRUE(transport_->read_wants_room());
  EXPECT_EQ(Read().state, State::kWouldBlock);
  EXPECT_TRUE(transport_->read_wants_room());
  wire_.room = 1 << 20;
  EXPECT_EQ(Read().state, State::kWouldBlock);
  EXPECT_FALSE(transport_->read_wants_room());
  Deliver();
  ASSERT_TRUE(peer_->connected());
  ClientSends("question");
  Read();
  EXPECT_EQ(text_, "question");
}

TEST_F(TlsTransportTest, AWriteBeforeTheHandshakeWaitsForTheClient) {
  Connect();
  EXPECT_EQ(Write({"early"}).state, State::kWouldBlock);
  std::string text;
  for (int i = 0; i < 4; ++i) {
    wire_.to_server += peer_->TakeWire();
    if (Write({"early"}).bytes > 0) break;
    text += Deliver();
  }
  EXPECT_EQ(text + Deliver(), "early");
}

TEST_F(TlsTransportTest, AnotherHandshakeIsDeclined) {
  Handshake({.version = TLS1_2_VERSION});
  peer_->RequestHandshake();
  wire_.to_server += peer_->TakeWire();
  ASSERT_NE(wire_.to_server, "");
  EXPECT_EQ(Read().state, State::kWouldBlock);
  ASSERT_FALSE(wire_.to_client.empty());
  EXPECT_EQ(wire_.to_client[0], '\x15') << "an alert, no handshake";
  EXPECT_EQ(Write({"answer"}).state, State::kOpen);
}

// OpenSSL says so with the next answer, and before it.
TEST_F(TlsTransportTest, NewKeysAreConfirmedWhenThereIsRoom) {
  Handshake({.version = TLS1_3_VERSION});
  wire_.room = 0;
  peer_->RequestNewKeys();
  ClientSends("with new keys");
  EXPECT_EQ(Read().state, State::kOpen);
  EXPECT_EQ(text_, "with new keys");
  EXPECT_EQ(Write({"answer"}).state, State::kWouldBlock);
  EXPECT_EQ(Read().state, State::kWouldBlock);
  wire_.room = 1 << 20;
  EXPECT_EQ(Write({"answer"}).state, State::kOpen);
  EXPECT_EQ(Deliver(), "answer");
}

// Slices of all sizes over a wire whose room comes in drips: nothing lost, doubled or turned round.
TEST_F(TlsTransportTest, WritesGoOnWhereTheyHadToWait) {
  std::mt19937_64 random(TestSeed());
  for (int round = 0; round < 20; ++round) {
    Handshake();
    std::vector<std::string> slices;
    std::string expected;
    for (int i = 0; i < 60; ++i) {
      const size_t size = random() % 10 == 0 ? random() % 60'000 : random() % 3'000;
      slices.emplace_back(random() % 8 == 0 ? 0 : size, static_cast<char>('a' + i % 26));
      expected += slices.back();
    }
    std::string text;
    size_t taken = 0;
    wire_.room = 0;
    for (int i = 0; taken < expected.size() && i < 100'000; ++i) {
      // As the outbox does: what is left of the slices, and not always all of them.
      std::vector<std::string> left;
      size_t skip = taken;
      for (const std::string& slice : slices) {
        if (skip < slice.size()) left.push_back(slice.substr(skip));
        skip -= std::min(skip, slice.size());
      }
      const Transfer sent = Write(left);
      ASSERT_NE(sent.state, State::kBroken);
      ASSERT_EQ(sent.state == State::kOpen, taken + sent.bytes == expected.size());
      taken += sent.bytes;
      text += Deliver();
      wire_.room += random() % 40'000;
    }
    ASSERT_EQ(text, expected);
  }
}

TEST_F(TlsTransportTest, AnEndBehindTheLastBytesIsHeld) {
  for (const bool polite : {true, false}) {
    Handshake();
    ClientSends("last");
    if (polite) peer_->SendCloseNotify();
    wire_.to_server += peer_->TakeWire();
    wire_.ended = !polite;
    EXPECT_EQ(Read().state, State::kOpen);
    EXPECT_EQ(text_, "last");
    EXPECT_TRUE(transport_->holds_input());
    EXPECT_EQ(Read().state, State::kEnd);
    EXPECT_EQ(Read().state, State::kEnd);
    // The other direction goes on.
    EXPECT_EQ(Write({"answer"}).state, State::kOpen);
    EXPECT_EQ(Deliver(), "answer");
  }
}

TEST_F(TlsTransportTest, HalfARecordGivesNothing) {
  Handshake();
  ClientSends("GET / HTTP/1.1\r\n\r\n");
  wire_.to_server.resize(wire_.to_server.size() - 1);
  wire_.ended = true;
  EXPECT_EQ(Read().state, State::kEnd);
  EXPECT_EQ(text_, "");
}

TEST_F(TlsTransportTest, AForgedRecordBreaksTheConnection) {
  Handshake();
  ClientSends("good");
  const std::string good = std::exchange(wire_.to_server, "");
  ClientSends("forged");
  wire_.to_server.back() ^= 1;
  wire_.to_server.insert(0, good);
  EXPECT_EQ(Read().state, State::kOpen);
  EXPECT_EQ(text_, "good");
  EXPECT_TRUE(transport_->holds_input());
  EXPECT_EQ(Read().state, State::kBroken);
  EXPECT_EQ(Write({"answer"}).state, State::kBroken);
  transport_->Close(false);
  EXPECT_TRUE(wire_.closed);
}

TEST_F(TlsTransportTest, TheEndIsSaidOnce) {
  struct Row {
    const char* name;
    bool finish, reset, said;
  };
  const Row rows[] = {
      {"Close", false, false, true}, {"FinishWritingThenClose", true, false, true}, {"Reset", false, true, false}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Handshake();
    if (row.finish) transport_->FinishWriting();
    EXPECT_EQ(wire_.finished, row.finish);
    const size_t first_end = wire_.to_client.size();
    transport_->Close(row.reset);
    EXPECT_EQ(wire_.reset, row.reset);
    EXPECT_TRUE(wire_.closed);
    EXPECT_EQ(wire_.to_client.size() > first_end, row.said && !row.finish);
    Deliver();
    EXPECT_EQ(peer_->ended(), row.said);
    EXPECT_EQ(Read().state, State::kBroken);
    EXPECT_EQ(Write({"late"}).state, State::kBroken);
  }
}

TEST_F(TlsTransportTest, AfterItsEndTheClientIsStillRead) {
  Handshake();
  transport_->FinishWriting();
  ClientSends("rest");
  EXPECT_EQ(Read().state, State::kOpen);
  EXPECT_EQ(text_, "rest");
}

TEST_F(TlsTransportTest, WhatIsNoTlsIsRefused) {
  struct Row {
    const char* name;
    std::string sent;
    bool http_answer;
  };
  const Row rows[] = {{"Get", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", true},
                      {"Post", "POST /api HTTP/1.1\r\n\r\n", true},
                      {"Noise", std::string(100, '\xee'), false},
                      {"Zeros", std::string(100, '\0'), false},
                      {"Http2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", false}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Connect();
    wire_.to_server = row.sent;
    EXPECT_EQ(Read().state, State::kBroken);
    EXPECT_EQ(Read().state, State::kBroken);
    EXPECT_EQ(absl::StrContains(wire_.to_client, "HTTP request to an HTTPS server"), row.http_answer);
    EXPECT_EQ(wire_.finished, row.http_answer);
    EXPECT_EQ(wire_.to_server, "");
  }
}

TEST_F(TlsTransportTest, AClientThatLeavesBeforeTheHandshakeIsAnEnd) {
  Connect();
  wire_.ended = true;
  EXPECT_EQ(Read().state, State::kEnd);
  Connect();
  wire_.to_server = peer_->TakeWire().substr(0, 50);
  wire_.ended = true;
  EXPECT_EQ(Read().state, State::kEnd);
}

TEST_F(TlsTransportTest, OldVersionsAndOtherProtocolsAreRefused) {
  const TlsClientOptions refused[] = {{.version = TLS1_1_VERSION}, {.alpn = "h2"}};
  for (const TlsClientOptions& options : refused) {
    Connect(options);
    wire_.to_server = peer_->TakeWire();
    ASSERT_NE(wire_.to_server, "");
    EXPECT_EQ(Read().state, State::kBroken);
    EXPECT_EQ(wire_.to_client[0], '\x15') << "no alert";
  }
  // Nobody has to offer a protocol.
  Handshake({.alpn = ""});
}

}  // namespace
}  // namespace tidemark::net
