// LeaseService answers etcd's Lease methods. Granting and revoking go through the log; a renewal is a matter of this
// member alone.
//
// Thread-safety: the methods and the sessions run on the polling thread.
// Ownership:     borrows its parts.
// Source:        etcd v3 server/etcdserver/api/v3rpc/lease.go.
#ifndef TIDEMARK_STORE_SERVER_LEASE_SERVICE_H_
#define TIDEMARK_STORE_SERVER_LEASE_SERVICE_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "store/server/rpc.h"
#include "store/server/service_parts.h"

namespace tidemark::store {

class LeaseService {
 public:
  explicit LeaseService(const ServiceParts& parts) : parts_(parts) {}

  void AddTo(MethodTable* methods);

  void Grant(absl::string_view bytes, Reply reply);
  void Revoke(absl::string_view bytes, Reply reply);
  void TimeToLive(absl::string_view bytes, Reply reply);
  void Leases(absl::string_view bytes, Reply reply);
  std::shared_ptr<StreamSession> KeepAlive(std::shared_ptr<StreamCall> call);

 private:
  const ServiceParts parts_;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_LEASE_SERVICE_H_
