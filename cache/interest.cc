#include "cache/interest.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tidemark::cache {
namespace {

bool IsEquality(const Requirement& requirement) {
  return requirement.op == Requirement::Op::kIn && requirement.values.size() == 1;
}

bool IsField(const Requirement& requirement, absl::string_view path) {
  return requirement.source == Requirement::Source::kField && requirement.key == path;
}

// The scope with what the selector requires of name and namespace.
Scope NarrowedScope(Scope scope, const Selector& selector) {
  for (const Requirement& requirement : selector.requirements) {
    if (!IsEquality(requirement)) continue;
    if (scope.name.empty() && IsField(requirement, "metadata.name")) scope.name = requirement.values[0];
    if (scope.namespace_name.empty() && IsField(requirement, "metadata.namespace"))
      scope.namespace_name = requirement.values[0];
  }
  return scope;
}

bool IsPair(const Requirement& requirement, const ObjectSchema& schema) {
  if (!IsEquality(requirement)) return false;
  return requirement.source == Requirement::Source::kLabel || schema.FindField(requirement.key) != ObjectSchema::kNone;
}

// Fields go first: a node's name or a status says more than a label that a whole application shares.
const Requirement* ChoosePair(const Selector& selector, const ObjectSchema& schema) {
  const Requirement* chosen = nullptr;
  for (const Requirement& requirement : selector.requirements) {
    if (!IsPair(requirement, schema)) continue;
    if (requirement.source == Requirement::Source::kField) return &requirement;
    if (chosen == nullptr) chosen = &requirement;
  }
  return chosen;
}

std::optional<absl::string_view> ValueOf(const PairKey& key, int field, const Selectable* values) {
  if (values == nullptr) return std::nullopt;
  if (key.source == Requirement::Source::kField) return values->fields[static_cast<size_t>(field)];
  const absl::string_view* const label = values->FindLabel(key.key);
  return label == nullptr ? std::nullopt : std::make_optional(*label);
}

}  // namespace

// No namespace contains a slash, so that the first one ends it.
std::string PairText(absl::string_view namespace_name, absl::string_view value) {
  return absl::StrCat(namespace_name, "/", value);
}

Interest WithoutPair(const Interest& interest) {
  std::string namespace_name = interest.text.substr(0, interest.text.find('/'));
  if (namespace_name.empty()) return {};
  return {.kind = Interest::Kind::kNamespace, .text = std::move(namespace_name)};
}

Interest ChooseInterest(const Scope& scope, const Selector& selector, const ObjectSchema& schema) {
  const Scope narrowed = NarrowedScope(scope, selector);
  if (!narrowed.name.empty() && (!schema.namespaced() || !narrowed.namespace_name.empty())) {
    const std::string key =
        schema.namespaced() ? absl::StrCat(narrowed.namespace_name, "/", narrowed.name) : narrowed.name;
    return {.kind = Interest::Kind::kName, .text = key};
  }
  if (const Requirement* pair = ChoosePair(selector, schema)) {
    return {.kind = Interest::Kind::kPair,
            .text = PairText(narrowed.namespace_name, pair->values[0]),
            .pair = {pair->source, pair->key}};
  }
  if (!narrowed.namespace_name.empty()) return {.kind = Interest::Kind::kNamespace, .text = narrowed.namespace_name};
  return {};
}

std::vector<PairValues> PairValuesOf(const WatchedKeys& keys, const ObjectSchema& schema, const Selectable* before,
                                     const Selectable* after) {
  std::vector<PairValues> pairs;
  pairs.reserve(keys.size());
  for (const PairKey& key : keys) {
    const int field = key.source == Requirement::Source::kField ? schema.FindField(key.key) : ObjectSchema::kNone;
    const std::optional<absl::string_view> old_value = ValueOf(key, field, before);
    const std::optional<absl::string_view> new_value = ValueOf(key, field, after);
    PairValues& values = pairs.emplace_back();
    if (old_value && old_value != new_value) values.before.emplace(*old_value);
    if (new_value) values.after.emplace(*new_value);
  }
  return pairs;
}

}  // namespace tidemark::cache
