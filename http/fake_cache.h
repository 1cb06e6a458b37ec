// FakeCache is a cache of a few objects for tests of http/: every revision of a mirror is a whole map, selectors are
// tested object by object, and whether a read waits is decided by the test: nobody waits unless reads are held, and a
// revision that is not there then is kStale at once. It passes the suite of cache/cache_conformance.h.
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
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/go_json_string.h"
#include "base/status.h"
#include "cache/cache.h"
#include "cache/unreadable.h"
#include "http/fake_snapshot.h"

namespace tidemark::http {

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
      absl::StrAppend(&metadata_tail, metadata_tail.empty() ? ",\"labels\":{" : ",", GoJsonString(label), ":",
                      GoJsonString(value));
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
           {.object = cache::MakeUnreadableObject(key, Revision(revision), "it is encrypted at rest (aescbc)"),
            .labels = {}});
  }
  void Delete(int64_t revision, const std::string& key) { Change(revision, key, {}); }
  void Progress(int64_t revision) {
    revision_ = Revision(revision);
    Wake();
  }
  // Forgets the history up to `revision`: cursors that have not seen all of it fall out.
  void Compact(int64_t revision) { compacted_ = Revision(revision); }
  // The history begins at the mirror's revision; who watched the one before was not told all of it.
  void Relist() { BeginAnew(MakeError(ErrorKind::kCompacted, "the mirror had to list anew", revision_)); }
  // All above `to` is gone. Not ready until set_ready(true).
  void Rewind(int64_t to) {
    set_ready(false);
    states_.erase(states_.upper_bound(Revision(to)), states_.end());
    revision_ = Revision(to);
    BeginAnew(MakeError(ErrorKind::kRewound, "the store went back in time"));
  }
  void Stop() {
    not_ready_ = MakeError(ErrorKind::kStopped, "the cache stops");
    BeginAnew(not_ready_);
  }
  void set_ready(bool ready) {
    not_ready_ = ready ? absl::OkStatus() : MakeError(ErrorKind::kNotReady, "no first list");
  }

  // Why the mirror is not ready, or OK.
  const absl::Status& not_ready() const { return not_ready_; }
  Revision compacted() const { return compacted_; }
  // How each history before this one ended.
  const std::vector<absl::Status>& ends() const { return ends_; }
  const FakeState& StateAt(Revision revision) const { return std::prev(states_.upper_bound(revision))->second; }
  const std::vector<FakeChange>& changes() const { return changes_; }
  int watches() const { return watches_; }
  metrics::ReadMetrics& reads() { return reads_; }

  const config::Resource& resource() const override { return resource_; }
  const std::string& key_prefix() const override { return key_prefix_; }
  bool ready() const override { return not_ready_.ok(); }
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

  void BeginAnew(absl::Status reason) {
    changes_.clear();
    compacted_ = revision_;
    ends_.push_back(std::move(reason));
    Wake();
  }
  void Wake() {
    for (const auto& weak : wakers_) {
      if (const auto waker = weak.lock()) (*waker)();
    }
  }

  const config::Resource& resource_;
  const std::string key_prefix_;
  absl::Status not_ready_;
  Revision revision_;
  Revision compacted_;
  std::map<Revision, FakeState> states_{{Revision(0), {}}};
  std::vector<FakeChange> changes_;  // of this history
  std::vector<absl::Status> ends_;
  std::vector<std::weak_ptr<const std::function<void()>>> wakers_;  // of the cursors, which own them
  int watches_ = 0;
  metrics::ReadMetrics reads_;
};

class FakeWatchCursor : public cache::WatchCursor {
 public:
  FakeWatchCursor(const FakeMirror* mirror, cache::WatchQuery query, std::shared_ptr<const std::function<void()>> waker)
      : mirror_(mirror),
        query_(std::move(query)),
        waker_(std::move(waker)),
        history_(mirror->ends().size()),
        reached_(query_.after) {}

  absl::Status Next(size_t max_events, std::vector<cache::WatchEvent>* events) override {
    if (Ended()) return mirror_->ends()[history_];
    while (HasNext() && Current().event->revision() <= query_.after) ++next_;
    if (HasNext() && Current().event->revision() <= mirror_->compacted()) {
      return MakeError(ErrorKind::kCompacted, "too slow", mirror_->compacted());
    }
    const size_t before = events->size();
    for (; HasNext() && events->size() - before < max_events; ++next_) {
      if (Current().after.Selected(query_.scope, {}) && Current().after.object->unreadable()) {
        // What comes before the error goes out first.
        if (events->size() > before) return absl::OkStatus();
        return cache::UnreadableError(mirror_->key_prefix(), *Current().after.object);
      }
      Append(Current(), events);
    }
    return absl::OkStatus();
  }
  bool caught_up() const override { return !Ended() && !HasNext(); }
  Revision revision() const override {
    if (Ended()) return reached_;
    return reached_ = std::max(reached_, HasNext() ? Current().event->revision().Previous() : mirror_->revision());
  }

 private:
  bool Ended() const { return history_ < mirror_->ends().size(); }
  bool HasNext() const { return next_ < mirror_->changes().size(); }
  const FakeChange& Current() const { return mirror_->changes()[next_]; }
  void Append(const FakeChange& change, std::vector<cache::WatchEvent>* events) const {
    const bool before = change.before.Shown(query_.scope, query_.selector);
    const bool after = change.after.Shown(query_.scope, query_.selector);
    if (!before && !after) return;
    using Type = cache::WatchEvent::Type;
    const Type type = !after ? Type::kDeleted : before ? Type::kModified : Type::kAdded;
    const FakeObject& object = after ? change.after : change.before;
    events->push_back(
        {.type = type, .revision = change.event->revision(), .event = change.event, .object = object.object.get()});
  }

  const FakeMirror* const mirror_;
  const cache::WatchQuery query_;
  const std::shared_ptr<const std::function<void()>> waker_;
  const size_t history_;      // which of the mirror's histories next_ stands in
  mutable Revision reached_;  // what revision() has said last
  size_t next_ = 0;
};

inline absl::StatusOr<std::unique_ptr<cache::WatchCursor>> FakeMirror::Watch(cache::WatchQuery query,
                                                                             std::function<void()> waker) {
  if (!ready()) return not_ready_;
  if (query.after < compacted_) return MakeError(ErrorKind::kCompacted, "below the history", compacted_);
  auto shared_waker = std::make_shared<const std::function<void()>>(std::move(waker));
  wakers_.push_back(shared_waker);
  ++watches_;
  return std::make_unique<FakeWatchCursor>(this, std::move(query), std::move(shared_waker));
}

class FakeCache : public cache::Cache {
 public:
  FakeMirror* Add(const config::Resource& resource) {
    mirrors_.push_back(std::make_unique<FakeMirror>(resource));
    return mirrors_.back().get();
  }
  // From now on reads that are consistent or of a future revision wait until they are released.
  void HoldReads() { held_ = true; }
  void ReleaseReads() {
    held_ = false;
    for (HeldRead& read : std::exchange(waiting_, {})) read.done(Answer(*read.mirror, read.options));
  }
  // Answers what waits, but for reads of a revision that is in the future still.
  void AnswerReached() {
    for (HeldRead& read : std::exchange(waiting_, {})) {
      if (read.mirror->ready() && IsFuture(*read.mirror, read.options)) {
        waiting_.push_back(std::move(read));
      } else {
        read.done(Answer(*read.mirror, read.options));
      }
    }
  }
  // Consistent reads fail so; none does any more with OK.
  void FailReads(absl::Status error) { error_ = std::move(error); }
  // Every read and watch ends with kStopped.
  void Stop() {
    for (const auto& mirror : mirrors_) mirror->Stop();
    ReleaseReads();
  }
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
    const bool waits = options.freshness == cache::Freshness::kConsistent || IsFuture(*fake, options);
    if (!held_ || !fake->ready() || !waits) return done(Answer(*fake, options));
    waiting_.push_back({fake, options, std::move(done)});
  }

 private:
  struct HeldRead {
    FakeMirror* mirror;
    cache::ReadOptions options;
    ReadCallback done;
  };

  static bool IsFuture(const FakeMirror& mirror, const cache::ReadOptions& options) {
    using cache::Freshness;
    const bool named = options.freshness == Freshness::kExact || options.freshness == Freshness::kNotOlderThan;
    return named && options.revision > mirror.revision();
  }
  absl::StatusOr<cache::View> Answer(const FakeMirror& mirror, const cache::ReadOptions& options) const {
    if (!mirror.ready()) return mirror.not_ready();
    if (!error_.ok() && options.freshness == cache::Freshness::kConsistent) return error_;
    if (IsFuture(mirror, options)) return MakeError(ErrorKind::kStale, "late", mirror.revision());
    const bool exact = options.freshness == cache::Freshness::kExact;
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
  std::vector<HeldRead> waiting_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_FAKE_CACHE_H_
