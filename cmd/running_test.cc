#include "cmd/running.h"

#include "absl/status/status.h"
#include "base/status.h"
#include "cmd/program.h"
#include "gtest/gtest.h"

namespace tidemark::cmd {
namespace {

TEST(RunningTest, OnlyTheVersionGuardEndsWithItsOwnStatus) {
  const Running running("cache");
  testing::internal::CaptureStderr();
  EXPECT_EQ(running.FailedToStart(MakeError(ErrorKind::kStoreTooOld, "too old")), kExitStoreTooOld);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tidemark cache: too old\n");
  EXPECT_EQ(running.FailedToStart(absl::FailedPreconditionError("of something else")), kExitFailed);
  EXPECT_EQ(running.FailedToStart(MakeError(ErrorKind::kNotLeader, "not the leader")), kExitFailed);
}

TEST(RunningTest, AStoreWhoseDiskHasFailedDoesNotEndWell) {
  const Running running("store");
  testing::internal::CaptureStderr();
  EXPECT_EQ(running.Ended(absl::OkStatus()), kExitOk);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(running.Ended(MakeError(ErrorKind::kStoreUnavailable, "cannot sync the log")), kExitFailed);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tidemark store: cannot sync the log\n");
}

}  // namespace
}  // namespace tidemark::cmd
