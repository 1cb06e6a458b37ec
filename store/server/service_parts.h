// What every service of a member works with.
//
// Ownership: borrows all of it; Member owns it and stops the services first.
#ifndef TIDEMARK_STORE_SERVER_SERVICE_PARTS_H_
#define TIDEMARK_STORE_SERVER_SERVICE_PARTS_H_

#include <cstdint>

#include "metrics/store_metrics.h"
#include "store/mvcc/state_machine.h"
#include "store/raft/replicated_log.h"
#include "store/server/header_source.h"
#include "store/server/proposer.h"
#include "store/server/read_pool.h"

namespace tidemark::store {

class Quota;

struct ServiceParts {
  mvcc::StateMachine* state = nullptr;
  raft::ReplicatedLog* log = nullptr;
  Proposer* proposer = nullptr;
  HeaderSource* header = nullptr;
  ReadPool* read_pool = nullptr;
  Quota* quota = nullptr;
  metrics::StoreMetrics* metrics = nullptr;
  int64_t request_bytes_max = 0;
  int txn_ops_max = 0;
};

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_SERVICE_PARTS_H_
