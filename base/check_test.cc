#include "base/check.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(CheckTest, HoldingConditionBuildsNoMessage) {
  int built = 0;
  TM_CHECK(true) << ++built;
  EXPECT_EQ(built, 0);
}

TEST(CheckDeathTest, FailedConditionStopsAndSaysWhatWasRead) {
  const int newest = 7;
  EXPECT_DEATH(TM_CHECK(newest == 8) << "newest " << newest,
               "check_test.cc:[0-9]+: check failed: newest == 8 newest 7");
}

TEST(CheckDeathTest, FailedStatusStopsWithItsText) {
  EXPECT_DEATH(TM_CHECK_OK(absl::DataLossError("torn page")), "torn page");
}

TEST(CheckTest, NestsInAnIfWithoutBraces) {
  bool reached = false;
  if (false)
    TM_CHECK(true);
  else
    reached = true;
  EXPECT_TRUE(reached);
}

}  // namespace
}  // namespace tidemark
