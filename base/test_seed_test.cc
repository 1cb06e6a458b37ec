#include "base/test_seed.h"

#include <cstdlib>
#include <string>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

// Leaves the environment as it was.
class TestSeedTest : public testing::Test {
 protected:
  TestSeedTest() {
    if (const char* given = std::getenv("TIDEMARK_SEED")) before_ = given;
  }
  ~TestSeedTest() override { before_ ? setenv("TIDEMARK_SEED", before_->c_str(), 1) : unsetenv("TIDEMARK_SEED"); }

 private:
  std::optional<std::string> before_;
};

TEST_F(TestSeedTest, GivenSeedIsTaken) {
  for (const uint64_t seed : {uint64_t{0}, uint64_t{7}, UINT64_MAX}) {
    setenv("TIDEMARK_SEED", std::to_string(seed).c_str(), 1);
    EXPECT_EQ(GivenTestSeed(), seed);
    EXPECT_EQ(TestSeed(), seed);
  }
}

TEST_F(TestSeedTest, WithoutOneEachCallHasItsOwn) {
  unsetenv("TIDEMARK_SEED");
  EXPECT_EQ(GivenTestSeed(), std::nullopt);
  const uint64_t first = TestSeed();
  bool another = false;
  for (int i = 0; i < 10 && !another; ++i) another = TestSeed() != first;
  EXPECT_TRUE(another);
}

TEST_F(TestSeedTest, NoNumberFailsACheck) {
  setenv("TIDEMARK_SEED", "seven", 1);
  EXPECT_DEATH(TestSeed(), "TIDEMARK_SEED=seven");
}

}  // namespace
}  // namespace tidemark
