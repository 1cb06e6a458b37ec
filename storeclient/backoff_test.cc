#include "storeclient/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tidemark::storeclient {
namespace {

TEST(BackoffTest, FirstAtOnceThenDoublesToTheLimitWithJitter) {
  Backoff backoff(1);
  EXPECT_EQ(backoff.Next(), absl::ZeroDuration());
  absl::Duration whole = Backoff::kFirst;
  for (int i = 0; i < 40; ++i) {
    const absl::Duration wait = backoff.Next();
    EXPECT_GE(wait, whole / 2) << i;
    EXPECT_LE(wait, whole) << i;
    whole = std::min(whole * 2, Backoff::kMax);
  }
  backoff.Succeeded();
  EXPECT_EQ(backoff.Next(), absl::ZeroDuration());
}

TEST(BackoffTest, SeedsDiffer) {
  Backoff one(1), two(2);
  one.Next();
  two.Next();
  EXPECT_NE(one.Next(), two.Next());
}

}  // namespace
}  // namespace tidemark::storeclient
