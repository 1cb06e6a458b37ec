// Outbox holds what a connection has to send and the socket has not taken yet: borrowed slices, written with as few
// system calls as possible and never copied.
//
// Thread-safety: thread-compatible.
// Ownership:     borrows the bytes: they stay valid until empty() or Clear().
// Cost:          no memory while empty; 16 bytes a slice while a slow reader keeps slices waiting.
#ifndef TIDEMARK_NET_OUTBOX_H_
#define TIDEMARK_NET_OUTBOX_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "net/transport.h"

namespace tidemark::net {

class Outbox {
 public:
  // Writes what waited and then `more`, as far as the socket takes it; keeps the rest. Returns the bytes taken; kOpen:
  // nothing is left.
  Transfer Send(Transport* transport, absl::Span<const absl::string_view> more);

  // These wait, sent by nobody yet. REQUIRES: empty().
  void Keep(absl::string_view bytes) { waiting_.assign(1, bytes); }

  bool empty() const { return waiting_.empty(); }
  void Clear();

 private:
  std::vector<absl::string_view> waiting_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_OUTBOX_H_
