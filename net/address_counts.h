// AddressCounts counts the connections of each client address, so that one may not take all of them.
//
// Thread-safety: thread-compatible.
// Units:         peers are "address:port", as Listener names them; the port does not matter. A peer without an address, or
//                with an unknown one ("?"), is not counted and has no limit.
// Cost:          one look-up; an entry for each address that is connected now.
#ifndef TIDEMARK_NET_ADDRESS_COUNTS_H_
#define TIDEMARK_NET_ADDRESS_COUNTS_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace tidemark::net {

class AddressCounts {
 public:
  // False, and nothing is counted, when the peer's address has `max` connections already.
  bool Add(absl::string_view peer, size_t max);
  // REQUIRES: Add returned true for this peer.
  void Remove(absl::string_view peer);

  // How many addresses there are.
  size_t size() const { return counts_.size(); }

 private:
  absl::flat_hash_map<std::string, size_t> counts_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_ADDRESS_COUNTS_H_
