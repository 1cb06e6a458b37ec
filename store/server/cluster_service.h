// ClusterService answers MemberList. With one member there is nobody to add, remove or promote: those methods are
// absent, and gRPC answers Unimplemented.
//
// Thread-safety: the methods run on the polling thread.
#ifndef TIDEMARK_STORE_SERVER_CLUSTER_SERVICE_H_
#define TIDEMARK_STORE_SERVER_CLUSTER_SERVICE_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "store/server/rpc.h"
#include "store/server/service_parts.h"

namespace tidemark::store {

// How this member shows itself in the list.
struct MemberInfo {
  std::string name;
  std::vector<std::string> peer_urls;
  // Asked at each call: a listener's port may be known only once it is open.
  std::function<std::vector<std::string>()> client_urls;
};

class ClusterService {
 public:
  ClusterService(const ServiceParts& parts, MemberInfo info) : parts_(parts), info_(std::move(info)) {}

  void AddTo(MethodTable* methods);
  void MemberList(absl::string_view bytes, Reply reply);

 private:
  const ServiceParts parts_;
  const MemberInfo info_;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_CLUSTER_SERVICE_H_
