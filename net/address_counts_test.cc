#include "net/address_counts.h"

#include <string>

#include "gtest/gtest.h"

namespace tidemark::net {
namespace {

TEST(AddressCountsTest, PortsOfOneAddressCountTogether) {
  AddressCounts counts;
  EXPECT_TRUE(counts.Add("10.0.0.1:1", 2));
  EXPECT_TRUE(counts.Add("10.0.0.1:2", 2));
  EXPECT_FALSE(counts.Add("10.0.0.1:3", 2));
  EXPECT_TRUE(counts.Add("10.0.0.2:3", 2));
  EXPECT_TRUE(counts.Add("[::1]:1", 1));
  EXPECT_FALSE(counts.Add("[::1]:2", 1));
  EXPECT_TRUE(counts.Add("[::2]:2", 1));
  counts.Remove("10.0.0.1:1");
  EXPECT_TRUE(counts.Add("10.0.0.1:3", 2));
  EXPECT_FALSE(counts.Add("10.0.0.1:4", 2));
}

TEST(AddressCountsTest, AnAddressWithoutConnectionsIsForgotten) {
  AddressCounts counts;
  EXPECT_FALSE(counts.Add("10.0.0.1:1", 0));
  EXPECT_EQ(counts.size(), 0u);
  for (const std::string peer : {"10.0.0.1:1", "10.0.0.1:2", "10.0.0.2:1"}) EXPECT_TRUE(counts.Add(peer, 9));
  EXPECT_EQ(counts.size(), 2u);
  for (const std::string peer : {"10.0.0.1:2", "10.0.0.2:1"}) counts.Remove(peer);
  EXPECT_EQ(counts.size(), 1u);
  counts.Remove("10.0.0.1:1");
  EXPECT_EQ(counts.size(), 0u);
}

TEST(AddressCountsTest, WhatHasNoAddressHasNoLimit) {
  AddressCounts counts;
  for (const std::string peer : {"", "@socket", "?:1", "[?]:1", ":1"}) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(counts.Add(peer, 1)) << peer;
    for (int i = 0; i < 3; ++i) counts.Remove(peer);
  }
  EXPECT_EQ(counts.size(), 0u);
}

}  // namespace
}  // namespace tidemark::net
