#include "store/raft/memory_log.h"

#include <utility>

#include "base/status.h"
#include "gtest/gtest.h"

namespace tidemark::raft {
namespace {

class CountingProposal : public Proposal {
 public:
  CountingProposal(std::string payload, int* failures) : Proposal(std::move(payload)), failures_(failures) {}
  void Fail(const absl::Status&) override { ++*failures_; }

 private:
  int* const failures_;
};

class MemoryLogTest : public ::testing::Test {
 protected:
  SimClock clock_;
  SimExecutor executor_{clock_};
  MemoryLogDisk disk_;
  int applied_ = 0;
  int failures_ = 0;
};

TEST_F(MemoryLogTest, ReadsThatComeDuringARoundShareTheNext) {
  MemoryLogOptions options;
  options.read_delay = absl::Milliseconds(10);
  MemoryLog log(&disk_, &executor_, options);
  ASSERT_TRUE(log.Start(LogIndex(), [](absl::Span<CommittedOperation>) {}).ok());
  int done = 0;
  log.ReadBarrier([&](const absl::Status&) { ++done; });
  for (int i = 0; i < 100; ++i) log.ReadBarrier([&](const absl::Status&) { ++done; });
  executor_.RunFor(absl::Milliseconds(10));
  EXPECT_EQ(done, 1);
  executor_.RunFor(absl::Milliseconds(10));
  EXPECT_EQ(done, 101);
  EXPECT_EQ(log.read_rounds(), 2);
}

TEST_F(MemoryLogTest, WriteTakesItsDelayAndStoppingBeforeLosesIt) {
  MemoryLogOptions options;
  options.write_delay = absl::Milliseconds(5);
  {
    MemoryLog log(&disk_, &executor_, options);
    ASSERT_TRUE(log.Start(LogIndex(), [&](absl::Span<CommittedOperation> span) { applied_ += span.size(); }).ok());
    log.Propose(std::make_unique<CountingProposal>("a", &failures_));
    executor_.RunFor(absl::Milliseconds(4));
    EXPECT_EQ(applied_, 0);
    executor_.RunFor(absl::Milliseconds(1));
    EXPECT_EQ(applied_, 1);
    log.Propose(std::make_unique<CountingProposal>("b", &failures_));
  }
  EXPECT_EQ(failures_, 1);
  EXPECT_EQ(disk_.last(), LogIndex(1));
}

TEST_F(MemoryLogTest, LostTailIsGoneAfterRestart) {
  {
    MemoryLog log(&disk_, &executor_, {});
    ASSERT_TRUE(log.Start(LogIndex(), [](absl::Span<CommittedOperation>) {}).ok());
    for (const char* payload : {"a", "b", "c"}) log.Propose(std::make_unique<CountingProposal>(payload, &failures_));
    executor_.RunUntilIdle();
  }
  disk_.LoseTail(2);
  MemoryLog log(&disk_, &executor_, {});
  ASSERT_TRUE(log.Start(LogIndex(), [&](absl::Span<CommittedOperation> span) { applied_ += span.size(); }).ok());
  EXPECT_EQ(applied_, 1);
}

}  // namespace
}  // namespace tidemark::raft
