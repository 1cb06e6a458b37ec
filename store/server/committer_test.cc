#include "store/server/committer.h"

#include "proto/rpc.pb.h"
#include "store/mvcc/store_meta.h"
#include "store/server/service_fixture.h"

namespace tidemark::store {
namespace {

class CommitterTest : public ServiceTest {
 protected:
  void Apply(mvcc::Command command) {
    proposer_->Propose(std::move(command),
                       [](const mvcc::CommandResult& result) { EXPECT_TRUE(result.status.ok()) << result.status; });
    executor_.RunUntilIdle();
  }
  void Put() {
    mvcc::Command command;
    command.request.emplace<etcdserverpb::PutRequest>().set_key("a");
    Apply(std::move(command));
  }

  Committer committer_{state_.get(), &log_, &executor_, &metrics_};
};

TEST_F(CommitterTest, WhatACompactionDeletedIsCommittedWithoutAnEntry) {
  Put();
  Put();
  mvcc::Command command;
  command.request.emplace<etcdserverpb::CompactionRequest>().set_revision(3);
  Apply(std::move(command));
  ASSERT_TRUE(committer_.Commit().ok());
  ASSERT_EQ(state_->applied_index(), state_->durable_index());
  while (state_->store().CompactionStep()) {
  }
  ASSERT_TRUE(committer_.Commit().ok());
  EXPECT_TRUE(engine_.NewSnapshot()->Get(kv::Table::kMeta, mvcc::kFinishedCompactKey).has_value());
}

TEST_F(CommitterTest, LogIsToldOfACommitThatAnotherMade) {
  Put();
  ASSERT_TRUE(state_->Commit().ok());
  EXPECT_EQ(disk_.before, raft::LogIndex());
  ASSERT_TRUE(committer_.Commit().ok());
  EXPECT_EQ(disk_.before, raft::LogIndex(state_->applied_index()));
}

TEST_F(CommitterTest, OnlyCommitsThatWriteAreMeasured) {
  Put();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(committer_.Commit().ok());
  EXPECT_EQ(metrics_.backend_commit_duration.Count(), 1u);
}

}  // namespace
}  // namespace tidemark::store
