#include "config/scale_json.h"

#include "gtest/gtest.h"

namespace tidemark::config {
namespace {

TEST(ScaleJsonTest, EmptyFieldsAreLeftOut) {
  const auto name = [](absl::string_view field) { return std::string(field == "name" ? "a<b" : ""); };
  EXPECT_EQ(ScaleJson({.wanted = 2, .actual = 1, .selector = "app=web"}, name),
            R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a\u003cb"},"spec":{"replicas":2},)"
            R"("status":{"replicas":1,"selector":"app=web"}})");
  const auto all = [](absl::string_view field) { return std::string(field); };
  EXPECT_EQ(ScaleJson({}, all),
            R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"name","namespace":"namespace",)"
            R"("uid":"uid","resourceVersion":"resourceVersion","creationTimestamp":"creationTimestamp"},"spec":{},)"
            R"("status":{"replicas":0}})");
}

}  // namespace
}  // namespace tidemark::config
