// WatchService answers etcd's Watch: one session for each stream, written by watch-send, and short messages by the
// polling thread that wrote the last.
//
//   apply callback, watch-sync: events ready -> the session is queued on watch-send -> next message is encoded, written
//   polling thread: written -> next message (large ones on watch-send);   request -> the state machine's stream
//
// A stream has one message with gRPC; what else waits for it is bounded in the state machine (stream_queue.h: messages and
// bytes of each stream, bytes of all), behind which its watches stop and read the history later. A client that only
// sends is not read while its answers wait.
//
// Thread-safety: Begin and the sessions' functions run on the polling thread.
// Ownership:     a session lives as long as its call, or a task of it, does.
// Source:        etcd v3 server/etcdserver/api/v3rpc/watch.go.
#ifndef TIDEMARK_STORE_SERVER_WATCH_SERVICE_H_
#define TIDEMARK_STORE_SERVER_WATCH_SERVICE_H_

#include <cstddef>
#include <memory>

#include "absl/time/time.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "store/server/rpc.h"
#include "store/server/service_parts.h"
#include "store/server/weak_list.h"

namespace tidemark::store {

class WatchSession;

struct WatchServiceOptions {
  // Silent watches that asked for it get a progress notification this often.
  absl::Duration progress_interval;
  // A watch that allows it gets larger messages in pieces (etcd: the largest request and 512 KiB).
  size_t fragment_bytes = 0;
};

class WatchService {
 public:
  // `sender` runs all sessions; it is stopped before this object goes.
  WatchService(const ServiceParts& parts, Executor* sender, WatchServiceOptions options);

  void AddTo(MethodTable* methods);
  std::shared_ptr<StreamSession> Begin(std::shared_ptr<StreamCall> call);
  // Starts the progress interval.
  void StartTicking();

 private:
  void Tick();

  const ServiceParts parts_;
  Executor* const sender_;
  const WatchServiceOptions options_;

  Mutex mu_;
  WeakList<WatchSession> sessions_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_WATCH_SERVICE_H_
