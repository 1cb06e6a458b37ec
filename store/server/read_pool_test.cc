#include "store/server/read_pool.h"

#include <atomic>
#include <memory>
#include <thread>

#include "gtest/gtest.h"

namespace tidemark::store {
namespace {

TEST(ReadPoolTest, RunsEveryTask) {
  std::atomic<int> ran{0};
  {
    ReadPool pool("test", 3);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(pool.Post([&ran] { ++ran; }));
    }
    while (ran < 1000) std::this_thread::yield();
  }
  EXPECT_EQ(ran, 1000);
}

TEST(ReadPoolTest, RefusesBeyondItsLimitAndDestroysWhatIsLeft) {
  ReadPool pool("test", 1);
  std::atomic<bool> started{false};
  std::atomic<bool> release{false};
  ASSERT_TRUE(pool.Post([&] {
    started = true;
    while (!release) std::this_thread::yield();
  }));
  while (!started) std::this_thread::yield();
  const auto witness = std::make_shared<int>();
  for (size_t i = 0; i < ReadPool::kTasksMax; ++i) {
    ASSERT_TRUE(pool.Post([witness] { FAIL(); }));
  }
  EXPECT_FALSE(pool.Post([] { FAIL(); }));
  std::thread stopper([&] { pool.Stop(); });
  while (witness.use_count() > 1) std::this_thread::yield();
  release = true;
  stopper.join();
  EXPECT_FALSE(pool.Post([] { FAIL(); }));
}

}  // namespace
}  // namespace tidemark::store
