// FakeSnapshot is one state of a FakeMirror (http/fake_cache.h): a map, of which each list looks at every object.
//
// Thread-safety: confined to the test's thread.
#ifndef TIDEMARK_HTTP_FAKE_SNAPSHOT_H_
#define TIDEMARK_HTTP_FAKE_SNAPSHOT_H_

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cache/object.h"
#include "cache/selector.h"
#include "cache/snapshot.h"

namespace tidemark::http {

// An object and the labels it was made with: tests select by these and by the key alone.
struct FakeObject {
  cache::ObjectRef object;
  std::map<std::string, std::string> labels;

  bool Has(const cache::Requirement& requirement) const {
    using Op = cache::Requirement::Op;
    std::optional<std::string> value;
    if (requirement.source == cache::Requirement::Source::kField) {
      value = std::string(requirement.key == "metadata.name" ? object->name() : object->namespace_name());
    } else if (const auto label = labels.find(requirement.key); label != labels.end()) {
      value = label->second;
    }
    const auto& values = requirement.values;
    const bool in = value.has_value() && std::find(values.begin(), values.end(), *value) != values.end();
    if (requirement.op == Op::kIn) return in;
    if (requirement.op == Op::kNotIn) return !in;
    if (requirement.op == Op::kExists || requirement.op == Op::kNotExists)
      return value.has_value() == (requirement.op == Op::kExists);
    int64_t number = 0;
    int64_t bound = 0;
    if (!value || !absl::SimpleAtoi(*value, &number) || !absl::SimpleAtoi(values.at(0), &bound)) return false;
    return requirement.op == Op::kGreater ? number > bound : number < bound;
  }
  bool Selected(const cache::Scope& scope, const cache::Selector& selector) const {
    if (!object) return false;
    if (!scope.namespace_name.empty() && object->namespace_name() != scope.namespace_name) return false;
    if (!scope.name.empty() && object->name() != scope.name) return false;
    return std::all_of(selector.requirements.begin(), selector.requirements.end(),
                       [this](const cache::Requirement& requirement) { return Has(requirement); });
  }
  bool Shown(const cache::Scope& scope, const cache::Selector& selector) const {
    return Selected(scope, selector) && !object->unreadable();
  }
};
using FakeState = std::map<std::string, FakeObject>;

class FakeListCursor : public cache::ListCursor {
 public:
  FakeListCursor(const FakeState& state, cache::ListQuery query) : query_(std::move(query)) {
    for (const auto& [key, object] : state) {
      const bool in_scope = object.Selected(query_.scope, {});
      if (key < query_.start_key || !in_scope) continue;
      last_key_ = key;
      if (object.object->unreadable()) unreadable_ = object.object.get();
      if (object.Selected(query_.scope, query_.selector)) selected_.push_back(object.object.get());
    }
    const bool limited = query_.limit > 0 && selected_.size() >= static_cast<size_t>(query_.limit);
    if (!limited) return;
    const std::string end(selected_[static_cast<size_t>(query_.limit) - 1]->key());
    if (last_key_ == end) return;
    continue_key_ = end + std::string(1, '\0');
    if (query_.selector.empty()) remaining_ = static_cast<int64_t>(selected_.size()) - query_.limit;
    selected_.resize(static_cast<size_t>(query_.limit));
  }

  absl::StatusOr<bool> Next(size_t max_objects, std::vector<const cache::Object*>* objects) override {
    if (unreadable_ != nullptr) {
      return MakeError(ErrorKind::kCorrupt, absl::StrCat("the value of ", unreadable_->key(), " cannot be read"));
    }
    for (; max_objects > 0 && next_ < selected_.size(); --max_objects) objects->push_back(selected_[next_++]);
    return next_ < selected_.size();
  }
  const std::string& continue_key() const override { return continue_key_; }
  std::optional<int64_t> remaining() const override { return remaining_; }
  const std::string& plan() const override { return plan_; }
  cache::ListWork work() const override { return {.evaluated = next_}; }

 private:
  const cache::ListQuery query_;
  std::vector<const cache::Object*> selected_;
  size_t next_ = 0;
  std::string last_key_;
  const cache::Object* unreadable_ = nullptr;
  std::string continue_key_;
  std::optional<int64_t> remaining_;
  const std::string plan_ = "scan";
};

class FakeSnapshot : public cache::Snapshot {
 public:
  static cache::SnapshotRef Make(Revision revision, FakeState state) {
    return cache::SnapshotRef::Adopt(new FakeSnapshot(revision, std::move(state)));
  }

  Revision revision() const override { return revision_; }
  size_t size() const override { return state_.size(); }
  const cache::Object* Get(absl::string_view key) const override {
    const auto found = state_.find(std::string(key));
    return found == state_.end() ? nullptr : found->second.object.get();
  }
  std::unique_ptr<cache::ListCursor> List(cache::ListQuery query) const override {
    return std::make_unique<FakeListCursor>(state_, std::move(query));
  }

 private:
  FakeSnapshot(Revision revision, FakeState state) : revision_(revision), state_(std::move(state)) {}
  void Dispose() const override { delete this; }

  const Revision revision_;
  const FakeState state_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_FAKE_SNAPSHOT_H_
