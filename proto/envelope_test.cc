#include "proto/envelope.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark::proto {
namespace {

TEST(EnvelopeTest, ReadsWhatItWrites) {
  const std::string value = WriteEnvelope({.api_version = "apps/v1", .kind = "Deployment", .object = "bytes"});
  EXPECT_EQ(value, std::string("k8s\0\x0a\x15\x0a\x07"
                               "apps/v1\x12\x0a"
                               "Deployment\x12\x05"
                               "bytes\x1a\0\x22\0",
                               38));
  const absl::StatusOr<Envelope> envelope = ReadEnvelope(value);
  ASSERT_TRUE(envelope.ok()) << envelope.status();
  EXPECT_EQ(envelope->api_version, "apps/v1");
  EXPECT_EQ(envelope->kind, "Deployment");
  EXPECT_EQ(envelope->object, "bytes");
}

TEST(EnvelopeTest, WhatIsNoneIsAnError) {
  EXPECT_FALSE(ReadEnvelope("").ok());
  EXPECT_FALSE(ReadEnvelope("k8s").ok());
  EXPECT_FALSE(ReadEnvelope(R"({"kind":"Pod"})").ok());
  EXPECT_FALSE(ReadEnvelope(std::string("k8s\0\x0a", 5)).ok());
  EXPECT_FALSE(ReadEnvelope(std::string("k8s\0\x0a\x02\x0a\x07", 8)).ok()) << "a kind that is no message";
  EXPECT_TRUE(ReadEnvelope(std::string("k8s\0", 4)).ok());
}

}  // namespace
}  // namespace tidemark::proto
