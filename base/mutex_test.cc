#include "base/mutex.h"

#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

struct Counter {
  Mutex mu;
  CondVar changed;
  int value ABSL_GUARDED_BY(mu) = 0;
};

TEST(MutexTest, GuardsACounter) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&counter] {
      for (int i = 0; i < 10000; ++i) {
        MutexLock lock(&counter.mu);
        ++counter.value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  MutexLock lock(&counter.mu);
  EXPECT_EQ(counter.value, 40000);
}

TEST(CondVarTest, WaitReturnsAfterASignal) {
  Counter counter;
  std::thread other([&counter] {
    MutexLock lock(&counter.mu);
    counter.value = 1;
    counter.changed.SignalAll();
  });
  {
    MutexLock lock(&counter.mu);
    while (counter.value == 0) counter.changed.Wait(&counter.mu);
  }
  other.join();
}

TEST(CondVarTest, APassedDeadlineTimesOut) {
  Counter counter;
  MutexLock lock(&counter.mu);
  EXPECT_TRUE(counter.changed.WaitWithDeadline(&counter.mu, absl::Now() - absl::Seconds(1)));
}

}  // namespace
}  // namespace tidemark
