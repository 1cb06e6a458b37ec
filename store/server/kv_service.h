// KvService answers etcd's KV methods: Range, Put, DeleteRange, Txn and Compact (RangeStream: range_stream.h).
//
// Writes are checked, proposed, and answered once they are synced in the log and applied. Linearizable reads wait for a
// read barrier; serializable ones do not. What may touch many keys runs on the worker pool.
//
// Thread-safety: the methods run on the polling thread.
// Ownership:     borrows its parts.
// Source:        etcd v3 server/etcdserver/api/v3rpc/key.go and v3_server.go.
#ifndef TIDEMARK_STORE_SERVER_KV_SERVICE_H_
#define TIDEMARK_STORE_SERVER_KV_SERVICE_H_

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/mvcc/command.h"
#include "store/mvcc/compactor.h"
#include "store/server/rpc.h"
#include "store/server/service_parts.h"

namespace etcdserverpb {
class RangeRequest;
class TxnRequest;
}  // namespace etcdserverpb

namespace tidemark::store {

class KvService {
 public:
  KvService(const ServiceParts& parts, mvcc::Compactor* compactor) : parts_(parts), compactor_(compactor) {}

  void AddTo(MethodTable* methods);

  void Range(absl::string_view bytes, Reply reply);
  void Put(absl::string_view bytes, Reply reply);
  void DeleteRange(absl::string_view bytes, Reply reply);
  void Txn(absl::string_view bytes, Reply reply);
  void Compact(absl::string_view bytes, Reply reply);

 private:
  void AnswerRange(const etcdserverpb::RangeRequest& request, Reply reply);
  void ReadOnlyTxn(etcdserverpb::TxnRequest request, Reply reply);
  // Proposes a command whose request came as `bytes`, and answers with what comes of it.
  void ProposeAndAnswer(mvcc::Command command, absl::string_view bytes, Reply reply);

  const ServiceParts parts_;
  mvcc::Compactor* const compactor_;
};

// Runs `read` once the state here has everything that was acknowledged before, on the worker pool when it is
// `long_running`, and with a status when it must not. Shared by all linearizable reads.
using ReadTask = absl::AnyInvocable<void(absl::Status)>;
void ReadLinearizably(const ServiceParts& parts, bool long_running, ReadTask read);
// The same without the barrier.
void ReadSerializably(const ServiceParts& parts, bool long_running, ReadTask read);

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_KV_SERVICE_H_
