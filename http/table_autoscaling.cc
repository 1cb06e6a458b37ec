#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "http/table_cells.h"
#include "http/table_text.h"

namespace tidemark::http::cells {
namespace {

// Of a list of metrics so many are shown.
constexpr size_t kMetricsListedMax = 2;

// Which field of a metric is about what it is of.
struct MetricType {
  absl::string_view name;
  absl::string_view field;
  bool utilization;  // in per cent of what is asked for, where it is no average
};
constexpr MetricType kMetricTypes[] = {{"External", "external", false},
                                       {"Pods", "pods", false},
                                       {"Object", "object", false},
                                       {"Resource", "resource", true},
                                       {"ContainerResource", "containerResource", true}};

// Of a pointer to a quantity, as Go shows it.
std::string QuantityOrNil(const JsonView& quantity) { return quantity.present() ? QuantityText(quantity) : "<nil>"; }

std::string PercentOr(const JsonView& number, absl::string_view otherwise) {
  return number.present() ? absl::StrCat(number.Number(), "%") : std::string(otherwise);
}

// "10%/80%", "3/5 (avg)"; `source` is what is wanted, `status` what is measured, absent when nothing is yet.
std::string CurrentAndTarget(const MetricType& type, const JsonView& source, const JsonView& status) {
  const JsonView target = source.Field("target");
  const JsonView current = status.Field("current");
  const JsonView average = current.Field("averageValue");
  std::string now(kUnknown);
  if (type.utilization && !target.Field("averageValue").present()) {
    return absl::StrCat(PercentOr(current.Field("averageUtilization"), kUnknown), "/",
                        PercentOr(target.Field("averageUtilization"), "<auto>"));
  }
  if (type.utilization || type.name == "Pods") {
    if (status.present()) now = QuantityOrNil(average);
    return absl::StrCat(now, "/", QuantityOrNil(target.Field("averageValue")));
  }
  if (target.Field("averageValue").present()) {
    if (average.present()) now = QuantityText(average);
    return absl::StrCat(now, "/", QuantityText(target.Field("averageValue")), " (avg)");
  }
  if (status.present()) now = QuantityOrNil(current.Field("value"));
  return absl::StrCat(now, "/", QuantityOrNil(target.Field("value")));
}

std::string MetricText(const JsonView& metric, const JsonView& status) {
  for (const MetricType& type : kMetricTypes) {
    if (metric.Field("type").Text() != type.name) continue;
    const JsonView source = metric.Field(type.field);
    const std::string text = CurrentAndTarget(type, source, status.Field(type.field));
    return type.utilization ? absl::StrCat(source.Field("name").Text(), ": ", text) : text;
  }
  return "<unknown type>";
}

std::string MetricsText(const JsonView& specs, const JsonView& statuses) {
  const JsonView::Elements wanted = specs.elements();
  const JsonView::Elements measured = statuses.elements();
  if (wanted.empty()) return std::string(kNone);
  std::vector<std::string> list;
  for (size_t i = 0; i < wanted.size() && i < kMetricsListedMax; ++i) {
    list.push_back(MetricText(wanted[i], i < measured.size() ? measured[i] : JsonView()));
  }
  std::string text = absl::StrJoin(list, ", ");
  if (wanted.size() > kMetricsListedMax) {
    absl::StrAppend(&text, " + ", wanted.size() - kMetricsListedMax, " more...");
  }
  return text;
}

}  // namespace

// Reads autoscaling/v2, which is what is stored.
void HorizontalPodAutoscaler(const JsonView& object, TableRow* row) {
  const JsonView spec = object.Field("spec");
  const JsonView target = spec.Field("scaleTargetRef");
  const JsonView least = spec.Field("minReplicas");
  row->NameOf(object);
  row->Text(absl::StrCat(target.Field("kind").Text(), "/", target.Field("name").Text()));
  row->Text(MetricsText(spec.Field("metrics"), object.At("status", "currentMetrics")));
  row->Text(least.present() ? least.Scalar() : std::string(kUnset));
  row->Number(spec.Field("maxReplicas").Number());
  row->Number(object.At("status", "currentReplicas").Number());
  row->AgeOf(object);
}

void Scale(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Number(object.At("spec", "replicas").Number());
  row->Number(object.At("status", "replicas").Number());
  row->AgeOf(object);
}

}  // namespace tidemark::http::cells
