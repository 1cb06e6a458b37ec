#include "openapi/made_once.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace tidemark::openapi {
namespace {

// Makes numbers from 1 on, and counts how often it does.
class MadeOnceTest : public testing::Test {
 protected:
  // Awaits it, and keeps what the waiter gets: -1 for nullptr.
  bool AwaitInto(std::vector<int>* got) {
    return made_.Await([got](const int* value) { got->push_back(value == nullptr ? -1 : *value); });
  }

  int makings_ = 0;
  MadeOnce<int> made_{[this] { return std::make_unique<const int>(++makings_); }};
};

using Values = std::vector<int>;

TEST_F(MadeOnceTest, TheFirstOneWhoAsksIsToHaveItMade) {
  Values got;
  EXPECT_TRUE(AwaitInto(&got));
  EXPECT_FALSE(AwaitInto(&got));
  EXPECT_FALSE(AwaitInto(&got));
  EXPECT_EQ(got, Values());
  EXPECT_EQ(makings_, 0);
  EXPECT_EQ(made_.Get(), nullptr);
}

TEST_F(MadeOnceTest, AllWhoWaitGetTheSameOnce) {
  std::vector<const int*> got;
  for (int i = 0; i < 3; ++i) made_.Await([&got](const int* value) { got.push_back(value); });
  const int& made = made_.Make();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(got, std::vector<const int*>(3, &made));
  EXPECT_EQ(made_.Get(), &made);
  EXPECT_EQ(&made_.Make(), &made);
  made_.GiveUp();
  EXPECT_EQ(got.size(), 3u);
  EXPECT_EQ(makings_, 1);
}

TEST_F(MadeOnceTest, WaitersAreCalledInTheirOrder) {
  Values order;
  for (int i = 0; i < 4; ++i) made_.Await([&order, i](const int*) { order.push_back(i); });
  made_.Make();
  EXPECT_EQ(order, (Values{0, 1, 2, 3}));
}

TEST_F(MadeOnceTest, WhoAsksLaterGetsItAtOnce) {
  made_.Make();
  Values got;
  EXPECT_FALSE(AwaitInto(&got));
  EXPECT_EQ(got, Values{1});
  EXPECT_FALSE(AwaitInto(&got));
  EXPECT_EQ(got, (Values{1, 1}));
  EXPECT_EQ(makings_, 1);
}

TEST_F(MadeOnceTest, WhileNobodyWaits) {
  made_.GiveUp();
  EXPECT_EQ(made_.Get(), nullptr);
  EXPECT_EQ(made_.Make(), 1);
  ASSERT_NE(made_.Get(), nullptr);
  EXPECT_EQ(*made_.Get(), 1);
  made_.GiveUp();
  EXPECT_EQ(made_.Make(), 1);
}

TEST_F(MadeOnceTest, AfterGivingUpTheNextOneIsTheFirst) {
  Values got;
  AwaitInto(&got);
  AwaitInto(&got);
  made_.GiveUp();
  EXPECT_EQ(got, (Values{-1, -1}));
  EXPECT_EQ(made_.Get(), nullptr);
  EXPECT_TRUE(AwaitInto(&got));
  EXPECT_FALSE(AwaitInto(&got));
  made_.Make();
  EXPECT_EQ(got, (Values{-1, -1, 1, 1}));
  EXPECT_EQ(makings_, 1);
}

TEST_F(MadeOnceTest, AWaiterMayAskAgain) {
  Values got;
  std::vector<bool> firsts;
  const auto ask_again = [&](const int*) { firsts.push_back(AwaitInto(&got)); };
  EXPECT_TRUE(made_.Await(ask_again));
  EXPECT_FALSE(made_.Await(ask_again));
  made_.GiveUp();
  // They wait anew, and one of them is to have it made.
  EXPECT_EQ(firsts, (std::vector<bool>{true, false}));
  EXPECT_EQ(got, Values());
  EXPECT_FALSE(made_.Await(ask_again));
  made_.Make();
  EXPECT_EQ(firsts, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(got, (Values{1, 1, 1}));
}

TEST_F(MadeOnceTest, AWaiterMaySeeItAndHaveItMade) {
  const int* seen = nullptr;
  made_.Await([&](const int* value) {
    seen = made_.Get();
    EXPECT_EQ(seen, value);
    EXPECT_EQ(&made_.Make(), value);
  });
  made_.Make();
  EXPECT_NE(seen, nullptr);
  EXPECT_EQ(makings_, 1);
  // Whoever gives up may be followed by one who does not.
  MadeOnce<int> other([] { return std::make_unique<const int>(7); });
  other.Await([&](const int* value) { seen = value == nullptr ? &other.Make() : value; });
  other.GiveUp();
  EXPECT_EQ(*seen, 7);
}

TEST_F(MadeOnceTest, WhatAWaiterHoldsIsLetGo) {
  for (const bool given_up : {false, true}) {
    auto held = std::make_shared<int>(0);
    MadeOnce<int> made([] { return std::make_unique<const int>(1); });
    made.Await([held](const int*) {});
    EXPECT_EQ(held.use_count(), 2);
    if (given_up) {
      made.GiveUp();
    } else {
      made.Make();
    }
    EXPECT_EQ(held.use_count(), 1);
    made.Await([owned = std::make_unique<int>(1)](const int*) {});  // what can only be moved
  }
}

TEST_F(MadeOnceTest, WaitersWhomNobodyCallsEndWithIt) {
  auto held = std::make_shared<int>(0);
  bool called = false;
  {
    MadeOnce<int> made([] { return std::make_unique<const int>(1); });
    made.Await([held, &called](const int*) { called = true; });
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_FALSE(called);
}

// Threads that ask all the time, while whoever is told to make it does, or gives up at first.
struct Crowd {
  explicit Crowd(int refusals) : refusals_left(refusals) {}

  void Ask() {
    const bool first = made.Await([this](const int* value) {
      called.fetch_add(1);
      if (value != nullptr && *value != 42) wrong.fetch_add(1);
    });
    if (!first) return;
    if (refusals_left.fetch_sub(1) > 0) {
      made.GiveUp();
    } else {
      made.Make();
    }
  }

  std::atomic<int> refusals_left;
  std::atomic<int> called = 0;
  std::atomic<int> wrong = 0;
  std::atomic<int> makings = 0;
  MadeOnce<int> made{[this] {
    makings.fetch_add(1);
    std::this_thread::yield();
    return std::make_unique<const int>(42);
  }};
};

TEST(MadeOnceThreadsTest, NobodyIsLost) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 100;
  constexpr int kAsked = 50;
  for (int round = 0; round < kRounds; ++round) {
    Crowd crowd(round % 3);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&crowd] {
        for (int asked = 0; asked < kAsked; ++asked) crowd.Ask();
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(crowd.called, kThreads * kAsked) << round;
    ASSERT_EQ(crowd.wrong, 0) << round;
    ASSERT_EQ(crowd.makings, 1) << round;
    ASSERT_NE(crowd.made.Get(), nullptr) << round;
  }
}

}  // namespace
}  // namespace tidemark::openapi
