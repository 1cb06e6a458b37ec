#include "net/address_counts.h"

#include "base/check.h"

namespace tidemark::net {
namespace {

// Empty: not known.
absl::string_view AddressOf(absl::string_view peer) {
  const size_t colon = peer.rfind(':');
  if (colon == absl::string_view::npos) return {};
  const absl::string_view address = peer.substr(0, colon);
  return address == "?" || address == "[?]" ? absl::string_view() : address;
}

}  // namespace

bool AddressCounts::Add(absl::string_view peer, size_t max) {
  const absl::string_view address = AddressOf(peer);
  if (address.empty()) return true;
  const auto found = counts_.find(address);
  const size_t count = found == counts_.end() ? 0 : found->second;
  if (count >= max) return false;
  if (count > 0) {
    ++found->second;
  } else {
    counts_.emplace(address, 1);
  }
  return true;
}

void AddressCounts::Remove(absl::string_view peer) {
  const absl::string_view address = AddressOf(peer);
  if (address.empty()) return;
  const auto found = counts_.find(address);
  TM_CHECK(found != counts_.end()) << peer << " was not counted";
  if (--found->second == 0) counts_.erase(found);
}

}  // namespace tidemark::net
