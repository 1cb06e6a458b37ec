#include "http/scale.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "config/scale_json.h"
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
