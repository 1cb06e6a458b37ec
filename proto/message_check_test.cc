#include "proto/message_check.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/test_seed.h"
#include "gtest/gtest.h"
#include "proto/json_to_protobuf.h"
#include "proto/protobuf_to_json.h"

namespace tidemark::proto {
namespace {

struct MadeMessage {
  const char* api_version;
  const char* kind;
  const char* json;
};

// Each form that a message can have is in one of them.
constexpr MadeMessage kMessages[] = {
    {"v1", "Pod",
     R"({"metadata":{"name":"a","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"web","tier":""},)"
     R"("managedFields":[{"manager":"m","time":"2026-01-02T03:04:05Z","fieldsV1":{"f:spec":{"f:a":{}}}}]},)"
     R"("spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"100m","memory":"1.5Gi"}},)"
     R"("ports":[{"containerPort":80}],"livenessProbe":{"httpGet":{"port":"http"}}}],"nodeName":"n"},)"
     R"("status":{"phase":"Running","podIPs":[{"ip":"10.0.0.1"}]}})"},
    {"apps/v1", "Deployment",
     R"({"metadata":{"name":"a"},"spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"}},)"
     R"("strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":1}}}})"},
    {"v1", "ConfigMap", R"({"metadata":{"name":"a"},"data":{"k":"v"},"binaryData":{"b":"AAEC"}})"},
    {"coordination.k8s.io/v1", "Lease",
     R"({"metadata":{"name":"a"},"spec":{"renewTime":"2026-01-02T03:04:05.000006Z","leaseDurationSeconds":40}})"},
    {"apiextensions.k8s.io/v1", "CustomResourceDefinition",
     R"({"metadata":{"name":"a"},"spec":{"group":"g","names":{"kind":"K","plural":"ks"},"versions":[{"name":"v1",)"
     R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"x":{"type":"number","maximum":1.5,"default":{"a":1},)"
     R"("items":{"type":"string"},"additionalProperties":true,"enum":[1,"b"]}}}}}]}})"},
};

class MessageCheckTest : public ::testing::TestWithParam<MadeMessage> {
 protected:
  void SetUp() override {
    type_ = FindKind(GetParam().api_version, GetParam().kind);
    ASSERT_NE(type_, nullptr);
    const absl::Status made = JsonToProtobuf().Append(*type_, GetParam().json, &message_);
    ASSERT_TRUE(made.ok()) << made;
  }

  bool CanBeWritten(absl::string_view message) {
    std::string json = "{";
    return ProtobufToJson().AppendFields(*type_, message, &json).ok();
  }

  const MessageType* type_ = nullptr;
  std::string message_;
  ProtobufToJson to_json_;
  RawJson raw_;
  std::string scratch_;
  MessageCheck check_{ProtobufToJson::kDepthMax, &raw_, &scratch_};
};

INSTANTIATE_TEST_SUITE_P(Kinds, MessageCheckTest, testing::ValuesIn(kMessages),
                         [](const auto& info) { return std::string(info.param.kind); });

TEST_P(MessageCheckTest, WhatAServerWritesIsSurelyGood) { EXPECT_TRUE(check_.IsSurelyGood(*type_, message_)); }

TEST_P(MessageCheckTest, WhatComesInPiecesIsNot) {
  const std::string twice = message_ + message_;
  EXPECT_FALSE(check_.IsSurelyGood(*type_, twice));
  EXPECT_TRUE(to_json_.Check(*type_, twice).ok());
}

TEST_P(MessageCheckTest, WhatIsSurelyGoodCanBeWrittenWhateverIsBroken) {
  const uint64_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  std::mt19937_64 random(seed);
  int good = 0, broken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string message = message_;
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const size_t at = random() % message.size();
      switch (random() % 4) {
        case 0:
          message[at] = static_cast<char>(random());
          break;
        case 1:
          message[at] = static_cast<char>(message[at] ^ 1 << random() % 8);
          break;
        case 2:
          message.erase(at, 1 + random() % 3);
          break;
        default:
          message.insert(at, message_, random() % message_.size(), random() % 12);
      }
      if (message.empty()) message = message_;
    }
    const bool is_good = check_.IsSurelyGood(*type_, message);
    const bool can_be_written = CanBeWritten(message);
    ASSERT_TRUE(!is_good || can_be_written) << testing::PrintToString(message);
    ASSERT_EQ(to_json_.Check(*type_, message).ok(), can_be_written) << testing::PrintToString(message);
    good += is_good;
    broken += !can_be_written;
  }
  EXPECT_GT(good, 100);
  EXPECT_GT(broken, 100);
}

TEST(MessageCheckDepthTest, WhatLiesTooDeepIsNotGood) {
  const MessageType* const type = FindKind("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  ASSERT_NE(type, nullptr);
  RawJson raw;
  std::string scratch;
  constexpr int kDepthMax = 40;
  MessageCheck check(kDepthMax, &raw, &scratch);
  for (const int depth : {10, 30, 50, 200}) {
    std::string schema = R"({"type":"string"})";
    for (int i = 0; i < depth; ++i) schema = absl::StrCat(R"({"not":)", schema, "}");
    const std::string json =
        absl::StrCat(R"({"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":)", schema, "}}]}}");
    std::string message;
    ASSERT_TRUE(JsonToProtobuf().Append(*type, json, &message).ok());
    EXPECT_EQ(check.IsSurelyGood(*type, message), depth < kDepthMax) << depth;
  }
}

}  // namespace
}  // namespace tidemark::proto
