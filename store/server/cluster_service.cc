#include "store/server/cluster_service.h"

#include "absl/functional/bind_front.h"
#include "proto/rpc.pb.h"
#include "store/server/answer.h"
#include "store/server/kv_service.h"

namespace tidemark::store {

void ClusterService::AddTo(MethodTable* methods) {
  methods->AddUnary("/etcdserverpb.Cluster/MemberList", kFewCalls, absl::bind_front(&ClusterService::MemberList, this));
}

void ClusterService::MemberList(absl::string_view bytes, Reply reply) {
  etcdserverpb::MemberListRequest request;
  const absl::Status status = ParseRequest(bytes, &request);
  if (!status.ok()) return reply.Fail(status);
  const auto read = request.linearizable() ? ReadLinearizably : ReadSerializably;
  read(parts_, /*long_running=*/false, [this, reply = std::move(reply)](absl::Status ready) mutable {
    if (!ready.ok()) return reply.Fail(ready);
    etcdserverpb::MemberListResponse response;
    etcdserverpb::Member* const member = response.add_members();
    member->set_id(parts_.header->identity().member_id);
    member->set_name(info_.name);
    for (const std::string& url : info_.peer_urls) member->add_peerurls(url);
    for (const std::string& url : info_.client_urls()) member->add_clienturls(url);
    // The cluster's answers carry no revision (etcd).
    AnswerAt(Revision(), *parts_.header, std::move(response), std::move(reply));
  });
}

}  // namespace tidemark::store
