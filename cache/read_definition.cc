// A CustomResourceDefinition of apiextensions.k8s.io/v1beta1, in which kube-apiserver stores them all, as one of v1: what versions
// have in common stands in each of them, and a webhook has an object of its own.
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json_edit.h"
#include "base/json_rules.h"
#include "base/json_slices.h"
#include "cache/read_changes.h"

namespace tidemark::cache {
namespace {

constexpr absl::string_view kNoText = R"("")";

constexpr JsonRule kColumn[] = {{"name", "name", kNoText},
                                {"type", "type", kNoText},
                                {"format", "format", kOmitEmpty},
                                {"description", "description", kOmitEmpty},
                                {"priority", "priority", kOmitEmpty},
                                {"jsonPath", "JSONPath", kNoText}};

// A version's own fields, and then those that it may share.
constexpr JsonRule kVersion[] = {{"name", "name", kNoText},
                                 {"served", "served", "false"},
                                 {"storage", "storage", "false"},
                                 {"deprecated", "deprecated"},
                                 {"deprecationWarning", "deprecationWarning"}};
constexpr JsonRule kOfVersion[] = {{"schema", "schema"},
                                   {"subresources", "subresources"},
                                   {"additionalPrinterColumns", "additionalPrinterColumns", kOmitAbsent, kColumn},
                                   {"selectableFields", "selectableFields"}};
// The same, as v1beta1 has it once for all versions.
constexpr JsonRule kOfAll[] = {{"schema", "validation"},
                               {"subresources", "subresources"},
                               {"additionalPrinterColumns", "additionalPrinterColumns", kOmitAbsent, kColumn},
                               {"selectableFields", "selectableFields"}};

constexpr JsonRule kWebhook[] = {{"clientConfig", "webhookClientConfig"},
                                 {"conversionReviewVersions", "conversionReviewVersions", "null"}};
constexpr JsonRule kHead[] = {
    {"group", "group", kNoText}, {"names", "names", "{}"}, {"scope", "scope", R"("Namespaced")"}};

bool HasValue(absl::string_view object, absl::string_view name) {
  const absl::string_view value = FindJson(object, name);
  return !value.empty() && value != "null";
}

// What all versions share, taken out of the spec once: there may be thousands of versions, which make it long.
std::string SharedByVersions(absl::string_view spec) {
  std::string shared = "{";
  for (const JsonRule& rule : kOfAll) {
    const absl::string_view value = FindJson(spec, rule.path);
    if (!value.empty()) absl::StrAppend(&shared, shared.size() > 1 ? "," : "", "\"", rule.path, "\":", value);
  }
  return shared + "}";
}

void AppendVersion(absl::string_view version, absl::string_view shared, std::string* json) {
  json->push_back('{');
  AppendByRules(kVersion, version, json);
  for (size_t i = 0; i < std::size(kOfVersion); ++i) {
    const bool is_shared = HasValue(shared, kOfAll[i].path);
    const JsonRule& rule = is_shared ? kOfAll[i] : kOfVersion[i];
    AppendByRules({&rule, 1}, is_shared ? shared : version, json);
  }
  json->push_back('}');
}

void AppendVersions(absl::string_view spec, std::string* json) {
  std::vector<absl::string_view> versions = JsonElements(FindJson(spec, "versions"));
  const std::string only = absl::StrCat("{\"name\":", FindJson(spec, "version"), ",\"served\":true,\"storage\":true}");
  if (versions.empty()) versions.push_back(only);
  const std::string shared = SharedByVersions(spec);
  absl::StrAppend(json, ",\"versions\":[");
  for (const absl::string_view version : versions) {
    if (json->back() != '[') json->push_back(',');
    AppendVersion(version, shared, json);
  }
  json->push_back(']');
}

void AppendConversion(absl::string_view spec, std::string* json) {
  const absl::string_view conversion = FindJson(spec, "conversion");
  const absl::string_view strategy = FindJson(conversion, "strategy");
  absl::StrAppend(json, ",\"conversion\":{\"strategy\":", strategy.empty() ? R"("None")" : strategy);
  if (HasValue(conversion, "webhookClientConfig") || HasValue(conversion, "conversionReviewVersions")) {
    absl::StrAppend(json, ",\"webhook\":{");
    AppendByRules(kWebhook, conversion, json);
    json->push_back('}');
  }
  json->push_back('}');
}

void AppendSpec(absl::string_view spec, std::string* json) {
  json->push_back('{');
  AppendByRules(kHead, spec, json);
  AppendVersions(spec, json);
  AppendConversion(spec, json);
  // v1beta1 keeps unknown fields unless told otherwise.
  if (FindJson(spec, "preserveUnknownFields") != "false") absl::StrAppend(json, ",\"preserveUnknownFields\":true");
  json->push_back('}');
}

}  // namespace

bool ReadCustomResourceDefinition(absl::string_view object, std::string* json) {
  const absl::string_view spec = FindJson(object, "spec");
  if (!HasValue(spec, "version")) return false;  // it is in v1, which has no such field
  std::string new_spec;
  AppendSpec(spec, &new_spec);
  absl::StrAppend(json, WithJsonField(object, "spec", new_spec));
  return true;
}

}  // namespace tidemark::cache
