#include "http/scale.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/go_json_string.h"
#include "http/json_view.h"
#include "http/table_text.h"

namespace tidemark::http {
namespace {

// A query's form of what selects the replicas: a LabelSelector, or the plain map of a replication controller.
std::string SelectorOf(const JsonView& selector) {
  if (selector.Field("matchLabels").present() || selector.Field("matchExpressions").present()) {
    return SelectorText(selector).value_or("");
  }
  std::vector<std::string> pairs;
  for (const JsonView::Member& label : selector.members()) {
    pairs.push_back(absl::StrCat(label.name, "=", label.value.Text()));
  }
  return absl::StrJoin(pairs, ",");
}

}  // namespace

std::string ScaleJson(absl::string_view object) {
  JsonDocument document;
  document.Parse(object);
  const JsonView root = document.root();
  const JsonView metadata = root.Field("metadata");
  std::string json = R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{)";
  absl::string_view comma;
  for (const absl::string_view field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (!metadata.Field(field).present()) continue;
    absl::StrAppend(&json, comma, "\"", field, "\":", GoJsonString(metadata.Field(field).Text()));
    comma = ",";
  }
  const int64_t wanted = root.At("spec", "replicas").Number();
  json += "},\"spec\":{";
  if (wanted != 0) absl::StrAppend(&json, "\"replicas\":", wanted);
  absl::StrAppend(&json, "},\"status\":{\"replicas\":", root.At("status", "replicas").Number());
  const std::string selector = SelectorOf(root.At("spec", "selector"));
  if (!selector.empty()) absl::StrAppend(&json, ",\"selector\":", GoJsonString(selector));
  return json + "}}";
}

}  // namespace tidemark::http
