#include "config/address.h"

#include "gtest/gtest.h"

namespace tidemark::config {
namespace {

TEST(AddressTest, ReadsHostAndPort) {
  struct Row {
    const char* text;
    const char* host;
    int port;
  };
  for (const Row& row : {Row{"127.0.0.1:8080", "127.0.0.1", 8080},
                         {"localhost:0", "localhost", 0},
                         {"[::1]:1", "::1", 1},
                         {"[fe80:1::a]:1", "fe80:1::a", 1},
                         {":65535", "", 65535},
                         {"a-b.example.com:443", "a-b.example.com", 443}}) {
    const auto address = ParseHostPort(row.text);
    ASSERT_TRUE(address.ok()) << row.text;
    EXPECT_EQ(address->host, row.host);
    EXPECT_EQ(address->port, row.port);
  }
}

TEST(AddressTest, RefusesWhatIsNone) {
  for (const char* text :
       {"", "localhost", "8080", "a:b", "a:65536", "a:-1", "::1:80", "[::1:80", "a b:80", "http://a:80", "[x]:1",
        "[localhost:1", "localhost]:1", "[127.0.0.1]:1", "[:]:1", "[1:2]:1", "[]:1"}) {
    EXPECT_FALSE(ParseHostPort(text).ok()) << text;
  }
  for (const char* text : {"", "127.0.0.1:2379", "ftp://a:1", "http://a", "http://a:1/path", "http://", "unix://a:1"}) {
    EXPECT_FALSE(ParseUrl(text).ok()) << text;
  }
}

TEST(AddressTest, UrlKeepsItsScheme) {
  const auto url = ParseUrl("https://[::1]:2379/");
  ASSERT_TRUE(url.ok());
  EXPECT_TRUE(url->tls());
  EXPECT_EQ(url->ToString(), "https://[::1]:2379");
}

TEST(AddressTest, OnlyLoopbackIsThisMachine) {
  for (const char* text : {"127.0.0.1:1", "127.8.0.1:1", "localhost:1", "[::1]:1"})
    EXPECT_TRUE(ParseHostPort(text)->loopback()) << text;
  for (const char* text : {"0.0.0.0:1", ":1", "[::]:1", "10.0.0.1:1", "localhost.example.com:1", "127.x.example.org:1",
                           "127.1:1", "127.0.0.1.example.org:1"}) {
    EXPECT_FALSE(ParseHostPort(text)->loopback()) << text;
  }
}

TEST(AddressTest, EndpointsMayLackTheScheme) {
  const auto endpoints = ParseEndpoints({"a:1", "https://b:2"});
  ASSERT_TRUE(endpoints.ok());
  EXPECT_EQ((*endpoints)[0].ToString(), "http://a:1");
  EXPECT_TRUE((*endpoints)[1].tls());
  EXPECT_FALSE(ParseEndpoints({}).ok());
}

}  // namespace
}  // namespace tidemark::config
