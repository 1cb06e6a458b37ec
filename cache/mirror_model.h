// MirrorModel is what a mirror has to agree with, in the plainest terms: every state of a resource's objects, and a
// list of all changes. Tests compare lists, pages, exact revisions and watches with it.
//
// Thread-safety: thread-compatible.
// Cost:          a copy of all objects per revision; for a few dozen objects.
#ifndef TIDEMARK_CACHE_MIRROR_MODEL_H_
#define TIDEMARK_CACHE_MIRROR_MODEL_H_

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "cache/cache.h"

namespace tidemark::cache {

struct ModelObject {
  std::map<std::string, std::string> labels;
  std::string node;   // empty: none
  std::string phase;  // empty: none
  bool unreadable = false;
  int64_t revision = 0;

  // What lies in the store.
  std::string Value(const std::string& key) const {
    return unreadable ? absl::StrCat("k8s:enc:aescbc:v1:k:", key) : Json(key);
  }
  std::string Json(const std::string& key) const {
    const std::vector<std::string> parts = absl::StrSplit(key, '/');
    std::string label_text;
    for (const auto& [name, value] : labels) {
      absl::StrAppend(&label_text, label_text.empty() ? "" : ",", "\"", name, "\":\"", value, "\"");
    }
    return absl::StrCat("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"", parts[1],
                        "\",\"namespace\":\"", parts[0], "\",\"uid\":\"u-", key, "\",\"labels\":{", label_text,
                        "}},\"spec\":{", node.empty() ? "" : absl::StrCat("\"nodeName\":\"", node, "\""),
                        "},\"status\":{", phase.empty() ? "" : absl::StrCat("\"phase\":\"", phase, "\""), "}}\n");
  }
};

class MirrorModel {
 public:
  using State = std::map<std::string, ModelObject>;
  struct Change {
    int64_t revision = 0;
    std::string key;
    std::optional<ModelObject> before;
    std::optional<ModelObject> after;
  };

  void Apply(int64_t revision, const std::string& key, std::optional<ModelObject> after) {
    State& state = states_.try_emplace(revision, states_.rbegin()->second).first->second;
    Change change{.revision = revision, .key = key};
    if (auto found = state.find(key); found != state.end()) change.before = found->second;
    if (!change.before && !after) return;
    if (after) {
      after->revision = revision;
      state[key] = *after;
    } else {
      state.erase(key);
    }
    change.after = std::move(after);
    changes_.push_back(std::move(change));
  }
  void Rewind(int64_t to) {
    while (!changes_.empty() && changes_.back().revision > to) changes_.pop_back();
    states_.erase(states_.upper_bound(to), states_.end());
  }

  const State& StateAt(int64_t revision) const { return std::prev(states_.upper_bound(revision))->second; }
  const State& newest() const { return states_.rbegin()->second; }
  const std::vector<Change>& changes() const { return changes_; }

  static bool InScope(const std::string& key, const Scope& scope) {
    const std::vector<std::string> parts = absl::StrSplit(key, '/');
    return (scope.namespace_name.empty() || scope.namespace_name == parts[0]) &&
           (scope.name.empty() || scope.name == parts[1]);
  }
  // Whether a list has to fail: an unreadable object lies in its scope, as far as names and namespaces narrow it.
  static bool Fails(const std::string& key, const ModelObject& object, const ListQuery& query) {
    Scope scope = query.scope;
    for (const Requirement& requirement : query.selector.requirements) {
      if (requirement.op != Requirement::Op::kIn || requirement.values.size() != 1) continue;
      if (requirement.key == "metadata.namespace" && scope.namespace_name.empty()) {
        scope.namespace_name = requirement.values[0];
      } else if (requirement.key == "metadata.name" && scope.name.empty()) {
        scope.name = requirement.values[0];
      }
    }
    if (scope.namespace_name.empty()) scope.name.clear();  // a name alone is no range of keys
    return object.unreadable && InScope(key, scope) && !(query.with_unreadable && query.selector.empty());
  }
  static bool Selects(const std::string& key, const ModelObject& object, const Scope& scope, const Selector& selector) {
    if (!InScope(key, scope)) return false;
    const std::vector<std::string> parts = absl::StrSplit(key, '/');
    return std::all_of(selector.requirements.begin(), selector.requirements.end(),
                       [&](const Requirement& requirement) { return Holds(parts, object, requirement); });
  }
  // What is wrong with a list, all its pages taken together; nothing when it is `state`'s.
  static std::string Difference(const View& view, ListQuery query, const State& state) {
    std::vector<std::pair<std::string, int64_t>> expected;
    bool fails = false;
    for (const auto& [key, object] : state) {
      fails = fails || Fails(key, object, query);
      if (Selects(key, object, query.scope, query.selector)) expected.emplace_back(key, object.revision);
    }
    std::vector<std::pair<std::string, int64_t>> got;
    for (bool more = true; more;) {
      std::unique_ptr<ListCursor> cursor = view.snapshot->List(query);
      std::vector<const Object*> page;
      for (bool filling = true; filling;) {
        absl::StatusOr<bool> next = cursor->Next(4, &page);
        if (fails) return KindOf(next.status()) == ErrorKind::kCorrupt ? "" : "an unreadable object is passed over";
        if (!next.ok()) return std::string(next.status().message());
        filling = *next;
      }
      if (query.limit > 0 && page.size() > static_cast<size_t>(query.limit)) return "a page is longer than its limit";
      for (const Object* object : page) {
        got.emplace_back(std::string(object->key()), object->mod_revision().value());
        if (object->unreadable()) continue;
        if (object->ResourceVersion() != absl::StrCat(object->mod_revision().value())) return "a wrong resourceVersion";
      }
      const std::optional<int64_t> remaining = cursor->remaining();
      if (remaining && query.selector.empty() && *remaining != static_cast<int64_t>(expected.size() - got.size())) {
        return absl::StrCat("remaining is ", *remaining);
      }
      query.start_key = cursor->continue_key();
      more = query.limit > 0 && !query.start_key.empty();
    }
    if (got == expected) return "";
    return absl::StrCat("got ", got.size(), " objects, expected ", expected.size(), ", or others");
  }
  // Whether a change may end a watch, and whether it has to: of an unreadable object that the watch did not show before, a
  // selector does not say whether it is meant.
  static bool MayEnd(const Change& change, const WatchQuery& query) {
    const bool all = query.with_unreadable && query.selector.empty();
    return change.after && change.after->unreadable && !all && InScope(change.key, query.scope);
  }
  static bool Ends(const Change& change, const WatchQuery& query) {
    return MayEnd(change, query) && (query.selector.empty() || Shows(change.key, change.before, query));
  }
  // What a watch sees of a change that does not end it, if anything.
  static std::optional<WatchEventType> Sees(const Change& change, const WatchQuery& query) {
    const bool was = Shows(change.key, change.before, query);
    const bool is = Shows(change.key, change.after, query);
    if (!was && !is) return std::nullopt;
    if (!is) return WatchEventType::kDeleted;
    return was ? WatchEventType::kModified : WatchEventType::kAdded;
  }

 private:
  static bool Shows(const std::string& key, const std::optional<ModelObject>& object, const WatchQuery& query) {
    if (!object || (object->unreadable && !(query.with_unreadable && query.selector.empty()))) return false;
    return Selects(key, *object, query.scope, query.selector);
  }
  static bool Holds(const std::vector<std::string>& parts, const ModelObject& object, const Requirement& requirement) {
    std::optional<std::string> value;
    if (requirement.source == Requirement::Source::kField) {
      value = requirement.key == "metadata.name"        ? parts[1]
              : requirement.key == "metadata.namespace" ? parts[0]
              : requirement.key == "spec.nodeName"      ? object.node
                                                        : object.phase;
    } else if (auto found = object.labels.find(requirement.key); found != object.labels.end()) {
      value = found->second;
    }
    const bool in =
        value && std::find(requirement.values.begin(), requirement.values.end(), *value) != requirement.values.end();
    switch (requirement.op) {
      case Requirement::Op::kIn:
        return in;
      case Requirement::Op::kNotIn:
        return !in;
      case Requirement::Op::kExists:
        return value.has_value();
      default:
        return !value.has_value();
    }
  }

  std::map<int64_t, State> states_{{0, {}}};
  std::vector<Change> changes_;
};

// Random keys, objects, scopes and selectors out of small sets, so that they meet.
class ModelMaker {
 public:
  explicit ModelMaker(uint64_t seed) : random_(seed) {}

  uint64_t operator()(uint64_t below) { return random_() % below; }
  std::string Namespace() { return absl::StrCat("ns-", (*this)(3)); }
  std::string Name() { return absl::StrCat("pod-", (*this)(12)); }
  std::string Key() { return absl::StrCat(Namespace(), "/", Name()); }
  ModelObject Object() {
    ModelObject object;
    if ((*this)(4) != 0) object.labels["app"] = absl::StrCat("app-", (*this)(3));
    if ((*this)(2) != 0) object.labels["tier"] = absl::StrCat("tier-", (*this)(2));
    if ((*this)(5) != 0) object.node = Node();
    if ((*this)(5) != 0) object.phase = (*this)(3) ? "Running" : "Pending";
    return object;
  }
  struct Scope Scope() {
    struct Scope scope;
    if ((*this)(2) == 0) scope.namespace_name = Namespace();
    if (!scope.namespace_name.empty() && (*this)(4) == 0) scope.name = Name();
    return scope;
  }
  struct Selector Selector() {
    struct Selector selector;
    const uint64_t shape = (*this)(8);
    if (shape < 2) return selector;
    selector.requirements.push_back(OneRequirement());
    if (shape > 5) selector.requirements.push_back(OneRequirement());
    return selector;
  }

 private:
  std::string Node() { return absl::StrCat("node-", (*this)(4)); }
  Requirement OneRequirement() {
    switch ((*this)(8)) {
      case 0:
        return Field("spec.nodeName", (*this)(6) ? Node() : "", Requirement::Op::kIn);
      case 1:
        return Field("status.phase", "Running", (*this)(2) ? Requirement::Op::kIn : Requirement::Op::kNotIn);
      case 2:
        return Field("metadata.name", Name(), (*this)(3) ? Requirement::Op::kIn : Requirement::Op::kNotIn);
      case 3:
        return Field("metadata.namespace", Namespace(), Requirement::Op::kIn);
      case 4:
        return {.key = "app", .op = Requirement::Op::kIn, .values = {"app-0", "app-2"}};
      case 5:
        return {.key = "tier", .op = (*this)(2) ? Requirement::Op::kExists : Requirement::Op::kNotExists};
      case 6:
        return {.key = "app", .op = Requirement::Op::kNotIn, .values = {"app-1"}};
      default:
        return {.key = "app", .op = Requirement::Op::kIn, .values = {absl::StrCat("app-", (*this)(3))}};
    }
  }
  static Requirement Field(std::string path, std::string value, Requirement::Op op) {
    return {.source = Requirement::Source::kField, .key = std::move(path), .op = op, .values = {std::move(value)}};
  }

  std::mt19937_64 random_;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_MIRROR_MODEL_H_
