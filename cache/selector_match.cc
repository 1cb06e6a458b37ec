#include "cache/selector_match.h"

#include <algorithm>

#include "absl/strings/strip.h"
#include "cache/label_syntax.h"

namespace tidemark::cache {
namespace {

using Op = Requirement::Op;

bool Contains(const std::vector<std::string>& sorted, absl::string_view value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

// `value` is nullptr when the object has no such label.
bool MatchesValue(const Requirement& requirement, const absl::string_view* value) {
  switch (requirement.op) {
    case Op::kExists:
      return value != nullptr;
    case Op::kNotExists:
      return value == nullptr;
    case Op::kIn:
      return value != nullptr && Contains(requirement.values, *value);
    case Op::kNotIn:
      return value == nullptr || !Contains(requirement.values, *value);
    case Op::kGreater:
    case Op::kLess:
      break;
  }
  if (value == nullptr || requirement.values.empty()) return false;
  const std::optional<int64_t> number = ParseInt64(*value);
  const std::optional<int64_t> bound = ParseInt64(requirement.values[0]);
  if (!number || !bound) return false;
  return requirement.op == Op::kGreater ? *number > *bound : *number < *bound;
}

// Whether the key alone answers the requirement.
bool IsOfKey(const Requirement& requirement) {
  return requirement.source == Requirement::Source::kField &&
         (requirement.key == "metadata.name" || requirement.key == "metadata.namespace");
}

bool MatchesKey(const Object& object, const Requirement& requirement) {
  const absl::string_view value = requirement.key == "metadata.name" ? object.name() : object.namespace_name();
  return MatchesValue(requirement, &value);
}

bool MatchesRead(const Selectable& values, const ObjectSchema& schema, const Requirement& requirement) {
  if (requirement.source == Requirement::Source::kLabel) {
    return MatchesValue(requirement, values.FindLabel(requirement.key));
  }
  const int field = schema.FindField(requirement.key);
  const absl::string_view value = field == ObjectSchema::kNone ? absl::string_view("") : values.fields[field];
  return MatchesValue(requirement, &value);
}

}  // namespace

bool Matches(const Object& object, const Selectable& values, const ObjectSchema& schema,
             const std::vector<Requirement>& requirements) {
  return std::all_of(requirements.begin(), requirements.end(), [&](const Requirement& requirement) {
    return IsOfKey(requirement) ? MatchesKey(object, requirement) : MatchesRead(values, schema, requirement);
  });
}

bool Matches(const Object& object, const std::vector<Requirement>& requirements, const ObjectSchema& schema,
             ObjectReader* reader) {
  const Selectable* values = nullptr;
  for (const Requirement& requirement : requirements) {
    if (IsOfKey(requirement)) {
      if (!MatchesKey(object, requirement)) return false;
      continue;
    }
    if (values == nullptr) values = &reader->Read(object);
    if (!MatchesRead(*values, schema, requirement)) return false;
  }
  return true;
}

bool InScope(absl::string_view key, const Scope& scope, bool namespaced) {
  if (!scope.namespace_name.empty()) {
    if (!absl::ConsumePrefix(&key, scope.namespace_name) || !absl::ConsumePrefix(&key, "/")) return false;
  } else if (namespaced && !scope.name.empty()) {
    const size_t slash = key.find('/');
    if (slash != absl::string_view::npos) key.remove_prefix(slash + 1);
  }
  return scope.name.empty() || key == scope.name;
}

}  // namespace tidemark::cache
