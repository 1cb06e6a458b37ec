#include "crd/scale.h"

#include <gtest/gtest.h>

namespace tidemark::crd {
namespace {

const ScalePaths kPaths = {
    .spec_replicas = ".spec.replicas", .status_replicas = ".status.replicas", .label_selector = ".status.selector"};

std::string ScaleText(const char* object) {
  const absl::StatusOr<std::string> scale = ScaleOf(*ParseJson(object), kPaths);
  return scale.ok() ? *scale : std::string(scale.status().message());
}

TEST(ScaleTest, ReplicasComeFromThePaths) {
  EXPECT_EQ(ScaleText(R"({"metadata":{"name":"w1","namespace":"shop","uid":"u","resourceVersion":"82","generation":1,
                          "creationTimestamp":"2026-11-21T00:56:05Z"},"spec":{"replicas":2},
                          "status":{"replicas":1,"selector":"app=web"}})"),
            R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"w1","namespace":"shop","uid":"u",)"
            R"("resourceVersion":"82","creationTimestamp":"2026-11-21T00:56:05Z"},"spec":{"replicas":2},)"
            R"("status":{"replicas":1,"selector":"app=web"}})");
}

TEST(ScaleTest, ZeroAndMissing) {
  EXPECT_EQ(
      ScaleText(R"({"metadata":{"name":"w"},"spec":{"replicas":0}})"),
      R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"w"},"spec":{},"status":{"replicas":0}})");
  EXPECT_EQ(ScaleText(R"({"metadata":{"name":"w"},"spec":{}})"),
            "the spec replicas field \".spec.replicas\" does not exist");
}

TEST(ScaleTest, WrongTypesAreNamed) {
  EXPECT_EQ(ScaleText(R"({"spec":{"replicas":"3"}})"),
            ".spec.replicas accessor error: 3 is of the type string, expected int64");
  EXPECT_EQ(ScaleText(R"({"spec":5})"),
            ".spec.replicas accessor error: 5 is of the type int64, expected map[string]interface{}");
}

}  // namespace
}  // namespace tidemark::crd
