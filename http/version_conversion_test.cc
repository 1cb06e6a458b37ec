#include "http/version_conversion.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json_slices.h"
#include "config/resource.h"
#include "gtest/gtest.h"

namespace tidemark::http {
namespace {

// What a kube-apiserver 1.36.3 makes of each.
struct ConvertedRow {
  const char* name;
  const char* stored;
  const char* served;
};

// Every kind of metric, and annotations of its own.
constexpr ConvertedRow kFullAutoscaler = {
    "every metric, and annotations of its own",
    R"({"metadata":{"name":"a","namespace":"n","uid":"u","creationTimestamp":"2024-01-01T00:00:00Z",)"
    R"("labels":{"l":"v"},"annotations":{"a/b":"2","zz":"1"},"finalizers":["f"]},)"
    R"("spec":{"scaleTargetRef":{"kind":"D","name":"d"},"minReplicas":0,"maxReplicas":9,)"
    R"("metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",)"
    R"("averageUtilization":60}}},{"type":"Resource","resource":{"name":"memory",)"
    R"("target":{"type":"AverageValue","averageValue":"1Gi"}}},{"type":"ContainerResource",)"
    R"("containerResource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":5},)"
    R"("container":"c"}},{"type":"Pods","pods":{"metric":{"name":"p",)"
    R"("selector":{"matchLabels":{"x":"\u003cy\u003e"}}},"target":{"type":"AverageValue",)"
    R"("averageValue":"100m"}}},{"type":"Object","object":{"describedObject":{"kind":"Ingress",)"
    R"("name":"i","apiVersion":"networking.k8s.io/v1"},"target":{"type":"Value","value":"2k"},)"
    R"("metric":{"name":"o"}}},{"type":"External","external":{"metric":{"name":"e"},)"
    R"("target":{"type":"AverageValue","averageValue":"3"}}}],)"
    R"("behavior":{"scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max",)"
    R"("policies":[{"type":"Pods","value":4,"periodSeconds":15},{"type":"Percent","value":100,)"
    R"("periodSeconds":15}]},"scaleDown":{"stabilizationWindowSeconds":60,"selectPolicy":"Max",)"
    R"("policies":[{"type":"Percent","value":10,"periodSeconds":15}],"tolerance":"100m"}}},)"
    R"("status":{"observedGeneration":3,"lastScaleTime":"2024-01-02T00:00:00Z","currentReplicas":2,)"
    R"("desiredReplicas":3,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu",)"
    R"("current":{"averageValue":"300m","averageUtilization":60}}},{"type":"Resource",)"
    R"("resource":{"name":"memory","current":{"averageValue":"1Gi"}}},{"type":"ContainerResource",)"
    R"("containerResource":{"name":"cpu","current":{"averageUtilization":5},"container":"c"}},)"
    R"({"type":"Pods","pods":{"metric":{"name":"p",)"
    R"("selector":{"matchLabels":{"x":"\u003cy\u003e"}}},"current":{"averageValue":"100m"}}},)"
    R"({"type":"Object","object":{"metric":{"name":"o"},"current":{"value":"2k"},)"
    R"("describedObject":{"kind":"Ingress","name":"i","apiVersion":"networking.k8s.io/v1"}}},)"
    R"({"type":"External","external":{"metric":{"name":"e"},"current":{"averageValue":"3"}}}],)"
    R"("conditions":[{"type":"AbleToScale","status":"True",)"
    R"("lastTransitionTime":"2024-01-02T00:00:00Z","reason":"R",)"
    R"("message":"a \"b\" \u003cc\u003e"}]}})",
    R"({"metadata":{"name":"a","namespace":"n","uid":"u","creationTimestamp":"2024-01-01T00:00:00Z",)"
    R"("labels":{"l":"v"},"annotations":{"a/b":"2",)"
    R"("autoscaling.alpha.kubernetes.io/behavior":"{\"ScaleUp\":{\"StabilizationWindowSeconds\":0,)"
    R"(\"SelectPolicy\":\"Max\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":4,\"PeriodSeconds\":15},)"
    R"({\"Type\":\"Percent\",\"Value\":100,\"PeriodSeconds\":15}],\"Tolerance\":null},)"
    R"(\"ScaleDown\":{\"StabilizationWindowSeconds\":60,\"SelectPolicy\":\"Max\",)"
    R"(\"Policies\":[{\"Type\":\"Percent\",\"Value\":10,\"PeriodSeconds\":15}],)"
    R"(\"Tolerance\":\"100m\"}}",)"
    R"("autoscaling.alpha.kubernetes.io/conditions":"[{\"type\":\"AbleToScale\",\"status\":\"True\",)"
    R"(\"lastTransitionTime\":\"2024-01-02T00:00:00Z\",\"reason\":\"R\",)"
    R"(\"message\":\"a \\\"b\\\" \\u003cc\\u003e\"}]",)"
    R"("autoscaling.alpha.kubernetes.io/current-metrics":"[{\"type\":\"Resource\",)"
    R"(\"resource\":{\"name\":\"cpu\",\"currentAverageUtilization\":60,)"
    R"(\"currentAverageValue\":\"300m\"}},{\"type\":\"Resource\",\"resource\":{\"name\":\"memory\",)"
    R"(\"currentAverageValue\":\"1Gi\"}},{\"type\":\"ContainerResource\",)"
    R"(\"containerResource\":{\"name\":\"cpu\",\"currentAverageUtilization\":5,)"
    R"(\"currentAverageValue\":\"0\",\"container\":\"c\"}},{\"type\":\"Pods\",)"
    R"(\"pods\":{\"metricName\":\"p\",\"currentAverageValue\":\"100m\",)"
    R"(\"selector\":{\"matchLabels\":{\"x\":\"\\u003cy\\u003e\"}}}},{\"type\":\"Object\",)"
    R"(\"object\":{\"target\":{\"kind\":\"Ingress\",\"name\":\"i\",)"
    R"(\"apiVersion\":\"networking.k8s.io/v1\"},\"metricName\":\"o\",\"currentValue\":\"2k\"}},)"
    R"({\"type\":\"External\",\"external\":{\"metricName\":\"e\",\"currentValue\":\"0\",)"
    R"(\"currentAverageValue\":\"3\"}}]",)"
    R"("autoscaling.alpha.kubernetes.io/metrics":"[{\"type\":\"Resource\",)"
    R"(\"resource\":{\"name\":\"memory\",\"targetAverageValue\":\"1Gi\"}},)"
    R"({\"type\":\"ContainerResource\",\"containerResource\":{\"name\":\"cpu\",)"
    R"(\"targetAverageUtilization\":5,\"container\":\"c\"}},{\"type\":\"Pods\",)"
    R"(\"pods\":{\"metricName\":\"p\",\"targetAverageValue\":\"100m\",)"
    R"(\"selector\":{\"matchLabels\":{\"x\":\"\\u003cy\\u003e\"}}}},{\"type\":\"Object\",)"
    R"(\"object\":{\"target\":{\"kind\":\"Ingress\",\"name\":\"i\",)"
    R"(\"apiVersion\":\"networking.k8s.io/v1\"},\"metricName\":\"o\",\"targetValue\":\"2k\"}},)"
    R"({\"type\":\"External\",\"external\":{\"metricName\":\"e\",\"targetAverageValue\":\"3\"}}]",)"
    R"("zz":"1"},"finalizers":["f"]},"spec":{"scaleTargetRef":{"kind":"D","name":"d"},)"
    R"("minReplicas":0,"maxReplicas":9,"targetCPUUtilizationPercentage":60},)"
    R"("status":{"observedGeneration":3,"lastScaleTime":"2024-01-02T00:00:00Z","currentReplicas":2,)"
    R"("desiredReplicas":3,"currentCPUUtilizationPercentage":60}})"};

std::string Converted(VersionConversion convert, absl::string_view object) {
  std::string json = "before";
  convert(object, &json);
  EXPECT_TRUE(absl::StartsWith(json, "before"));
  return json.substr(6);
}

TEST(VersionConversionTest, EveryOtherVersionHasItsConversion) {
  const std::vector<config::Resource> others = config::OtherVersions(config::BuiltinResources());
  EXPECT_FALSE(others.empty());
  for (const config::Resource& other : others) {
    EXPECT_NE(FindVersionConversion(other.StoredApiVersion(), other.kind, other.ApiVersion()), nullptr)
        << other.ApiVersion() << " " << other.kind;
  }
}

TEST(VersionConversionTest, NoneIsNeededForWhatIsWrittenAlike) {
  for (const config::Resource& row : config::BuiltinResources()) {
    EXPECT_EQ(FindVersionConversion(row.StoredApiVersion(), row.kind, row.ApiVersion()), nullptr) << row.kind;
  }
}

TEST(VersionConversionTest, EventsOfTheirOwnGroup) {
  const ConvertedRow rows[] = {
      {"written by core clients",
       R"({"metadata":{"name":"a","namespace":"n","uid":"u",)"
       R"("creationTimestamp":"2024-01-01T00:00:00Z"},"involvedObject":{"kind":"Pod","name":"p"},)"
       R"("reason":"Pulled","message":"a \u003cb\u003e","source":{"component":"kubelet","host":"h"},)"
       R"("firstTimestamp":"2024-01-01T00:00:00Z","lastTimestamp":"2024-01-01T00:05:00Z","count":2,)"
       R"("type":"Normal","eventTime":null,"reportingComponent":"","reportingInstance":""})",
       R"({"metadata":{"name":"a","namespace":"n","uid":"u",)"
       R"("creationTimestamp":"2024-01-01T00:00:00Z"},"eventTime":null,"reason":"Pulled",)"
       R"("regarding":{"kind":"Pod","name":"p"},"note":"a \u003cb\u003e","type":"Normal",)"
       R"("deprecatedSource":{"component":"kubelet","host":"h"},)"
       R"("deprecatedFirstTimestamp":"2024-01-01T00:00:00Z",)"
       R"("deprecatedLastTimestamp":"2024-01-01T00:05:00Z","deprecatedCount":2})"},
      {"written by events.k8s.io",
       R"({"metadata":{"name":"a","namespace":"n","uid":"u",)"
       R"("creationTimestamp":"2024-01-01T00:00:00Z"},"involvedObject":{},"source":{},)"
       R"("firstTimestamp":null,"lastTimestamp":null,"eventTime":"2024-01-01T00:00:00.000001Z",)"
       R"("series":{"count":2,"lastObservedTime":"2024-01-01T00:01:00.000001Z"},"action":"Bind",)"
       R"("related":{"kind":"Node","name":"x"},"reportingComponent":"s","reportingInstance":"s-1"})",
       R"({"metadata":{"name":"a","namespace":"n","uid":"u",)"
       R"("creationTimestamp":"2024-01-01T00:00:00Z"},"eventTime":"2024-01-01T00:00:00.000001Z",)"
       R"("series":{"count":2,"lastObservedTime":"2024-01-01T00:01:00.000001Z"},)"
       R"("reportingController":"s","reportingInstance":"s-1","action":"Bind","regarding":{},)"
       R"("related":{"kind":"Node","name":"x"},"deprecatedSource":{},"deprecatedFirstTimestamp":null,)"
       R"("deprecatedLastTimestamp":null})"},
      {"nothing but a series",
       R"({"metadata":{"name":"e"},"involvedObject":{},"source":{},"firstTimestamp":null,)"
       R"("lastTimestamp":null,"eventTime":null,"series":{"lastObservedTime":null},)"
       R"("reportingComponent":"","reportingInstance":""})",
       R"({"metadata":{"name":"e"},"eventTime":null,"series":{"count":0,"lastObservedTime":null},)"
       R"("regarding":{},"deprecatedSource":{},"deprecatedFirstTimestamp":null,)"
       R"("deprecatedLastTimestamp":null})"},
      {"nothing at all", "{}",
       R"({"metadata":{},"eventTime":null,"regarding":{},"deprecatedSource":{},"deprecatedFirstTimestamp":null,)"
       R"("deprecatedLastTimestamp":null})"},
  };
  for (const ConvertedRow& row : rows) EXPECT_EQ(Converted(AppendEventsV1Event, row.stored), row.served) << row.name;
}

TEST(VersionConversionTest, AutoscalersOfTheFirstVersion) {
  const ConvertedRow rows[] = {
      kFullAutoscaler,
      {"processors alone",
       R"({"metadata":{"name":"a","namespace":"n","uid":"u",)"
       R"("creationTimestamp":"2024-01-01T00:00:00Z"},"spec":{"scaleTargetRef":{"kind":"D","name":"d",)"
       R"("apiVersion":"apps/v1"},"minReplicas":1,"maxReplicas":2,"metrics":[{"type":"Resource",)"
       R"("resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}}]},)"
       R"("status":{"desiredReplicas":0,"currentMetrics":null}})",
       R"({"metadata":{"name":"a","namespace":"n","uid":"u",)"
       R"("creationTimestamp":"2024-01-01T00:00:00Z"},"spec":{"scaleTargetRef":{"kind":"D","name":"d",)"
       R"("apiVersion":"apps/v1"},"minReplicas":1,"maxReplicas":2,"targetCPUUtilizationPercentage":60},)"
       R"("status":{"currentReplicas":0,"desiredReplicas":0}})"},
      {"nothing at all", "{}",
       R"({"metadata":{},"spec":{"scaleTargetRef":{"kind":"","name":""},"maxReplicas":0},)"
       R"("status":{"currentReplicas":0,"desiredReplicas":0}})"},
  };
  for (const ConvertedRow& row : rows)
    EXPECT_EQ(Converted(AppendAutoscalingV1Autoscaler, row.stored), row.served) << row.name;
}

TEST(VersionConversionTest, TheFirstTargetAndTheLastUseOfTheProcessors) {
  const auto metric = [](const char* when, int use) {
    return absl::StrCat(R"({"type":"Resource","resource":{"name":"cpu",")", when, R"(":{"averageUtilization":)", use,
                        "}}}");
  };
  const std::string object =
      absl::StrCat(R"({"metadata":{},"spec":{"metrics":[)", metric("target", 10), ",", metric("target", 20),
                   R"(]},"status":{"currentMetrics":[)", metric("current", 30), ",", metric("current", 40), "]}}");
  const std::string json = Converted(AppendAutoscalingV1Autoscaler, object);
  EXPECT_EQ(FindJson(json, "spec.targetCPUUtilizationPercentage"), "10");
  EXPECT_EQ(FindJson(json, "status.currentCPUUtilizationPercentage"), "40");
  EXPECT_TRUE(absl::StrContains(json, "/current-metrics")) << json;
  EXPECT_FALSE(absl::StrContains(json, "io/metrics")) << json;
}

}  // namespace
}  // namespace tidemark::http
