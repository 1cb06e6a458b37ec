#include "store/server/header_source.h"

#include "proto/rpc.pb.h"

namespace tidemark::store {

void HeaderSource::SetTerm(raft::Term term) {
  raft::Term known = term_.load(std::memory_order_relaxed);
  while (known < term && !term_.compare_exchange_weak(known, term)) {
  }
}

void HeaderSource::Fill(Revision revision, etcdserverpb::ResponseHeader* header) const {
  header->set_cluster_id(identity_.cluster_id);
  header->set_member_id(identity_.member_id);
  header->set_revision(revision.value());
  header->set_raft_term(term());
}

std::string HeaderSource::Encode(Revision revision) const {
  // Every response has its header in field 1; the one with nothing else stands for all.
  etcdserverpb::CompactionResponse response;
  Fill(revision, response.mutable_header());
  return response.SerializeAsString();
}

}  // namespace tidemark::store
