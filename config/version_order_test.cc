#include "config/version_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tidemark::config {
namespace {

TEST(VersionOrderTest, ReleasedBeforeBetaBeforeAlphaBeforeOtherNames) {
  std::vector<std::string> versions = {"foo10",   "v1alpha1",  "v1",   "v11beta2", "v10beta3",
                                       "v3beta1", "v12alpha1", "foo1", "v10",      "v2"};
  std::sort(versions.begin(), versions.end(), IsPreferredVersion);
  EXPECT_EQ(versions, (std::vector<std::string>{"v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1",
                                                "v1alpha1", "foo1", "foo10"}));
}

TEST(VersionOrderTest, WhatOnlyBeginsLikeAVersionIsAnotherName) {
  for (const char* other : {"v1beta", "v1beta-1", "v1beta1x", "v-1", "v1gamma1", "1", "v", "v99999999999999999999"}) {
    EXPECT_TRUE(IsPreferredVersion("v1alpha1", other)) << other;
    EXPECT_FALSE(IsPreferredVersion(other, "v1alpha1")) << other;
  }
  EXPECT_TRUE(IsPreferredVersion("v202401011200", "v2"));
}

TEST(VersionOrderTest, AVersionDoesNotComeBeforeItself) {
  for (const char* version : {"v1", "v1beta1", "other", ""}) EXPECT_FALSE(IsPreferredVersion(version, version));
}

}  // namespace
}  // namespace tidemark::config
