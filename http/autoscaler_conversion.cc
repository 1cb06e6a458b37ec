// autoscaling/v2 to autoscaling/v1, which knows no target but the processors' use: all else stands as JSON in annotations.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"
#include "base/json_rules.h"
#include "base/json_slices.h"
#include "http/version_conversion.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kNoReference = R"({"kind":"","name":""})";
constexpr absl::string_view kNoText = R"("")";
constexpr absl::string_view kNoQuantity = R"("0")";

constexpr JsonRule kObjectSource[] = {{"target", "describedObject", kNoReference},
                                      {"metricName", "metric.name", kNoText},
                                      {"targetValue", "target.value", kNoQuantity},
                                      {"selector", "metric.selector"},
                                      {"averageValue", "target.averageValue"}};
constexpr JsonRule kPodsSource[] = {{"metricName", "metric.name", kNoText},
                                    {"targetAverageValue", "target.averageValue", kNoQuantity},
                                    {"selector", "metric.selector"}};
constexpr JsonRule kResourceSource[] = {{"name", "name", kNoText},
                                        {"targetAverageUtilization", "target.averageUtilization"},
                                        {"targetAverageValue", "target.averageValue"}};
constexpr JsonRule kContainerSource[] = {{"name", "name", kNoText},
                                         {"targetAverageUtilization", "target.averageUtilization"},
                                         {"targetAverageValue", "target.averageValue"},
                                         {"container", "container", kNoText}};
constexpr JsonRule kExternalSource[] = {{"metricName", "metric.name", kNoText},
                                        {"metricSelector", "metric.selector"},
                                        {"targetValue", "target.value"},
                                        {"targetAverageValue", "target.averageValue"}};
constexpr JsonRule kMetric[] = {{"type", "type", kNoText},
                                {"object", "object", kOmitAbsent, kObjectSource},
                                {"pods", "pods", kOmitAbsent, kPodsSource},
                                {"resource", "resource", kOmitAbsent, kResourceSource},
                                {"containerResource", "containerResource", kOmitAbsent, kContainerSource},
                                {"external", "external", kOmitAbsent, kExternalSource}};

constexpr JsonRule kObjectNow[] = {{"target", "describedObject", kNoReference},
                                   {"metricName", "metric.name", kNoText},
                                   {"currentValue", "current.value", kNoQuantity},
                                   {"selector", "metric.selector"},
                                   {"averageValue", "current.averageValue"}};
constexpr JsonRule kPodsNow[] = {{"metricName", "metric.name", kNoText},
                                 {"currentAverageValue", "current.averageValue", kNoQuantity},
                                 {"selector", "metric.selector"}};
constexpr JsonRule kResourceNow[] = {{"name", "name", kNoText},
                                     {"currentAverageUtilization", "current.averageUtilization"},
                                     {"currentAverageValue", "current.averageValue", kNoQuantity}};
constexpr JsonRule kContainerNow[] = {{"name", "name", kNoText},
                                      {"currentAverageUtilization", "current.averageUtilization"},
                                      {"currentAverageValue", "current.averageValue", kNoQuantity},
                                      {"container", "container", kNoText}};
constexpr JsonRule kExternalNow[] = {{"metricName", "metric.name", kNoText},
                                     {"metricSelector", "metric.selector"},
                                     {"currentValue", "current.value", kNoQuantity},
                                     {"currentAverageValue", "current.averageValue"}};
constexpr JsonRule kMetricNow[] = {{"type", "type", kNoText},
                                   {"object", "object", kOmitAbsent, kObjectNow},
                                   {"pods", "pods", kOmitAbsent, kPodsNow},
                                   {"resource", "resource", kOmitAbsent, kResourceNow},
                                   {"containerResource", "containerResource", kOmitAbsent, kContainerNow},
                                   {"external", "external", kOmitAbsent, kExternalNow}};

// The behaviour's annotation is made of a type without JSON names: capitals, and null for what is not there.
constexpr JsonRule kPolicy[] = {
    {"Type", "type", kNoText}, {"Value", "value", "0"}, {"PeriodSeconds", "periodSeconds", "0"}};
constexpr JsonRule kScaling[] = {{"StabilizationWindowSeconds", "stabilizationWindowSeconds", "null"},
                                 {"SelectPolicy", "selectPolicy", "null"},
                                 {"Policies", "policies", "null", kPolicy},
                                 {"Tolerance", "tolerance", "null"}};
constexpr JsonRule kBehavior[] = {{"ScaleUp", "scaleUp", "null", kScaling},
                                  {"ScaleDown", "scaleDown", "null", kScaling}};

constexpr JsonRule kSpec[] = {{"scaleTargetRef", "scaleTargetRef", kNoReference},
                              {"minReplicas", "minReplicas"},
                              {"maxReplicas", "maxReplicas", "0"}};
constexpr JsonRule kStatus[] = {{"observedGeneration", "observedGeneration"},
                                {"lastScaleTime", "lastScaleTime"},
                                {"currentReplicas", "currentReplicas", "0"},
                                {"desiredReplicas", "desiredReplicas", "0"}};

constexpr absl::string_view kBehaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";
constexpr absl::string_view kConditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions";
constexpr absl::string_view kCurrentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr absl::string_view kMetricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
// What the conversion makes anew, and takes away where an object brings it along.
constexpr absl::string_view kOwnAnnotations[] = {kBehaviorAnnotation,
                                                 kConditionsAnnotation,
                                                 kCurrentMetricsAnnotation,
                                                 kMetricsAnnotation,
                                                 "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
                                                 "autoscaling.alpha.kubernetes.io/scale-up-tolerance"};
// Of metadata's fields, those behind the annotations.
constexpr absl::string_view kBehindAnnotations[] = {"ownerReferences", "finalizers", "managedFields"};

template <size_t N>
bool IsOneOf(const absl::string_view (&names)[N], absl::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool IsProcessorMetric(absl::string_view metric) {
  return FindJson(metric, "type") == R"("Resource")" && FindJson(metric, "resource.name") == R"("cpu")";
}

// The use of the processors that a metric names at `path`, or empty.
absl::string_view ProcessorUse(absl::string_view metric, absl::string_view path) {
  const absl::string_view use = IsProcessorMetric(metric) ? FindJson(metric, path) : absl::string_view();
  return use == "null" ? absl::string_view() : use;
}

// In the order of their names, values as JSON texts.
using Annotations = std::vector<std::pair<absl::string_view, std::string>>;

// The metrics that v1 has no field for.
std::string OtherMetrics(absl::string_view metrics) {
  std::string list = "[";
  for (const absl::string_view metric : JsonElements(metrics)) {
    if (!ProcessorUse(metric, "resource.target.averageUtilization").empty()) continue;
    if (list.size() > 1) list.push_back(',');
    AppendValueByRules(kMetric, metric, &list);
  }
  return list + "]";
}

Annotations MakeAnnotations(absl::string_view object) {
  Annotations annotations;
  for (const JsonField& field : JsonFields(FindJson(object, "metadata.annotations"))) {
    if (!IsOneOf(kOwnAnnotations, field.name)) annotations.emplace_back(field.name, std::string(field.value));
  }
  const auto add = [&annotations](absl::string_view name, absl::string_view json) {
    if (json != "[]" && json != "null" && !json.empty()) annotations.emplace_back(name, GoJsonString(json));
  };
  std::string behavior;
  AppendValueByRules(kBehavior, FindJson(object, "spec.behavior"), &behavior);
  std::string current_metrics;
  AppendValueByRules(kMetricNow, FindJson(object, "status.currentMetrics"), &current_metrics);
  add(kBehaviorAnnotation, behavior);
  add(kConditionsAnnotation, FindJson(object, "status.conditions"));  // alike in both versions
  add(kCurrentMetricsAnnotation, current_metrics);
  add(kMetricsAnnotation, OtherMetrics(FindJson(object, "spec.metrics")));
  std::sort(annotations.begin(), annotations.end());
  return annotations;
}

void AppendAnnotations(const Annotations& annotations, std::string* json) {
  if (annotations.empty()) return;
  absl::StrAppend(json, absl::EndsWith(*json, "{") ? "" : ",", "\"annotations\":{");
  for (const auto& [name, value] : annotations) {
    absl::StrAppend(json, absl::EndsWith(*json, "{") ? "" : ",", "\"", name, "\":", value);
  }
  json->push_back('}');
}

void AppendMetadata(absl::string_view object, std::string* json) {
  const Annotations annotations = MakeAnnotations(object);
  bool written = false;
  json->push_back('{');
  for (const JsonField& field : JsonFields(FindJson(object, "metadata"))) {
    if (field.name == "annotations") continue;
    if (!written && IsOneOf(kBehindAnnotations, field.name)) {
      AppendAnnotations(annotations, json);
      written = true;
    }
    absl::StrAppend(json, absl::EndsWith(*json, "{") ? "" : ",", "\"", field.name, "\":", field.value);
  }
  if (!written) AppendAnnotations(annotations, json);
  json->push_back('}');
}

void AppendNumber(absl::string_view name, absl::string_view number, std::string* json) {
  if (!number.empty()) absl::StrAppend(json, absl::EndsWith(*json, "{") ? "" : ",", "\"", name, "\":", number);
}

}  // namespace

void AppendAutoscalingV1Autoscaler(absl::string_view v2_autoscaler, std::string* json) {
  absl::string_view target;  // the first that is named
  for (const absl::string_view metric : JsonElements(FindJson(v2_autoscaler, "spec.metrics"))) {
    if (target.empty()) target = ProcessorUse(metric, "resource.target.averageUtilization");
  }
  absl::string_view current;  // the last
  for (const absl::string_view metric : JsonElements(FindJson(v2_autoscaler, "status.currentMetrics"))) {
    const absl::string_view use = ProcessorUse(metric, "resource.current.averageUtilization");
    if (!use.empty()) current = use;
  }
  absl::StrAppend(json, "{\"metadata\":");
  AppendMetadata(v2_autoscaler, json);
  absl::StrAppend(json, ",\"spec\":{");
  AppendByRules(kSpec, FindJson(v2_autoscaler, "spec"), json);
  AppendNumber("targetCPUUtilizationPercentage", target, json);
  absl::StrAppend(json, "},\"status\":{");
  AppendByRules(kStatus, FindJson(v2_autoscaler, "status"), json);
  AppendNumber("currentCPUUtilizationPercentage", current, json);
  absl::StrAppend(json, "}}");
}

}  // namespace tidemark::http
