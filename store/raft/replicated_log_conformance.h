// The behaviour that every ReplicatedLog has, as one suite: an implementation instantiates it
// with a harness of its own.
//
//   INSTANTIATE_TEST_SUITE_P(SingleLog, ReplicatedLogConformanceTest, ::testing::Values(&MakeSingleLogHarness));
#ifndef TIDEMARK_STORE_RAFT_REPLICATED_LOG_CONFORMANCE_H_
#define TIDEMARK_STORE_RAFT_REPLICATED_LOG_CONFORMANCE_H_

#include <cstddef>
#include <memory>

#include "gtest/gtest.h"
#include "store/raft/replicated_log.h"

namespace tidemark::raft {

// A disk with one log on it.
class LogHarness {
 public:
  virtual ~LogHarness() = default;
  // A log on what is on the disk; the one before has been destroyed.
  virtual std::unique_ptr<ReplicatedLog> Open(size_t proposal_bytes_max) = 0;
  // From now on writes of the open log fail; HealWrites before the next Open.
  virtual void FailWrites(ReplicatedLog* log) = 0;
  virtual void HealWrites() = 0;
};

class ReplicatedLogConformanceTest : public ::testing::TestWithParam<std::unique_ptr<LogHarness> (*)()> {};

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_REPLICATED_LOG_CONFORMANCE_H_
