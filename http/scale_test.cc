#include "http/scale.h"

#include "gtest/gtest.h"

namespace tidemark::http {
namespace {

// As recorded.
TEST(ScaleTest, EachKindOfSelector) {
  EXPECT_EQ(ScaleOf(R"({"metadata":{"name":"dep","namespace":"zoo","uid":"u","resourceVersion":"96","generation":3,)"
                    R"("creationTimestamp":"2026-11-21T00:53:27Z"},"spec":{"replicas":0,"selector":{"matchLabels":)"
                    R"({"a":"b"},"matchExpressions":[{"key":"c","operator":"Exists"}]}},"status":{}})"),
            R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"dep","namespace":"zoo","uid":"u",)"
            R"("resourceVersion":"96","creationTimestamp":"2026-11-21T00:53:27Z"},"spec":{},)"
            R"("status":{"replicas":0,"selector":"a=b,c"}})");
  EXPECT_EQ(ScaleOf(R"({"metadata":{"name":"sts","resourceVersion":"98"},"spec":{"replicas":2,)"
                    R"("selector":{"matchLabels":{"a":"b"}}},"status":{"replicas":1}})"),
            R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"sts","resourceVersion":"98"},)"
            R"("spec":{"replicas":2},"status":{"replicas":1,"selector":"a=b"}})");
  EXPECT_EQ(
      ScaleOf(
          R"({"metadata":{"name":"rc"},"spec":{"replicas":1,"selector":{"c":"d","a":"b","matchLabels":"x"}},"status":{}})"),
      R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"rc"},"spec":{"replicas":1},)"
      R"("status":{"replicas":0,"selector":"a=b,c=d,matchLabels=x"}})");
  EXPECT_EQ(ScaleOf("{}"),
            R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{},"spec":{},"status":{"replicas":0}})");
}

}  // namespace
}  // namespace tidemark::http
