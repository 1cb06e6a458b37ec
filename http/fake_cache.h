// FakeCache is a cache of a few objects for tests of http/: every revision of a mirror is a whole map, selectors are
// tested object by object, and what a read has to wait for is decided by the test.
//
//   FakeCache cache;
//   FakeMirror* pods = cache.Add(resource);
//   pods->Put(76, "default/web-1", {{"app", "web"}});
//
// Thread-safety: confined to the test's thread.
#ifndef TIDEMARK_HTTP_FAKE_CACHE_H_
#define TIDEMARK_HTTP_FAKE_CACHE_H_

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"
#include "cache/cache.h"
#include "cache/unreadable.h"
#include "http/json_text.h"

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
    return value.has_value() == (requirement.op == Op::kExists);
  }
  bool Selected(const cache::Scope& scope, const cache::Selector& selector) const {
    if (!object) return false;
    if (!scope.namespace_name.empty() && object->namespace_name() != scope.namespace_name) return false;
    if (!scope.name.empty() && object->name() != scope.name) return false;
    return std::all_of(selector.requirements.begin(), selector.requirements.end(),
                       [this](const cache::Requirement& requirement) { return Has(requirement); });
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

struct FakeChange {
  cache::EventRef event;
  FakeObject before;  // empty: created
  FakeObject after;   // empty: deleted
};

class FakeMirror : public cache::Mirror {
 public:
  explicit FakeMirror(const config::Resource& resource)
      : resource_(resource), key_prefix_(absl::StrCat("/registry/", resource.prefix, "/")) {}

  // REQUIRES: revisions do not go back.
  void Put(int64_t revision, const std::string& key, std::map<std::string, std::string> labels = {}) {
    const size_t slash = key.find('/');
    std::string head =
        absl::StrCat("{\"metadata\":{\"name\":\"", key.substr(slash == std::string::npos ? 0 : slash + 1), "\"");
    if (slash != std::string::npos) absl::StrAppend(&head, ",\"namespace\":\"", key.substr(0, slash), "\"");
    std::string metadata_tail;
    for (const auto& [label, value] : labels) {
      absl::StrAppend(&metadata_tail, metadata_tail.empty() ? ",\"labels\":{" : ",", JsonString(label), ":",
                      JsonString(value));
    }
    if (!metadata_tail.empty()) metadata_tail += "}";
    metadata_tail += "}";
    const size_t metadata_end = head.size() + metadata_tail.size();
    Change(revision, key,
           {.object = cache::MakeObject(key, Revision(revision), head, metadata_tail + "}", metadata_end),
            .labels = labels});
  }
  void PutUnreadable(int64_t revision, const std::string& key) {
    Change(revision, key,
           {.object = cache::MakeUnreadableObject(key, Revision(revision), "it is stored as Kubernetes protobuf"),
            .labels = {}});
  }
  void Delete(int64_t revision, const std::string& key) { Change(revision, key, {}); }
  void Progress(int64_t revision) {
    revision_ = Revision(revision);
    for (const auto& waker : wakers_) waker();
  }
  // Forgets the history up to `revision`: cursors that stand below fall out.
  void Compact(int64_t revision) { compacted_ = Revision(revision); }
  void set_ready(bool ready) { ready_ = ready; }

  Revision compacted() const { return compacted_; }
  const FakeState& StateAt(Revision revision) const { return std::prev(states_.upper_bound(revision))->second; }
  const std::vector<FakeChange>& changes() const { return changes_; }
  int watches() const { return watches_; }
  metrics::ReadMetrics& reads() { return reads_; }

  const config::Resource& resource() const override { return resource_; }
  const std::string& key_prefix() const override { return key_prefix_; }
  bool ready() const override { return ready_; }
  Revision revision() const override { return revision_; }
  absl::StatusOr<std::unique_ptr<cache::WatchCursor>> Watch(cache::WatchQuery query,
                                                            std::function<void()> waker) override;
  metrics::ReadMetrics read_metrics() const override { return reads_; }

 private:
  void Change(int64_t revision, const std::string& key, FakeObject after) {
    TM_CHECK(Revision(revision) >= revision_) << "back to " << revision;
    FakeState& state = states_.try_emplace(Revision(revision), StateAt(Revision(revision))).first->second;
    const FakeObject before = state[key];
    changes_.push_back({.event = cache::Event::Make(Revision(revision), after.object, before.object),
                        .before = before,
                        .after = after});
    if (after.object) {
      state[key] = after;
    } else {
      state.erase(key);
    }
    Progress(revision);
  }

  const config::Resource& resource_;
  const std::string key_prefix_;
  bool ready_ = true;
  Revision revision_;
  Revision compacted_;
  std::map<Revision, FakeState> states_{{Revision(0), {}}};
  std::vector<FakeChange> changes_;
  std::vector<std::function<void()>> wakers_;
  int watches_ = 0;
  metrics::ReadMetrics reads_;
};

class FakeWatchCursor : public cache::WatchCursor {
 public:
  FakeWatchCursor(const FakeMirror* mirror, cache::WatchQuery query)
      : mirror_(mirror), query_(std::move(query)), revision_(query_.after) {
    while (next_ < mirror_->changes().size() && Current().event->revision() <= revision_) ++next_;
  }

  absl::Status Next(size_t max_events, std::vector<cache::WatchEvent>* events) override {
    if (revision_ < mirror_->compacted()) return MakeError(ErrorKind::kCompacted, "too slow", mirror_->compacted());
    for (; next_ < mirror_->changes().size() && max_events > 0; ++next_) {
      if (Current().after.Selected(query_.scope, {}) && Current().after.object->unreadable()) {
        return cache::UnreadableError(mirror_->key_prefix(), *Current().after.object);
      }
      revision_ = std::max(revision_, Current().event->revision());
      if (Append(Current(), events)) --max_events;
    }
    if (next_ == mirror_->changes().size()) revision_ = std::max(revision_, mirror_->revision());
    return absl::OkStatus();
  }
  Revision revision() const override { return revision_; }

 private:
  const FakeChange& Current() const { return mirror_->changes()[next_]; }
  bool Append(const FakeChange& change, std::vector<cache::WatchEvent>* events) const {
    const bool before = change.before.Selected(query_.scope, query_.selector);
    const bool after = change.after.Selected(query_.scope, query_.selector);
    if ((!before && !after) || change.event->revision() <= query_.after) return false;
    using Type = cache::WatchEvent::Type;
    const Type type = !after ? Type::kDeleted : before ? Type::kModified : Type::kAdded;
    const FakeObject& object = after ? change.after : change.before;
    events->push_back(
        {.type = type, .revision = change.event->revision(), .event = change.event, .object = object.object.get()});
    return true;
  }

  const FakeMirror* const mirror_;
  const cache::WatchQuery query_;
  Revision revision_;
  size_t next_ = 0;
};

inline absl::StatusOr<std::unique_ptr<cache::WatchCursor>> FakeMirror::Watch(cache::WatchQuery query,
                                                                             std::function<void()> waker) {
  if (!ready_) return MakeError(ErrorKind::kNotReady, "no first list");
  if (query.after < compacted_) return MakeError(ErrorKind::kCompacted, "below the history", compacted_);
  wakers_.push_back(std::move(waker));
  ++watches_;
  return std::make_unique<FakeWatchCursor>(this, std::move(query));
}

class FakeCache : public cache::Cache {
 public:
  FakeMirror* Add(const config::Resource& resource) {
    mirrors_.push_back(std::make_unique<FakeMirror>(resource));
    return mirrors_.back().get();
  }
  // From now on reads wait until they are released.
  void HoldReads() { held_ = true; }
  void ReleaseReads() {
    held_ = false;
    for (auto& read : std::exchange(waiting_, {})) read();
  }
  void FailReads(absl::Status error) { error_ = std::move(error); }
  const std::vector<cache::ReadOptions>& reads() const { return reads_; }

  cache::Mirror* Find(absl::string_view group, absl::string_view plural) override {
    for (const auto& mirror : mirrors_) {
      if (mirror->resource().group == group && mirror->resource().plural == plural) return mirror.get();
    }
    return nullptr;
  }
  std::vector<cache::Mirror*> mirrors() override {
    std::vector<cache::Mirror*> all;
    for (const auto& mirror : mirrors_) all.push_back(mirror.get());
    return all;
  }
  bool ready() const override {
    return std::all_of(mirrors_.begin(), mirrors_.end(), [](const auto& mirror) { return mirror->ready(); });
  }
  void Read(cache::Mirror* mirror, cache::ReadOptions options, ReadCallback done) override {
    reads_.push_back(options);
    auto* const fake = static_cast<FakeMirror*>(mirror);
    if (!held_) return done(Answer(*fake, options));
    waiting_.push_back([this, fake, options, done = std::move(done)]() mutable { done(Answer(*fake, options)); });
  }

 private:
  absl::StatusOr<cache::View> Answer(const FakeMirror& mirror, const cache::ReadOptions& options) const {
    if (!error_.ok()) return error_;
    if (!mirror.ready()) return MakeError(ErrorKind::kNotReady, "no first list");
    const bool exact = options.freshness == cache::Freshness::kExact;
    const bool named = exact || options.freshness == cache::Freshness::kNotOlderThan;
    if (named && options.revision > mirror.revision()) return MakeError(ErrorKind::kStale, "late", mirror.revision());
    if (exact && options.revision < mirror.compacted())
      return MakeError(ErrorKind::kCompacted, "gone", mirror.compacted());
    const Revision revision = exact ? options.revision : mirror.revision();
    return cache::View{.snapshot = FakeSnapshot::Make(revision, mirror.StateAt(revision)),
                       .revision = revision,
                       .served_from = "mirror"};
  }

  std::vector<std::unique_ptr<FakeMirror>> mirrors_;
  bool held_ = false;
  absl::Status error_;
  std::vector<cache::ReadOptions> reads_;
  std::vector<absl::AnyInvocable<void()>> waiting_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_FAKE_CACHE_H_
