#include "store/server/lease_service.h"

#include <string>

#include "proto/rpc.pb.h"
#include "store/server/service_fixture.h"
#include "store/server/upkeep.h"

namespace tidemark::store {
namespace {

using etcdserverpb::LeaseGrantRequest;
using etcdserverpb::LeaseGrantResponse;
using etcdserverpb::LeaseKeepAliveRequest;
using etcdserverpb::LeaseKeepAliveResponse;
using etcdserverpb::LeaseRevokeRequest;
using etcdserverpb::LeaseTimeToLiveRequest;
using etcdserverpb::LeaseTimeToLiveResponse;

class LeaseServiceTest : public ServiceTest {
 protected:
  LeaseServiceTest() : lease_(parts_) {}

  FakeCall Grant(int64_t ttl, int64_t id = 0) {
    LeaseGrantRequest request;
    request.set_ttl(ttl);
    request.set_id(id);
    return Call(lease_, &LeaseService::Grant, request);
  }
  int64_t Remaining(int64_t id) {
    LeaseTimeToLiveRequest request;
    request.set_id(id);
    return Call(lease_, &LeaseService::TimeToLive, request).As<LeaseTimeToLiveResponse>().ttl();
  }

  LeaseService lease_;
};

TEST_F(LeaseServiceTest, GrantPicksAnIdAndRaisesAShortTtl) {
  const auto response = Grant(1).As<LeaseGrantResponse>();
  EXPECT_GT(response.id(), 0);
  EXPECT_EQ(response.ttl(), 2);
  EXPECT_EQ(response.header().member_id(), 22u);
  EXPECT_EQ(Remaining(response.id()), 2);
}

TEST_F(LeaseServiceTest, RefusalsHaveEtcdsCodesAndTexts) {
  EXPECT_EQ(Grant(10, 5).Error(), "");
  EXPECT_EQ(Grant(10, 5).Error(), "9 etcdserver: lease already exists");
  EXPECT_EQ(Grant(9'000'000'001).Error(), "11 etcdserver: too large lease TTL");
  LeaseRevokeRequest revoke;
  revoke.set_id(6);
  EXPECT_EQ(Call(lease_, &LeaseService::Revoke, revoke).Error(), "5 etcdserver: requested lease not found");
  revoke.set_id(5);
  EXPECT_EQ(Call(lease_, &LeaseService::Revoke, revoke).Error(), "");
  EXPECT_EQ(Remaining(5), -1);
}

TEST_F(LeaseServiceTest, KeepAliveRenewsAndAnswersZeroForAnUnknownLease) {
  Grant(10, 5);
  clock_.Advance(absl::Seconds(6));
  EXPECT_LE(Remaining(5), 4);
  auto call = std::make_shared<FakeStream>();
  const auto session = lease_.KeepAlive(call);
  for (const int64_t id : {5, 6}) {
    ASSERT_TRUE(call->reading);
    call->reading = false;
    LeaseKeepAliveRequest request;
    request.set_id(id);
    session->OnMessage(request.SerializeAsString());
    LeaseKeepAliveResponse response;
    ASSERT_TRUE(response.ParseFromString(call->written.back()));
    EXPECT_EQ(response.id(), id);
    EXPECT_EQ(response.ttl(), id == 5 ? 10 : 0);
    EXPECT_FALSE(call->reading) << "the next request is read once this one is answered";
    call->writing = false;
    session->OnWritten();
  }
  EXPECT_EQ(Remaining(5), 10);
  session->OnHalfClosed();
  EXPECT_TRUE(call->finished);
}

TEST_F(LeaseServiceTest, ExpiredLeaseIsRevokedThroughTheLog) {
  Grant(10, 5);
  Upkeep upkeep(parts_, &executor_, std::nullopt);
  upkeep.Start();
  executor_.RunFor(absl::Seconds(9));
  EXPECT_GE(Remaining(5), 0);
  const raft::LogIndex before = disk_.last();
  executor_.RunFor(absl::Seconds(3));
  EXPECT_EQ(Remaining(5), -1);
  EXPECT_EQ(disk_.last(), before.Next());
}

TEST_F(LeaseServiceTest, AutomaticCompactionGoesThroughTheLog) {
  CompactionSchedule schedule(config::CompactionMode::kRevision, absl::ZeroDuration(), 3, clock_.Now());
  Upkeep upkeep(parts_, &executor_, schedule);
  upkeep.Start();
  for (int i = 0; i < 9; ++i) {
    mvcc::Command command;
    command.request.emplace<etcdserverpb::PutRequest>().set_key("a");
    proposer_->Propose(std::move(command), [](const mvcc::CommandResult&) {});
  }
  executor_.RunFor(absl::Minutes(6));
  EXPECT_EQ(state_->store().compact_revision(), Revision(7));
}

}  // namespace
}  // namespace tidemark::store
