// RangeStream answers etcd's streaming Range: a range of any length at one revision, in messages of
// about the size of a request.
//
// The first message tries kFirstKeys keys; the number doubles while messages stay below half of the aim, and halves
// above twice of it, where a message ends in any case. Header, `more` and `count` come with the last message alone. One
// message is read while none is under way: a slow client costs one.
//
// Thread-safety: Begin and the sessions' functions run on the polling thread, the reading on the worker pool.
// Source:        etcd v3.7 server/etcdserver/api/v3rpc/key.go.
#ifndef TIDEMARK_STORE_SERVER_RANGE_STREAM_H_
#define TIDEMARK_STORE_SERVER_RANGE_STREAM_H_

#include <cstddef>
#include <memory>

#include "store/server/rpc.h"
#include "store/server/service_parts.h"

namespace tidemark::store {

inline constexpr size_t kFirstKeys = 10;

class RangeStream {
 public:
  explicit RangeStream(const ServiceParts& parts) : parts_(parts) {}

  void AddTo(MethodTable* methods);
  std::shared_ptr<StreamSession> Begin(std::shared_ptr<StreamCall> call);

 private:
  const ServiceParts parts_;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_RANGE_STREAM_H_
