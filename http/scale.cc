#include "http/scale.h"

#include <map>

#include "absl/strings/str_join.h"
#include "config/scale_json.h"
#include "http/json_view.h"
#include "http/table_text.h"

namespace tidemark::http {
namespace {

// In the plain map of a replication controller these are labels like others, with a text.
bool IsLabelSelector(const JsonView& selector) {
  const auto is_part = [](const JsonView& part) { return part.present() && part.Text().empty(); };
  return is_part(selector.Field("matchLabels")) || is_part(selector.Field("matchExpressions"));
}

// A query's form of what selects the replicas.
std::string SelectorOf(const JsonView& selector) {
  if (IsLabelSelector(selector)) return SelectorText(selector).value_or("");
  std::map<absl::string_view, absl::string_view> pairs;
  for (const JsonView::Member& label : selector.members()) pairs[label.name] = label.value.Text();
  return absl::StrJoin(pairs, ",", absl::PairFormatter("="));
}

}  // namespace

std::string ScaleOf(absl::string_view object) {
  JsonDocument document;
  document.Parse(object);
  const JsonView root = document.root();
  const JsonView metadata = root.Field("metadata");
  return config::ScaleJson({.wanted = root.At("spec", "replicas").Number(),
                            .actual = root.At("status", "replicas").Number(),
                            .selector = SelectorOf(root.At("spec", "selector"))},
                           [&](absl::string_view field) { return std::string(metadata.Field(field).Text()); });
}

}  // namespace tidemark::http
