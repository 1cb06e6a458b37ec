// Quota refuses writes that would outgrow --quota-backend-bytes, before they are proposed, and raises the NOSPACE alarm
// when one does. From then on the state machine refuses what needs room, until an operator has made some and disarmed
// the alarm.
//
// etcd compares the size of its file, which only defragmentation makes smaller. Our engine uses freed pages again by
// itself, so what counts here is the part of the file that holds data: a compaction is enough before disarming.
//
// Thread-safety: thread-safe.
// Units:         bytes. A put costs its key, its value and 256, a lease 64, a transaction its dearer branch (etcd).
// Cost:          Admit reads one atomic; the size is that of the last commit, at most 100 ms old.
#ifndef TIDEMARK_STORE_SERVER_QUOTA_H_
#define TIDEMARK_STORE_SERVER_QUOTA_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "store/mvcc/state_machine.h"
#include "store/server/proposer.h"

namespace etcdserverpb {
class PutRequest;
class TxnRequest;
}  // namespace etcdserverpb

namespace tidemark::store {

int64_t CostOf(const etcdserverpb::PutRequest& request);
// 0 when no branch puts anything.
int64_t CostOf(const etcdserverpb::TxnRequest& request);
inline constexpr int64_t kLeaseCost = 64;

class Quota {
 public:
  Quota(const mvcc::StateMachine* state, Proposer* proposer, uint64_t member_id, int64_t limit_bytes)
      : state_(state), proposer_(proposer), member_id_(member_id), limit_bytes_(limit_bytes) {
    Refresh();
  }

  // kNoSpace when it does not fit; the alarm is on its way then. A cost of 0 always fits.
  absl::Status Admit(int64_t cost);
  // Takes the engine's size anew.
  void Refresh();
  int64_t limit_bytes() const { return limit_bytes_; }

 private:
  const mvcc::StateMachine* const state_;
  Proposer* const proposer_;
  const uint64_t member_id_;
  const int64_t limit_bytes_;
  std::atomic<int64_t> used_bytes_{0};
  std::atomic<bool> raising_{false};  // an alarm is being proposed
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_QUOTA_H_
