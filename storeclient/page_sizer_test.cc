#include "storeclient/page_sizer.h"

#include <gtest/gtest.h>

namespace tidemark::storeclient {
namespace {

TEST(PageSizerTest, GrowsInStepsToTheAim) {
  PageSizer sizer;
  EXPECT_EQ(sizer.keys(), 100);
  sizer.Saw(100, 100 << 10);
  EXPECT_EQ(sizer.keys(), 400);
  sizer.Saw(400, 400 << 10);
  sizer.Saw(1600, 1600 << 10);
  sizer.Saw(6400, 6400 << 10);
  EXPECT_EQ(sizer.keys(), 16384);
  sizer.Saw(16384, 16 << 20);
  EXPECT_EQ(sizer.keys(), 16384);
}

TEST(PageSizerTest, ShrinksAtOnceForLargeObjects) {
  PageSizer sizer;
  sizer.Saw(100, 100 << 20);
  EXPECT_EQ(sizer.keys(), 16);
  sizer.Saw(16, size_t{16} * 50 << 20);
  EXPECT_EQ(sizer.keys(), PageSizer::kKeysMin);
}

TEST(PageSizerTest, TinyObjectsStopAtTheLimitOfKeys) {
  PageSizer sizer;
  for (int i = 0; i < 20; ++i) sizer.Saw(sizer.keys(), static_cast<size_t>(sizer.keys()));
  EXPECT_EQ(sizer.keys(), PageSizer::kKeysMax);
  sizer.Saw(0, 10);
  EXPECT_EQ(sizer.keys(), PageSizer::kKeysMax);
  sizer.Reset();
  EXPECT_EQ(sizer.keys(), PageSizer::kKeysFirst);
}

}  // namespace
}  // namespace tidemark::storeclient
