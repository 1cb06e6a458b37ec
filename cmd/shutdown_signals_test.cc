#include "cmd/shutdown_signals.h"

#include <unistd.h>

#include "gtest/gtest.h"

namespace tidemark::cmd {
namespace {

TEST(ShutdownSignalsTest, ASignalIsWaitedForAndDoesNotInterrupt) {
  ShutdownSignals signals;
  EXPECT_EQ(signals.WaitFor(absl::ZeroDuration()), std::nullopt);
  ASSERT_EQ(kill(getpid(), SIGTERM), 0);
  EXPECT_EQ(signals.Wait(), SIGTERM);
  ASSERT_EQ(kill(getpid(), SIGINT), 0);
  EXPECT_EQ(signals.WaitFor(absl::Seconds(10)), SIGINT);
}

}  // namespace
}  // namespace tidemark::cmd
