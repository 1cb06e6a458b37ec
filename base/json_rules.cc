#include "base/json_rules.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json_slices.h"

namespace tidemark {
namespace {

bool IsEmptyValue(absl::string_view value) { return value == "\"\"" || value == "0"; }

}  // namespace

void AppendByRules(absl::Span<const JsonRule> rules, absl::string_view source, std::string* json) {
  for (const JsonRule& rule : rules) {
    absl::string_view value = FindJson(source, rule.path);
    const bool omits = rule.zero == kOmitAbsent || rule.zero == kOmitEmpty;
    const bool absent = value.empty() || value == "null";
    if (omits && (absent || (rule.zero == kOmitEmpty && IsEmptyValue(value)))) continue;
    absl::StrAppend(json, absl::EndsWith(*json, "{") ? "" : ",", "\"", rule.name, "\":");
    if (absent || rule.rules.empty()) {
      absl::StrAppend(json, absent ? rule.zero : value);
    } else {
      AppendValueByRules(rule.rules, value, json);
    }
  }
}

void AppendValueByRules(absl::Span<const JsonRule> rules, absl::string_view source, std::string* json) {
  if (absl::StartsWith(source, "[")) {
    json->push_back('[');
    for (const absl::string_view element : JsonElements(source)) {
      if (json->back() != '[') json->push_back(',');
      AppendValueByRules(rules, element, json);
    }
    json->push_back(']');
    return;
  }
  if (!absl::StartsWith(source, "{")) {
    absl::StrAppend(json, source);
    return;
  }
  json->push_back('{');
  AppendByRules(rules, source, json);
  json->push_back('}');
}

}  // namespace tidemark
