#include "http/version_conversion.h"

#include "base/json_rules.h"

namespace tidemark::http {
namespace {

struct ConversionRow {
  absl::string_view stored;
  absl::string_view kind;
  absl::string_view served;
  VersionConversion convert;
};

constexpr ConversionRow kConversions[] = {
    {"v1", "Event", "events.k8s.io/v1", AppendEventsV1Event},
    {"autoscaling/v2", "HorizontalPodAutoscaler", "autoscaling/v1", AppendAutoscalingV1Autoscaler},
};

constexpr JsonRule kSeries[] = {{"count", "count", "0"}, {"lastObservedTime", "lastObservedTime", "null"}};

constexpr JsonRule kEvent[] = {
    {"metadata", "metadata", "{}"},
    {"eventTime", "eventTime", "null"},
    {"series", "series", kOmitAbsent, kSeries},
    {"reportingController", "reportingComponent", kOmitEmpty},
    {"reportingInstance", "reportingInstance", kOmitEmpty},
    {"action", "action", kOmitEmpty},
    {"reason", "reason", kOmitEmpty},
    {"regarding", "involvedObject", "{}"},
    {"related", "related"},
    {"note", "message", kOmitEmpty},
    {"type", "type", kOmitEmpty},
    {"deprecatedSource", "source", "{}"},
    {"deprecatedFirstTimestamp", "firstTimestamp", "null"},
    {"deprecatedLastTimestamp", "lastTimestamp", "null"},
    {"deprecatedCount", "count", kOmitEmpty},
};

}  // namespace

VersionConversion FindVersionConversion(absl::string_view stored_api_version, absl::string_view kind,
                                        absl::string_view served_api_version) {
  for (const ConversionRow& row : kConversions) {
    if (row.stored == stored_api_version && row.kind == kind && row.served == served_api_version) return row.convert;
  }
  return nullptr;
}

void AppendEventsV1Event(absl::string_view core_event, std::string* json) {
  AppendValueByRules(kEvent, core_event, json);
}

}  // namespace tidemark::http
