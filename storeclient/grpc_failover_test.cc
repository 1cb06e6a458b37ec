// What a client does with members that are old, hang, or show what another one would not.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "storeclient/fake_etcd.h"
#include "storeclient/grpc_store_client_driver.h"
#include "storeclient/progress_pacer.h"
#include "storeclient/store_identity.h"

namespace tidemark::storeclient {
namespace {

class GrpcFailoverTest : public GrpcStoreClientTest {
 protected:
  void SetVersion(int member, absl::string_view version) {
    members_[member]->Set([&](FakeEtcd::Knobs* knobs) { knobs->version = std::string(version); });
  }
  void AddFollow() {
    observers_.push_back(std::make_unique<RecordingObserver>(kPrefix));
    follows_.push_back(client_->Follow({.prefix = kPrefix, .name = "pods"}, observers_.back().get()));
  }
  bool Watches(int member, int count) {
    return PollUntil([&] { return members_[member]->counts().watches >= count; });
  }

  std::vector<std::unique_ptr<RecordingObserver>> observers_;
  std::vector<std::unique_ptr<FollowHandle>> follows_;
};

TEST_F(GrpcFailoverTest, ProgressOfATooOldMemberLosesNoEvent) {
  AddMembers(1);
  SetVersion(0, "3.5.6");
  Connect();
  EXPECT_EQ(client_->CheckVersions(Soon()).outcome, GuardOutcome::kFromStore);
  Put("a", "1");
  Follow();
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->hold_events = true; });
  Put("a", "2");
  members_[0]->OvertakeWithProgress();
  follow_->RequestProgress();
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->hold_events = false; });
  EXPECT_TRUE(Has("a", "2"));
  Put("a", "3");
  EXPECT_TRUE(Has("a", "3"));
  EXPECT_EQ(members_[0]->counts().progress_requests, 0);
}

TEST_F(GrpcFailoverTest, TooOldMemberIsNotLeftForSilence) {
  AddMembers(1);
  SetVersion(0, "3.5.6");
  Connect();
  EXPECT_EQ(client_->CheckVersions(Soon()).outcome, GuardOutcome::kFromStore);
  Follow();
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->hold_events = true; });
  Put("a", "1");
  ASSERT_TRUE(ReadRevision().ok());
  // Somebody waits for longer than a silent member is borne.
  const absl::Time end = RealClock().Now() + ProgressPacer::kSilenceFirst + 5 * ProgressPacer::kAnswerWait;
  ASSERT_TRUE(PollUntil([&] {
    follow_->RequestProgress();
    return observer_.counts().interruptions > 0 || RealClock().Now() > end;
  }));
  EXPECT_EQ(observer_.counts().interruptions, 0);
  EXPECT_EQ(members_[0]->counts().watches, 1);
}

TEST_F(GrpcFailoverTest, WatchesLeaveTooOldMembersOnceOneIsFine) {
  AddMembers(2);
  SetVersion(0, "3.5.6");
  SetVersion(1, "3.5.6");
  Connect();
  EXPECT_EQ(client_->CheckVersions(Soon()).outcome, GuardOutcome::kFromStore);
  AddFollow();
  AddFollow();
  ASSERT_TRUE(Watches(1, 1) && Watches(0, 1)) << "by turns";
  // The first step of a rolling upgrade: its watch goes to the other.
  SetVersion(0, "3.5.17");
  members_[0]->BreakStreams();
  ASSERT_TRUE(Watches(1, 2));
  // One more on each; the second learns of the upgrade, and all follow it.
  AddFollow();
  ASSERT_TRUE(Watches(1, 3));
  AddFollow();
  EXPECT_TRUE(Watches(0, 5));
  EXPECT_TRUE(client_->ProgressTrusted());
  const Revision written = Put("a", "1");
  for (size_t i = 0; i < follows_.size(); ++i) {
    EXPECT_TRUE(PollUntil([&] {
      follows_[i]->RequestProgress();
      return observers_[i]->revision() >= written;
    })) << i;
  }
  EXPECT_EQ(members_[1]->counts().progress_requests, 0);
}

TEST_F(GrpcFailoverTest, OldMembersServeWhileTheThirdIsDown) {
  AddMembers(3);
  SetVersion(0, "3.5.6");
  SetVersion(1, "3.5.6");
  Connect();
  members_[2]->Stop();
  EXPECT_EQ(client_->CheckVersions(RealClock().Now() + absl::Seconds(3)).outcome, GuardOutcome::kFromStore);
  Put("a", "1");
  Follow();
  Put("a", "2");
  EXPECT_TRUE(Has("a", "2"));
}

TEST_F(GrpcFailoverTest, TwoHangingMembersAreLeftBehindBySuccessiveReads) {
  AddMembers(3);
  Connect();
  for (int i : {0, 1}) members_[i]->Set([](FakeEtcd::Knobs* knobs) { knobs->hang_reads = true; });
  // No read has the time for a third attempt, but each begins where the last one ended.
  constexpr absl::Duration kTwoAttempts = absl::Milliseconds(900);
  EXPECT_TRUE(PollUntil([&] { return ReadRevision(kTwoAttempts).ok(); }));
}

TEST_F(GrpcFailoverTest, AfterARewindReadsDoNotWaitForALongList) {
  AddMembers(1);
  Connect();
  Put("a", "1");
  Put("b", "1");
  Follow();
  ASSERT_TRUE(ReadRevision().ok());
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->hang_pages = true; });
  {
    MutexLock lock(&cluster_.mu);
    cluster_.store.Rewind(Revision(2));
  }
  EXPECT_EQ(KindOf(ReadRevision().status()), ErrorKind::kRewound);
  EXPECT_TRUE(PollUntil([&] { return ReadRevision().ok(); })) << "the follow has dropped all it had";
  EXPECT_FALSE(observer_.listed());
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->hang_pages = false; });
  EXPECT_TRUE(PollUntil([&] { return observer_.listed(); }));
  EXPECT_EQ(observer_.counts().rewinds, 1);
}

TEST_F(GrpcFailoverTest, LowerTermHasToBeReadTwice) {
  AddMembers(1);
  Connect();
  Follow();
  ASSERT_TRUE(ReadRevision().ok());
  members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->lower_terms = 1; });
  const absl::Time begun = RealClock().Now();
  EXPECT_TRUE(ReadRevision().ok()) << "a member that does not know of the next term yet";
  EXPECT_GE(RealClock().Now() - begun, kTermDoubtPause) << "a heartbeat tells it";
  EXPECT_EQ(observer_.counts().interruptions, 0);
  {
    MutexLock lock(&cluster_.mu);
    --cluster_.raft_term;
  }
  EXPECT_EQ(KindOf(ReadRevision().status()), ErrorKind::kRewound);
}

TEST_F(GrpcFailoverTest, ReadInDoubtIsAnsweredOnceByTheClientsEndOrItsDeadline) {
  AddMembers(1);
  Connect();
  ASSERT_TRUE(ReadRevision().ok());
  const auto doubt = [&](absl::Time deadline, Answer<Revision>* answer) {
    const int before = members_[0]->counts().ranges;
    members_[0]->Set([](FakeEtcd::Knobs* knobs) { knobs->lower_terms = 1; });
    client_->ReadRevision(deadline, answer->Callback());
    return PollUntil([&] { return members_[0]->counts().ranges > before || answer->has(); });
  };
  Answer<Revision> hasty, last;
  ASSERT_TRUE(doubt(RealClock().Now() + kTermDoubtPause / 2, &hasty));
  ASSERT_TRUE(PollUntil([&] { return hasty.has(); }));
  EXPECT_EQ(KindOf(hasty.get().status()), ErrorKind::kStoreUnavailable);
  ASSERT_TRUE(doubt(Soon(), &last));
  client_.reset();
  // On a slow machine the second read may have come first.
  ASSERT_TRUE(last.has());
  if (!last.get().ok()) {
    EXPECT_EQ(KindOf(last.get().status()), ErrorKind::kStopped);
  }
}

}  // namespace
}  // namespace tidemark::storeclient
