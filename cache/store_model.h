// StoreModel is the plain truth that snapshots are compared with in tests: a std::map of made objects, and List, Get
// and counts done the slow way.
#ifndef TIDEMARK_CACHE_STORE_MODEL_H_
#define TIDEMARK_CACHE_STORE_MODEL_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cache/selector.h"
#include "cache/snapshot.h"
#include "config/resource.h"

namespace tidemark::cache {

// A value as a store would have it, and what selectors see of it.
struct MadeObject {
  std::map<std::string, std::string> labels;
  std::string node;   // spec.nodeName
  std::string phase;  // status.phase
  int64_t revision = 0;
  bool broken = false;

  std::string Value(const std::string& key) const {
    if (broken) return "k8s\001 this is no object";
    std::string pairs = absl::StrJoin(labels, ",", [](std::string* out, const auto& label) {
      absl::StrAppend(out, "\"", label.first, "\":\"", label.second, "\"");
    });
    return absl::StrCat("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"",
                        key.substr(key.find('/') + 1), "\",\"namespace\":\"", key.substr(0, key.find('/')),
                        "\",\"labels\":{", pairs, "}},\"spec\":{\"nodeName\":\"", node, "\"},\"status\":{\"phase\":\"",
                        phase, "\"}}");
  }
};

using ModelState = std::map<std::string, MadeObject>;

inline config::Resource ModelResource() {
  config::Resource resource;
  resource.kind = "Pod";
  resource.version = "v1";
  resource.plural = "pods";
  resource.prefix = "pods";
  resource.fields = {
      {"spec.nodeName", "spec.nodeName"}, {"status.phase", "status.phase"}, {"metadata.uid", "metadata.uid", false}};
  return resource;
}

inline std::string ModelValue(const MadeObject& object, const std::string& key, const Requirement& requirement,
                              bool* exists) {
  *exists = true;
  if (requirement.key == "metadata.name") return key.substr(key.find('/') + 1);
  if (requirement.key == "metadata.namespace") return key.substr(0, key.find('/'));
  if (requirement.key == "spec.nodeName") return object.node;
  if (requirement.key == "status.phase") return object.phase;
  const auto label = object.labels.find(requirement.key);
  *exists = label != object.labels.end();
  return *exists ? label->second : "";
}

inline bool ModelMatches(const MadeObject& object, const std::string& key, const Requirement& requirement) {
  bool exists = false;
  const std::string value = ModelValue(object, key, requirement, &exists);
  const bool among = std::find(requirement.values.begin(), requirement.values.end(), value) != requirement.values.end();
  switch (requirement.op) {
    case Requirement::Op::kExists:
      return exists;
    case Requirement::Op::kNotExists:
      return !exists;
    case Requirement::Op::kIn:
      return exists && among;
    case Requirement::Op::kNotIn:
      return !exists || !among;
    case Requirement::Op::kGreater:
      return exists && !value.empty() && std::stoi(value) > std::stoi(requirement.values[0]);
    case Requirement::Op::kLess:
      return exists && !value.empty() && std::stoi(value) < std::stoi(requirement.values[0]);
  }
  return false;
}

struct ModelAnswer {
  bool corrupt = false;
  std::vector<std::string> items;  // "key@revision"
  std::string continue_key;
  std::optional<int64_t> remaining;

  friend bool operator==(const ModelAnswer&, const ModelAnswer&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ModelAnswer& answer) {
    return out << (answer.corrupt ? "corrupt " : "") << absl::StrJoin(answer.items, " ") << " continue "
               << answer.continue_key << " remaining " << answer.remaining.value_or(-1);
  }
};

inline bool ModelInScope(const std::string& key, const Scope& scope) {
  const size_t slash = key.find('/');
  if (!scope.namespace_name.empty() && key.substr(0, slash) != scope.namespace_name) return false;
  return scope.name.empty() || key.substr(slash + 1) == scope.name;
}

// A selector of one namespace, or of one name in one namespace, is a scope; a name in every namespace is a selector.
inline void NarrowScope(ListQuery* query) {
  std::vector<Requirement> rest;
  Scope& scope = query->scope;
  for (const Requirement& requirement : query->selector.requirements) {
    const bool one = requirement.op == Requirement::Op::kIn && requirement.values.size() == 1;
    std::string* part = nullptr;
    if (one && requirement.key == "metadata.namespace") part = &scope.namespace_name;
    if (one && requirement.key == "metadata.name") part = &scope.name;
    if (part != nullptr && (part->empty() || *part == requirement.values[0])) {
      *part = requirement.values[0];
    } else {
      rest.push_back(requirement);
    }
  }
  if (scope.namespace_name.empty() && !scope.name.empty()) {
    rest.push_back(
        {Requirement::Source::kField, "metadata.name", Requirement::Op::kIn, {std::exchange(scope.name, "")}});
  }
  query->selector.requirements = rest;
}

inline ModelAnswer ModelList(const ModelState& state, ListQuery query) {
  ModelAnswer answer;
  const bool selects = !query.selector.empty();
  NarrowScope(&query);
  for (const auto& [key, object] : state) {
    if (key < query.start_key || !ModelInScope(key, query.scope)) continue;
    answer.corrupt |= object.broken;
  }
  if (answer.corrupt) return answer;
  auto entry = state.lower_bound(query.start_key);
  for (; entry != state.end(); ++entry) {
    if (query.limit > 0 && answer.items.size() == static_cast<size_t>(query.limit)) break;
    if (!ModelInScope(entry->first, query.scope)) continue;
    bool matches = true;
    for (const Requirement& requirement : query.selector.requirements) {
      matches = matches && ModelMatches(entry->second, entry->first, requirement);
    }
    if (!matches) continue;
    answer.items.push_back(absl::StrCat(entry->first, "@", entry->second.revision));
    answer.continue_key = entry->first + '\0';
  }
  int64_t behind = 0;
  const bool full = query.limit > 0 && answer.items.size() == static_cast<size_t>(query.limit);
  for (auto rest = state.lower_bound(answer.continue_key); full && rest != state.end(); ++rest) {
    if (ModelInScope(rest->first, query.scope)) ++behind;
  }
  if (behind == 0) {
    answer.continue_key.clear();
  } else if (!selects && query.selector.empty()) {
    answer.remaining = behind;
  }
  return answer;
}

// The same from a snapshot, walked in steps of `step` objects.
inline ModelAnswer SnapshotList(const Snapshot& snapshot, const ListQuery& query, size_t step) {
  ModelAnswer answer;
  const std::unique_ptr<ListCursor> cursor = snapshot.List(query);
  std::vector<const Object*> objects;
  for (;;) {
    const absl::StatusOr<bool> more = cursor->Next(step, &objects);
    if (!more.ok()) {
      answer.corrupt = true;
      return answer;
    }
    if (!*more) break;
  }
  for (const Object* const object : objects) {
    answer.items.push_back(absl::StrCat(object->key(), "@", object->mod_revision().value()));
  }
  answer.continue_key = cursor->continue_key();
  answer.remaining = cursor->remaining();
  return answer;
}

inline std::string Describe(const ListQuery& query) {
  std::vector<std::string> terms;
  for (const Requirement& requirement : query.selector.requirements) terms.push_back(ToString(requirement));
  return absl::StrCat("namespace ", query.scope.namespace_name, " name ", query.scope.name, " from ", query.start_key,
                      " limit ", query.limit, " selector ", absl::StrJoin(terms, ","));
}

// Makes keys, objects and queries at random; few different texts, so that sets overlap.
class ModelDice {
 public:
  explicit ModelDice(uint64_t seed) : random_(seed) {}

  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint64_t>(bound)); }
  bool Chance(int percent) { return Below(100) < percent; }

  std::string Namespace() { return absl::StrCat("ns", Below(4)); }
  // Names that share prefixes, some with characters around '/' in the alphabet.
  std::string Key(int names) {
    static const char* const kTails[] = {"", "-a", ".b", "0"};
    return absl::StrCat(Namespace(), "/web-", Below(names), kTails[Below(4)]);
  }

  MadeObject Object(int64_t revision) {
    MadeObject object;
    object.revision = revision;
    if (Chance(80)) object.labels["app"] = Value("app", 6);
    if (Chance(50)) object.labels["tier"] = Value("t", 3);
    if (Chance(30)) object.labels["id"] = Value("", 1000);
    if (Chance(10)) object.labels["tier"] = "";
    object.labels["all"] = "yes";
    if (Chance(80)) object.node = Value("node-", 40);
    object.phase = Value("phase-", 3);
    return object;
  }

  Requirement Ask() {
    using Op = Requirement::Op;
    static const char* const kLabels[] = {"app", "tier", "id", "all", "nobody"};
    Requirement requirement;
    switch (Below(8)) {
      case 0:
        return {Requirement::Source::kField,
                "spec.nodeName",
                Chance(70) ? Op::kIn : Op::kNotIn,
                {Chance(15) ? "" : Value("node-", 42)}};
      case 1:
        return {Requirement::Source::kField, "status.phase", Chance(50) ? Op::kIn : Op::kNotIn, {Value("phase-", 4)}};
      case 2:
        return {Requirement::Source::kField,
                Chance(50) ? "metadata.namespace" : "metadata.name",
                Chance(70) ? Op::kIn : Op::kNotIn,
                {Chance(50) ? Namespace() : absl::StrCat("web-", Below(30))}};
      case 3:
        return {Requirement::Source::kLabel, "id", Chance(50) ? Op::kGreater : Op::kLess, {Value("", 1000)}};
      case 4:
        return {Requirement::Source::kLabel, kLabels[Below(5)], Chance(50) ? Op::kExists : Op::kNotExists, {}};
      default:
        break;
    }
    requirement.key = kLabels[Below(5)];
    requirement.op = Chance(70) ? Op::kIn : Op::kNotIn;
    const char* const prefix = requirement.key == "app" ? "app" : requirement.key == "tier" ? "t" : "";
    for (int i = Chance(70) ? 1 : 1 + Below(3); i > 0; --i) {
      requirement.values.push_back(requirement.key == "all" ? "yes"
                                                            : Value(prefix, requirement.key == "id" ? 1000 : 7));
    }
    std::sort(requirement.values.begin(), requirement.values.end());
    requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()),
                             requirement.values.end());
    return requirement;
  }

  ListQuery Query(int names) {
    ListQuery query;
    if (Chance(40)) query.scope.namespace_name = Chance(90) ? Namespace() : "ns";
    if (Chance(10)) query.scope.name = absl::StrCat("web-", Below(names));
    for (int i = Chance(25) ? 0 : 1 + Below(3); i > 0; --i) query.selector.requirements.push_back(Ask());
    if (Chance(50)) query.limit = 1 + Below(Chance(50) ? 5 : 200);
    if (Chance(30)) query.start_key = Key(names) + '\0';
    return query;
  }

 private:
  std::string Value(const char* prefix, int count) { return absl::StrCat(prefix, Below(count)); }

  std::mt19937_64 random_;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_STORE_MODEL_H_
