#include "http/slow_lane.h"

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "metrics/registry.h"

namespace tidemark::http {
namespace {

using testing::ElementsAre;

class SlowLaneTest : public testing::Test {
 protected:
  SimClock clock_;
  metrics::Registry registry_;
  metrics::HttpMetrics metrics_{&registry_};
  SimExecutor executor_{clock_};
  SlowLane lane_{&executor_, &metrics_};
};

TEST_F(SlowLaneTest, TasksRunOneAfterTheOther) {
  std::vector<int> ran;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(lane_.Post([&ran, i] { ran.push_back(i); }));
  EXPECT_EQ(metrics_.slow_answers_waiting.Value(), 3);
  EXPECT_TRUE(ran.empty());
  executor_.RunUntilIdle();
  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
  EXPECT_EQ(metrics_.slow_answers_waiting.Value(), 0);
}

TEST_F(SlowLaneTest, TheOneThatRunsHoldsNoPlace) {
  int accepted = 0;
  ASSERT_TRUE(lane_.Post([this, &accepted] {
    while (lane_.Post([] {})) ++accepted;
  }));
  executor_.RunOne();
  EXPECT_EQ(accepted, SlowLane::kWaitingMax);
}

TEST_F(SlowLaneTest, WhatIsRefusedIsDestroyedAndCounted) {
  for (int i = 0; i < SlowLane::kWaitingMax; ++i) ASSERT_TRUE(lane_.Post([] {}));
  const auto held = std::make_shared<int>(0);
  EXPECT_FALSE(lane_.Post([held] { FAIL() << "it ran"; }));
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(metrics_.slow_answers_refused.Value(), 1);
  EXPECT_EQ(SlowLane::Refusal().code, 429);
  executor_.RunUntilIdle();
  EXPECT_TRUE(lane_.Post([] {}));
}

}  // namespace
}  // namespace tidemark::http
