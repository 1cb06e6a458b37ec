// Addresses as flags give them: URLs of stores and listeners, and HOST:PORT. Pure; nothing is resolved or opened.
//
// Thread-safety: immutable value.
// Errors:        kInvalidArgument with a message that quotes the text.
#ifndef TIDEMARK_CONFIG_ADDRESS_H_
#define TIDEMARK_CONFIG_ADDRESS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::config {

struct Address {
  std::string scheme;  // "http", "https"; empty for a bare HOST:PORT
  std::string host;    // "127.0.0.1", "localhost", "::1"; without brackets; empty: every interface
  int port = 0;

  bool tls() const { return scheme == "https"; }
  // Only this machine can reach it.
  bool loopback() const;
  // "127.0.0.1:2379", "[::1]:2379".
  std::string HostPort() const;
  // With the scheme, when there is one.
  std::string ToString() const;
};

// "127.0.0.1:8080", "localhost:8080", "[::1]:8080", ":8080". The port may be 0: any free one.
absl::StatusOr<Address> ParseHostPort(absl::string_view text);
// "http://HOST:PORT", "https://HOST:PORT"; a slash may follow.
absl::StatusOr<Address> ParseUrl(absl::string_view text);
// Every element by ParseUrl. At least one.
absl::StatusOr<std::vector<Address>> ParseUrls(const std::vector<std::string>& texts);
// Every element as a URL or, as etcd's clients take it, a bare HOST:PORT, which means http. At least one.
absl::StatusOr<std::vector<Address>> ParseEndpoints(const std::vector<std::string>& texts);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_ADDRESS_H_
