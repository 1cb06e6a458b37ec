#include "store/raft/replicated_log_conformance.h"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/status.h"
#include "gmock/gmock.h"
#include "store/raft/memory_file_env.h"
#include "store/raft/memory_log.h"
#include "store/raft/single_log.h"

namespace tidemark::raft {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What came of proposals, and of reads.
class Outcomes {
 public:
  void Apply(absl::Span<CommittedOperation> operations) {
    MutexLock lock(&mu_);
    while (held_) changed_.Wait(&mu_);
    for (CommittedOperation& operation : operations) {
      EXPECT_EQ(operation.index, last_.Next());
      EXPECT_GE(operation.term, term_);
      last_ = operation.index;
      term_ = operation.term;
      applied_.push_back(std::string(operation.payload));
      if (operation.proposal != nullptr) {
        EXPECT_EQ(operation.proposal->payload(), applied_.back());
        own_.push_back(applied_.back());
      }
    }
    changed_.SignalAll();
  }
  void Fail(const std::string& payload, const absl::Status& reason) {
    MutexLock lock(&mu_);
    failed_.push_back(absl::StrCat(payload, ":", ErrorKindName(KindOf(reason))));
    changed_.SignalAll();
  }
  void Read(const absl::Status& status) {
    MutexLock lock(&mu_);
    reads_.push_back(status);
    changed_.SignalAll();
  }
  // While held, an apply callback waits.
  void Hold(bool held) {
    MutexLock lock(&mu_);
    held_ = held;
    changed_.SignalAll();
  }
  void SetLast(LogIndex last) {
    MutexLock lock(&mu_);
    last_ = last;
  }

  std::vector<std::string> WaitApplied(size_t count) {
    MutexLock lock(&mu_);
    while (applied_.size() < count) changed_.Wait(&mu_);
    return applied_;
  }
  std::vector<std::string> WaitFailed(size_t count) {
    MutexLock lock(&mu_);
    while (failed_.size() < count) changed_.Wait(&mu_);
    return failed_;
  }
  std::vector<absl::Status> WaitReads(size_t count) {
    MutexLock lock(&mu_);
    while (reads_.size() < count) changed_.Wait(&mu_);
    return reads_;
  }
  std::vector<std::string> own() const {
    MutexLock lock(&mu_);
    return own_;
  }
  std::vector<std::string> failed() const {
    MutexLock lock(&mu_);
    return failed_;
  }

 private:
  mutable Mutex mu_;
  CondVar changed_;
  bool held_ ABSL_GUARDED_BY(mu_) = false;
  LogIndex last_ ABSL_GUARDED_BY(mu_);
  Term term_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<std::string> applied_ ABSL_GUARDED_BY(mu_);
  std::vector<std::string> own_ ABSL_GUARDED_BY(mu_);
  std::vector<std::string> failed_ ABSL_GUARDED_BY(mu_);
  std::vector<absl::Status> reads_ ABSL_GUARDED_BY(mu_);
};

class TestProposal : public Proposal {
 public:
  TestProposal(std::string payload, Outcomes* outcomes) : Proposal(std::move(payload)), outcomes_(outcomes) {}
  void Fail(const absl::Status& reason) override { outcomes_->Fail(std::string(payload()), reason); }

 private:
  Outcomes* const outcomes_;
};

void Propose(ReplicatedLog* log, Outcomes* outcomes, std::string payload) {
  log->Propose(std::make_unique<TestProposal>(std::move(payload), outcomes));
}

std::unique_ptr<ReplicatedLog> OpenAndStart(LogHarness* harness, Outcomes* outcomes, LogIndex applied = LogIndex(),
                                            size_t bytes_max = kProposalBytesMax) {
  auto log = harness->Open(bytes_max);
  outcomes->SetLast(applied);
  const absl::Status started =
      log->Start(applied, [outcomes](absl::Span<CommittedOperation> operations) { outcomes->Apply(operations); });
  EXPECT_TRUE(started.ok()) << started;
  return log;
}

TEST_P(ReplicatedLogConformanceTest, AppliesInOrderAndHandsProposalsBack) {
  const auto harness = GetParam()();
  Outcomes outcomes;
  const auto log = OpenAndStart(harness.get(), &outcomes);
  std::vector<std::string> expected;
  for (int i = 0; i < 2000; ++i) {
    expected.push_back(absl::StrCat("op", i));
    Propose(log.get(), &outcomes, expected.back());
  }
  EXPECT_EQ(outcomes.WaitApplied(2000), expected);
  EXPECT_EQ(outcomes.own(), expected);
  EXPECT_THAT(outcomes.failed(), IsEmpty());
  log->Stop();
  const LogStatus status = log->Status();
  EXPECT_EQ(status.last, LogIndex(2000));
  EXPECT_EQ(status.committed, LogIndex(2000));
  EXPECT_EQ(status.applied, LogIndex(2000));
  EXPECT_EQ(status.queued_bytes, 0u);
  EXPECT_EQ(status.leader_id, status.identity.member_id);
}

TEST_P(ReplicatedLogConformanceTest, RestartDeliversWhatLiesAboveTheState) {
  const auto harness = GetParam()();
  {
    Outcomes outcomes;
    const auto log = OpenAndStart(harness.get(), &outcomes);
    for (int i = 1; i <= 1500; ++i) Propose(log.get(), &outcomes, absl::StrCat(i));
    outcomes.WaitApplied(1500);
  }
  Outcomes outcomes;
  const auto log = OpenAndStart(harness.get(), &outcomes, LogIndex(1497));
  EXPECT_THAT(outcomes.WaitApplied(3), ElementsAre("1498", "1499", "1500"));
  EXPECT_THAT(outcomes.own(), IsEmpty());
  EXPECT_EQ(log->Status().applied, LogIndex(1500));
  Propose(log.get(), &outcomes, "1501");
  EXPECT_EQ(outcomes.WaitApplied(4).back(), "1501");
}

TEST_P(ReplicatedLogConformanceTest, IdentityStaysAndTermRisesOverRestarts) {
  const auto harness = GetParam()();
  Outcomes outcomes;
  LogStatus before = OpenAndStart(harness.get(), &outcomes)->Status();
  for (int i = 0; i < 3; ++i) {
    const LogStatus status = OpenAndStart(harness.get(), &outcomes)->Status();
    EXPECT_EQ(status.identity.cluster_id, before.identity.cluster_id);
    EXPECT_EQ(status.identity.member_id, before.identity.member_id);
    EXPECT_GT(status.term, before.term);
    before = status;
  }
}

TEST_P(ReplicatedLogConformanceTest, StateAheadOfTheLogIsRefused) {
  const auto harness = GetParam()();
  const auto log = harness->Open(kProposalBytesMax);
  const absl::Status started = log->Start(LogIndex(5), [](absl::Span<CommittedOperation>) {});
  EXPECT_EQ(KindOf(started), ErrorKind::kCorrupt) << started;
}

TEST_P(ReplicatedLogConformanceTest, AboveTheLimitProposalsAreRefused) {
  const auto harness = GetParam()();
  Outcomes outcomes;
  const auto log = OpenAndStart(harness.get(), &outcomes, LogIndex(), 3 * (kProposalOverheadBytes + 1));
  outcomes.Hold(true);
  for (const char* payload : {"a", "b", "c"}) Propose(log.get(), &outcomes, payload);
  Propose(log.get(), &outcomes, "d");
  EXPECT_THAT(outcomes.failed(), ElementsAre("d:overloaded"));
  outcomes.Hold(false);
  outcomes.WaitApplied(3);
  // One larger than the limit passes when nothing else is under way, whenever that is.
  std::string large(2000, 'L');
  while (log->Status().queued_bytes > 0) std::this_thread::yield();
  Propose(log.get(), &outcomes, large);
  EXPECT_EQ(outcomes.WaitApplied(4).back(), large);
}

TEST_P(ReplicatedLogConformanceTest, ReadBarrierAnswersEachOnce) {
  const auto harness = GetParam()();
  Outcomes outcomes;
  const auto log = OpenAndStart(harness.get(), &outcomes);
  for (int i = 0; i < 50; ++i) {
    Propose(log.get(), &outcomes, absl::StrCat(i));
    log->ReadBarrier([&](const absl::Status& status) { outcomes.Read(status); });
  }
  for (const absl::Status& status : outcomes.WaitReads(50)) EXPECT_TRUE(status.ok()) << status;
  outcomes.WaitApplied(50);
  log->Stop();
  EXPECT_EQ(outcomes.WaitReads(50).size(), 50u);
}

TEST_P(ReplicatedLogConformanceTest, DurableIndexLetsOldOperationsGo) {
  const auto harness = GetParam()();
  {
    Outcomes outcomes;
    const auto log = OpenAndStart(harness.get(), &outcomes);
    for (int i = 1; i <= 40; ++i) {
      Propose(log.get(), &outcomes, std::string(1000, 'x'));
      outcomes.WaitApplied(i);
    }
    log->SetDurable(LogIndex(35));
    while (log->Status().first == LogIndex(1)) std::this_thread::yield();
    EXPECT_LE(log->Status().first, LogIndex(36));
    log->SetDurable(LogIndex(10));  // never goes back
  }
  {
    const auto log = harness->Open(kProposalBytesMax);
    EXPECT_EQ(KindOf(log->Start(LogIndex(0), [](absl::Span<CommittedOperation>) {})), ErrorKind::kCorrupt);
  }
  Outcomes outcomes;
  const auto log = OpenAndStart(harness.get(), &outcomes, LogIndex(35));
  EXPECT_EQ(outcomes.WaitApplied(5).size(), 5u);
}

TEST_P(ReplicatedLogConformanceTest, AfterAFailedWriteEverythingIsRefusedUntilRestart) {
  const auto harness = GetParam()();
  {
    Outcomes outcomes;
    const auto log = OpenAndStart(harness.get(), &outcomes);
    Propose(log.get(), &outcomes, "good");
    outcomes.WaitApplied(1);
    harness->FailWrites(log.get());
    Propose(log.get(), &outcomes, "lost");
    EXPECT_THAT(outcomes.WaitFailed(1), ElementsAre("lost:store unavailable"));
    harness->HealWrites();
    Propose(log.get(), &outcomes, "refused");
    EXPECT_THAT(outcomes.WaitFailed(2), ElementsAre("lost:store unavailable", "refused:store unavailable"));
    EXPECT_FALSE(log->Status().failure.ok());
    log->ReadBarrier([&](const absl::Status& status) { outcomes.Read(status); });
    EXPECT_TRUE(outcomes.WaitReads(1)[0].ok());
  }
  Outcomes outcomes;
  const auto log = OpenAndStart(harness.get(), &outcomes);
  EXPECT_TRUE(log->Status().failure.ok());
  Propose(log.get(), &outcomes, "again");
  std::vector<std::string> applied;
  for (size_t count = 2; applied.empty() || applied.back() != "again"; ++count) applied = outcomes.WaitApplied(count);
  EXPECT_EQ(applied.front(), "good");
}

TEST_P(ReplicatedLogConformanceTest, StoppedLogRefuses) {
  const auto harness = GetParam()();
  Outcomes outcomes;
  const auto log = OpenAndStart(harness.get(), &outcomes);
  log->Stop();
  log->Stop();
  Propose(log.get(), &outcomes, "late");
  EXPECT_THAT(outcomes.WaitFailed(1), ElementsAre("late:stopped"));
  log->ReadBarrier([&](const absl::Status& status) { outcomes.Read(status); });
  EXPECT_EQ(KindOf(outcomes.WaitReads(1)[0]), ErrorKind::kStopped);
}

TEST_P(ReplicatedLogConformanceTest, EveryProposalOfAStoppingLogIsAppliedOrFails) {
  const auto harness = GetParam()();
  for (int round = 0; round < 20; ++round) {
    Outcomes before;
    auto log = harness->Open(kProposalBytesMax);
    ASSERT_TRUE(log->Start(log->Status().last,
                           [&](absl::Span<CommittedOperation> operations) {
                             before.SetLast(LogIndex(operations.front().index.value() - 1));
                             before.Apply(operations);
                           })
                    .ok());
    for (int i = 0; i < 200; ++i) Propose(log.get(), &before, absl::StrCat(i));
    log.reset();
    EXPECT_EQ(before.own().size() + before.failed().size(), 200u);
  }
}

class SingleLogHarness : public LogHarness {
 public:
  std::unique_ptr<ReplicatedLog> Open(size_t proposal_bytes_max) override {
    SingleLogOptions options;
    options.env = &env_;
    options.directory = "/wal";
    options.if_new = {1, 2};
    options.segment_bytes = options.first_segment_bytes = 8192;  // rolls often
    options.proposal_bytes_max = proposal_bytes_max;
    auto log = SingleLog::Open(options);
    EXPECT_TRUE(log.ok()) << log.status();
    return *std::move(log);
  }
  void FailWrites(ReplicatedLog* log) override {
    (void)log;
    env_.FailSyncsAfter(0);
  }
  void HealWrites() override { env_.HealSyncs(); }

 private:
  MemoryFileEnv env_;
};

class MemoryLogHarness : public LogHarness {
 public:
  MemoryLogHarness() : thread_("memory-log") {}
  std::unique_ptr<ReplicatedLog> Open(size_t proposal_bytes_max) override {
    MemoryLogOptions options;
    options.write_delay = absl::Microseconds(50);
    options.read_delay = absl::Microseconds(50);
    options.proposal_bytes_max = proposal_bytes_max;
    return std::make_unique<MemoryLog>(&disk_, &thread_, options);
  }
  void FailWrites(ReplicatedLog* log) override { static_cast<MemoryLog*>(log)->FailWrites(); }
  void HealWrites() override {}

 private:
  MemoryLogDisk disk_;
  LoopThread thread_;
};

INSTANTIATE_TEST_SUITE_P(SingleLog, ReplicatedLogConformanceTest,
                         ::testing::Values(+[]() -> std::unique_ptr<LogHarness> {
                           return std::make_unique<SingleLogHarness>();
                         }));
INSTANTIATE_TEST_SUITE_P(MemoryLog, ReplicatedLogConformanceTest,
                         ::testing::Values(+[]() -> std::unique_ptr<LogHarness> {
                           return std::make_unique<MemoryLogHarness>();
                         }));

}  // namespace
}  // namespace tidemark::raft
