// HeaderSource writes the header that every answer begins with: who answers, at which revision, in which term.
//
// Thread-safety: thread-safe.
// Source:        etcd v3; the term is the one known when answering, not that of the entry.
#ifndef TIDEMARK_STORE_SERVER_HEADER_SOURCE_H_
#define TIDEMARK_STORE_SERVER_HEADER_SOURCE_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "base/revision.h"
#include "store/raft/replicated_log.h"

namespace etcdserverpb {
class ResponseHeader;
}

namespace tidemark::store {

class HeaderSource {
 public:
  explicit HeaderSource(const raft::LogIdentity& identity) : identity_(identity) {}

  // Never goes back.
  void SetTerm(raft::Term term);
  raft::Term term() const { return term_.load(std::memory_order_relaxed); }
  const raft::LogIdentity& identity() const { return identity_; }

  void Fill(Revision revision, etcdserverpb::ResponseHeader* header) const;
  // Field 1 of any response, as bytes: to be put before or behind an encoded response without a header.
  std::string Encode(Revision revision) const;

 private:
  const raft::LogIdentity identity_;
  std::atomic<raft::Term> term_{0};
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_HEADER_SOURCE_H_
