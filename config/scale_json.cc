#include "config/scale_json.h"

#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"

namespace tidemark::config {

std::string ScaleJson(const Replicas& replicas, absl::FunctionRef<std::string(absl::string_view field)> metadata) {
  std::string json = R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{)";
  absl::string_view comma;
  for (const absl::string_view field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    const std::string text = metadata(field);
    if (text.empty()) continue;
    absl::StrAppend(&json, comma, "\"", field, "\":", GoJsonString(text));
    comma = ",";
  }
  // Zero replicas are left out where they are wanted, and written where they are.
  json += "},\"spec\":{";
  if (replicas.wanted != 0) absl::StrAppend(&json, "\"replicas\":", replicas.wanted);
  absl::StrAppend(&json, "},\"status\":{\"replicas\":", replicas.actual);
  if (!replicas.selector.empty()) absl::StrAppend(&json, ",\"selector\":", GoJsonString(replicas.selector));
  return json + "}}";
}

}  // namespace tidemark::config
