#include "storeclient/memory_store_client.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "base/status.h"
#include "storeclient/recording_observer.h"

namespace tidemark::storeclient {
namespace {

constexpr char kPrefix[] = "/r/pods/";

class MemoryStoreClientTest : public testing::Test {
 protected:
  void StartFollow() {
    follow_ = client_.Follow({.prefix = kPrefix, .name = "pods"}, &observer_);
    executor_.RunUntilIdle();
  }
  std::string Run() {
    executor_.RunUntilIdle();
    return observer_.TakeTrace();
  }
  static std::string Key(absl::string_view name) { return absl::StrCat(kPrefix, name); }

  SimClock clock_;
  SimExecutor executor_{clock_};
  MemoryStoreClient client_{executor_};
  RecordingObserver observer_{kPrefix};
  std::unique_ptr<FollowHandle> follow_;
};

TEST_F(MemoryStoreClientTest, FollowListsThenDeliversEachRevision) {
  client_.Put(Key("a"), "1");
  client_.Put("/r/nodes/n", "other prefix");
  StartFollow();
  EXPECT_EQ(Run(), "list@3 page(a) done");
  client_.Put(Key("b"), "1");
  client_.Txn({{Key("a"), std::nullopt}, {Key("c"), "1"}, {"/r/nodes/n", "2"}});
  EXPECT_EQ(Run(), "events(+b@4) events(-a@5,+c@5)");
  client_.set_event_batch_revisions(10);
  client_.Put(Key("b"), "2");
  client_.Put(Key("b"), "3");
  EXPECT_EQ(Run(), "events(+b@6,+b@7)");
}

TEST_F(MemoryStoreClientTest, PagesAreOneTaskEachAndSeeOneRevision) {
  for (const char* name : {"a", "b", "c"}) client_.Put(Key(name), "1");
  client_.set_page_keys(2);
  follow_ = client_.Follow({.prefix = kPrefix, .name = "pods"}, &observer_);
  EXPECT_TRUE(executor_.RunOne());
  EXPECT_TRUE(executor_.RunOne());
  EXPECT_EQ(observer_.TakeTrace(), "list@4 page(a,b)");
  client_.Put(Key("bb"), "late");
  client_.Delete(Key("c"));
  EXPECT_EQ(Run(), "page(c) done events(+bb@5) events(-c@6)");
}

TEST_F(MemoryStoreClientTest, ProgressIsAnsweredOnlyInStep) {
  client_.Put(Key("a"), "1");
  StartFollow();
  EXPECT_EQ(Run(), "list@2 page(a) done");
  follow_->RequestProgress();
  EXPECT_EQ(Run(), "") << "the watch starts at 3, the store is at 2";
  client_.Put("/r/nodes/n", "1");
  follow_->RequestProgress();
  follow_->RequestProgress();
  EXPECT_EQ(Run(), "progress@3") << "merged";
  client_.HoldEvents();
  client_.Put(Key("b"), "1");
  follow_->RequestProgress();
  EXPECT_EQ(Run(), "") << "behind";
  client_.ReleaseEvents();
  EXPECT_EQ(Run(), "events(+b@4)");
  client_.RefuseProgress(true);
  follow_->RequestProgress();
  EXPECT_EQ(Run(), "");
  client_.RefuseProgress(false);
  follow_->RequestProgress();
  EXPECT_EQ(Run(), "progress@4");
  EXPECT_EQ(client_.counts().progress_requests, 5);
}

TEST_F(MemoryStoreClientTest, ProgressBeforeStartAsOldStoresAnswer) {
  client_.AnswerProgressBeforeStart(true);
  StartFollow();
  follow_->RequestProgress();
  EXPECT_EQ(Run(), "list@1 done progress@1");
}

TEST_F(MemoryStoreClientTest, LateProgressNeverOvertakesEvents) {
  StartFollow();
  client_.DelayProgress(absl::Milliseconds(50));
  client_.Put(Key("a"), "1");
  follow_->RequestProgress();
  EXPECT_EQ(Run(), "list@1 done events(+a@2)");
  client_.HoldEvents();
  executor_.RunFor(absl::Milliseconds(50));
  EXPECT_EQ(observer_.TakeTrace(), "progress@2");
  client_.ReleaseEvents();
  client_.Put("/r/nodes/n", "1");
  client_.Put(Key("b"), "1");
  client_.HoldEvents(Revision(3));
  follow_->RequestProgress();
  executor_.RunFor(absl::Milliseconds(50));
  EXPECT_EQ(observer_.TakeTrace(), "") << "an event is held";
}

TEST_F(MemoryStoreClientTest, HeldEventsOfOnePrefixLeaveTheOthersAlone) {
  RecordingObserver nodes("/r/nodes/");
  auto follow_nodes = client_.Follow({.prefix = "/r/nodes/", .name = "nodes"}, &nodes);
  StartFollow();
  Run();
  client_.HoldEvents(kPrefix);
  client_.Put(Key("a"), "1");
  client_.Put("/r/nodes/n", "1");
  EXPECT_EQ(Run(), "");
  EXPECT_EQ(nodes.TakeTrace(), "list@1 done events(+n@3)");
}

TEST_F(MemoryStoreClientTest, BrokenStreamResumesWithoutLossOrRepetition) {
  StartFollow();
  client_.Put(Key("a"), "1");
  Run();
  client_.BreakStreams();
  client_.Put(Key("b"), "1");
  EXPECT_EQ(Run(), "interrupted events(+b@3)");
  EXPECT_EQ(client_.counts().streams, 2);
}

TEST_F(MemoryStoreClientTest, CompactedWhileCutOffListsAgain) {
  StartFollow();
  Run();
  client_.CutOff();
  client_.Put(Key("a"), "1");
  client_.Put(Key("a"), "2");
  client_.Put(Key("a"), "3");
  ASSERT_TRUE(client_.Compact(Revision(3)).ok());
  EXPECT_EQ(Run(), "interrupted");
  client_.Reconnect();
  EXPECT_EQ(Run(), "list@4 page(a) done");
  EXPECT_TRUE(IsCompacted(client_.Compact(Revision(3))));
  EXPECT_TRUE(IsFutureRevision(client_.Compact(Revision(5))));
}

TEST_F(MemoryStoreClientTest, ListThatIsCompactedHalfwayBeginsAnew) {
  for (const char* name : {"a", "b"}) client_.Put(Key(name), "1");
  client_.set_page_keys(1);
  follow_ = client_.Follow({.prefix = kPrefix, .name = "pods"}, &observer_);
  executor_.RunOne();
  executor_.RunOne();
  client_.Put(Key("c"), "1");
  ASSERT_TRUE(client_.Compact(Revision(4)).ok());
  EXPECT_EQ(Run(), "list@3 page(a) interrupted list@4 page(a) page(b) page(c) done");
}

TEST_F(MemoryStoreClientTest, HeldListsStopAfterThePageAtHand) {
  client_.Put(Key("a"), "1");
  client_.HoldLists();
  StartFollow();
  EXPECT_EQ(Run(), "");
  client_.ReleaseLists();
  EXPECT_EQ(Run(), "list@2 page(a) done");
}

TEST_F(MemoryStoreClientTest, RewindTellsAndListsAgain) {
  client_.Put(Key("a"), "1");
  client_.Put(Key("b"), "1");
  StartFollow();
  Run();
  client_.Rewind(Revision(2));
  std::optional<absl::StatusOr<Revision>> early;
  client_.ReadRevision(clock_.Now() + absl::Seconds(1), [&](auto revision) { early = revision; });
  EXPECT_EQ(Run(), "rewound list@2 page(a) done");
  ASSERT_TRUE(early.has_value());
  EXPECT_EQ(KindOf(early->status()), ErrorKind::kRewound);
  EXPECT_EQ(client_.Put(Key("c"), "1"), Revision(3));
  EXPECT_EQ(Run(), "events(+c@3)");
}

TEST_F(MemoryStoreClientTest, RevisionReadSamplesInTheCall) {
  client_.DelayRevisionReads(absl::Milliseconds(10));
  std::optional<absl::StatusOr<Revision>> answer;
  client_.ReadRevision(clock_.Now() + absl::Seconds(1), [&](auto revision) { answer = revision; });
  client_.Put(Key("a"), "1");
  executor_.RunFor(absl::Milliseconds(9));
  EXPECT_FALSE(answer.has_value());
  executor_.RunFor(absl::Milliseconds(1));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(**answer, Revision(1));
}

TEST_F(MemoryStoreClientTest, HeldReadEndsAtItsDeadline) {
  client_.HoldRevisionReads();
  std::optional<absl::StatusOr<Revision>> late, released;
  client_.ReadRevision(clock_.Now() + absl::Seconds(1), [&](auto revision) { late = revision; });
  client_.ReadRevision(clock_.Now() + absl::Seconds(9), [&](auto revision) { released = revision; });
  executor_.RunFor(absl::Seconds(1));
  ASSERT_TRUE(late.has_value());
  EXPECT_EQ(KindOf(late->status()), ErrorKind::kStoreUnavailable);
  EXPECT_FALSE(released.has_value());
  client_.ReleaseRevisionReads();
  executor_.RunUntilIdle();
  ASSERT_TRUE(released.has_value());
  EXPECT_TRUE(released->ok());
}

TEST_F(MemoryStoreClientTest, ReadsWhileCutOffAreAnsweredAfterReconnect) {
  client_.CutOff();
  std::optional<absl::StatusOr<Revision>> revision;
  std::optional<absl::StatusOr<RangeResult>> range;
  client_.ReadRevision(clock_.Now() + absl::Seconds(9), [&](auto found) { revision = found; });
  client_.Range({.key = Key("a")}, clock_.Now() + absl::Seconds(1), [&](auto found) { range = std::move(found); });
  executor_.RunFor(absl::Seconds(1));
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(KindOf(range->status()), ErrorKind::kStoreUnavailable);
  client_.Put(Key("a"), "1");
  client_.Reconnect();
  executor_.RunUntilIdle();
  ASSERT_TRUE(revision.has_value());
  EXPECT_EQ(**revision, Revision(2));
}

TEST_F(MemoryStoreClientTest, FailedReadsAndDestruction) {
  std::optional<absl::StatusOr<Revision>> failed, stopped;
  {
    MemoryStoreClient client(executor_);
    client.FailRevisionReads(absl::UnavailableError("no leader"));
    client.ReadRevision(clock_.Now() + absl::Seconds(1), [&](auto revision) { failed = revision; });
    executor_.RunUntilIdle();
    client.HoldRevisionReads();
    client.ReadRevision(absl::InfiniteFuture(), [&](auto revision) { stopped = revision; });
  }
  executor_.RunUntilIdle();
  ASSERT_TRUE(failed.has_value() && stopped.has_value());
  EXPECT_EQ(failed->status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(KindOf(stopped->status()), ErrorKind::kStopped);
}

TEST_F(MemoryStoreClientTest, ObserverHearsNothingAfterItsHandle) {
  StartFollow();
  Run();
  client_.Put(Key("a"), "1");
  follow_.reset();
  EXPECT_EQ(Run(), "");
}

}  // namespace
}  // namespace tidemark::storeclient
