#include "config/address.h"

#include <arpa/inet.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace tidemark::config {
namespace {

constexpr int kPortMax = 65535;

absl::Status NotAnAddress(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is not an address: ", why));
}

bool IsHost(absl::string_view host) {
  for (const char c : host) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
    if (!plain) return false;
  }
  return true;
}

bool IsIpv6(absl::string_view host) {
  in6_addr v6{};
  return ::inet_pton(AF_INET6, std::string(host).c_str(), &v6) == 1;
}

}  // namespace

bool Address::loopback() const {
  // A name may begin with 127. too, and lead anywhere.
  in_addr v4{};
  const bool in_127 = absl::StartsWith(host, "127.") && ::inet_pton(AF_INET, host.c_str(), &v4) == 1;
  return host == "localhost" || host == "::1" || in_127;
}

std::string Address::HostPort() const {
  return absl::StrContains(host, ':') ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

std::string Address::ToString() const { return scheme.empty() ? HostPort() : absl::StrCat(scheme, "://", HostPort()); }

absl::StatusOr<Address> ParseHostPort(absl::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return NotAnAddress(text, "HOST:PORT is wanted");
  Address address;
  absl::string_view host = text.substr(0, colon);
  const bool bracketed = absl::ConsumePrefix(&host, "[");
  const bool readable = bracketed ? absl::ConsumeSuffix(&host, "]") && IsIpv6(host) : IsHost(host);
  if (!readable) return NotAnAddress(text, "the host cannot be read");
  address.host = std::string(host);
  if (!absl::SimpleAtoi(text.substr(colon + 1), &address.port) || address.port < 0 || address.port > kPortMax) {
    return NotAnAddress(text, absl::StrCat("the port must be a number up to ", kPortMax));
  }
  return address;
}

absl::StatusOr<Address> ParseUrl(absl::string_view text) {
  absl::string_view rest = text;
  std::string scheme;
  if (absl::ConsumePrefix(&rest, "http://")) {
    scheme = "http";
  } else if (absl::ConsumePrefix(&rest, "https://")) {
    scheme = "https";
  } else {
    return NotAnAddress(text, "http:// or https:// is wanted");
  }
  absl::ConsumeSuffix(&rest, "/");
  absl::StatusOr<Address> address = ParseHostPort(rest);
  if (!address.ok()) return NotAnAddress(text, "http://HOST:PORT is wanted");
  address->scheme = scheme;
  return address;
}

absl::StatusOr<std::vector<Address>> ParseUrls(const std::vector<std::string>& texts) {
  if (texts.empty()) return absl::InvalidArgumentError("at least one URL is wanted");
  std::vector<Address> addresses;
  for (const std::string& text : texts) {
    TM_ASSIGN_OR_RETURN(Address address, ParseUrl(text));
    addresses.push_back(std::move(address));
  }
  return addresses;
}

absl::StatusOr<std::vector<Address>> ParseEndpoints(const std::vector<std::string>& texts) {
  std::vector<std::string> urls;
  for (const std::string& text : texts) urls.push_back(absl::StrContains(text, "://") ? text : "http://" + text);
  return ParseUrls(urls);
}

}  // namespace tidemark::config
