#include "store/server/weak_list.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"

namespace tidemark::store {
namespace {

TEST(WeakListTest, KeepsWhatIsAliveAndForgetsTheRest) {
  WeakList<int> list;
  std::vector<std::shared_ptr<int>> alive;
  for (int i = 0; i < 1000; ++i) {
    auto object = std::make_shared<int>(i);
    list.Add(object);
    if (i % 100 == 0) alive.push_back(std::move(object));
  }
  std::vector<int> found;
  for (const std::weak_ptr<int>& item : list.items()) {
    if (const auto object = item.lock()) found.push_back(*object);
  }
  EXPECT_EQ(found, (std::vector<int>{0, 100, 200, 300, 400, 500, 600, 700, 800, 900}));
  EXPECT_LE(list.size(), 2 * alive.size());
}

// However many are alive: a bound that is a little above them must not make each addition a sweep.
TEST(WeakListTest, ShortLivedOnesBesideManyAliveAreSweptRarely) {
  for (size_t alive = 0; alive < 200; ++alive) {
    SCOPED_TRACE(alive);
    WeakList<int> list;
    std::vector<std::shared_ptr<int>> held;
    for (size_t i = 0; i < alive; ++i) {
      held.push_back(std::make_shared<int>(0));
      list.Add(held.back());
    }
    const size_t kAdded = 2000;
    size_t swept = 0;  // entries that sweeps have looked at
    for (size_t i = 0; i < kAdded; ++i) {
      const size_t before = list.size();
      list.Add(std::make_shared<int>(0));
      if (list.size() <= before) swept += before;
    }
    EXPECT_LE(swept, 3 * kAdded);
  }
}

}  // namespace
}  // namespace tidemark::store
