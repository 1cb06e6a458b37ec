// MaintenanceService answers Status, Alarm, Hash and HashKV. Defragment has nothing to do here (freed pages are used
// again), and Snapshot, MoveLeader and Downgrade belong to several members: absent, so that gRPC answers Unimplemented.
//
// Thread-safety: the methods run on the polling thread.
// Source:        etcd v3 server/etcdserver/api/v3rpc/maintenance.go.
#ifndef TIDEMARK_STORE_SERVER_MAINTENANCE_SERVICE_H_
#define TIDEMARK_STORE_SERVER_MAINTENANCE_SERVICE_H_

#include "absl/strings/string_view.h"
#include "store/kv/kv_engine.h"
#include "store/server/rpc.h"
#include "store/server/service_parts.h"

namespace tidemark::store {

class MaintenanceService {
 public:
  MaintenanceService(const ServiceParts& parts, kv::KvEngine* engine) : parts_(parts), engine_(engine) {}

  void AddTo(MethodTable* methods);

  void Status(absl::string_view bytes, Reply reply);
  void Alarm(absl::string_view bytes, Reply reply);
  void Hash(absl::string_view bytes, Reply reply);
  void HashKv(absl::string_view bytes, Reply reply);

 private:
  // CRC32C over every table's name, keys and values. Members agree only when nothing is written meanwhile (etcd).
  uint32_t HashOfEngine() const;

  const ServiceParts parts_;
  kv::KvEngine* const engine_;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_MAINTENANCE_SERVICE_H_
