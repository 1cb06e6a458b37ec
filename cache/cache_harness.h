// CacheHarness is a Cache under test, and the other side of it: whoever writes to the store. CacheConformanceTest is what the rows
// of the suite share: a model of what was written, and reads and watches as text to compare with it.
//
// Thread-safety: confined to the test's thread.
#ifndef TIDEMARK_CACHE_CACHE_HARNESS_H_
#define TIDEMARK_CACHE_CACHE_HARNESS_H_

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cache/cache.h"
#include "cache/mirror_model.h"

namespace tidemark::cache {

// Two mirrors: "pods", which the tests write to, and "nodes". Begins before the first list, with a store at revision 1.
class CacheHarness {
 public:
  using Labels = std::map<std::string, std::string>;
  struct Write {
    std::string key;               // "default/a"
    std::optional<Labels> labels;  // none: a deletion, of what is there
  };

  virtual ~CacheHarness() = default;
  virtual Cache& cache() = 0;
  virtual absl::Time Now() = 0;
  // Lets the cache have its lists: the first ones, and those after a rewind.
  virtual void Begin() = 0;
  // Brings what the store has to the cache, and answers the reads that waited for no more than that. Under a second.
  virtual void Settle() = 0;
  // Every wait whose deadline lies in this time ends, if only with an error.
  virtual void RunFor(absl::Duration span) = 0;

  // One transaction of pods; returns its revision.
  virtual Revision Txn(const std::vector<Write>& writes) = 0;
  virtual Revision PutUnreadable(const std::string& key) = 0;
  // The store goes on by one revision without a change of pods.
  virtual Revision MoveOn() = 0;
  // Below `revision` the store's history is gone, and the cache has learnt of it. REQUIRES: settled; no read waits.
  virtual void Compact(Revision revision) = 0;
  // The stream is lost; this is written, and the history compacted above it, before there is another one.
  virtual Revision Relist(const std::vector<Write>& writes) = 0;
  // A restored backup: all above `to` is gone, and the cache knows. Not ready until Begin.
  virtual void Rewind(Revision to) = 0;
  // Reads of the store fail as kStoreUnavailable until Reconnect.
  virtual void CutOff() = 0;
  virtual void Reconnect() = 0;
  virtual void Stop() = 0;

  // The store goes on and the mirror does not, until CatchUp.
  virtual void FallBehind() = 0;
  virtual void CatchUp() = 0;
};

struct CacheHarnessFactory {
  std::string name;
  std::function<std::unique_ptr<CacheHarness>()> make;
};

class CacheConformanceTest : public testing::TestWithParam<CacheHarnessFactory> {
 protected:
  using Labels = CacheHarness::Labels;
  using Texts = std::vector<std::string>;

  struct Outcome {
    int calls = 0;
    absl::StatusOr<View> view = absl::UnknownError("no answer yet");
  };
  struct Watcher {
    WatchQuery query;
    std::unique_ptr<WatchCursor> cursor;
    std::shared_ptr<int> wakes = std::make_shared<int>(0);
    Revision reached;  // what the cursor has said last
  };

  CacheConformanceTest() : harness_(GetParam().make()) {}

  Cache& cache() { return harness_->cache(); }
  Mirror* pods() { return cache().Find("", "pods"); }
  void Begin() {
    harness_->Begin();
    harness_->Settle();
  }

  Revision Txn(const std::vector<CacheHarness::Write>& writes) { return Note(harness_->Txn(writes), writes); }
  Revision Put(const std::string& key, const Labels& labels = {}) { return Txn({{key, labels}}); }
  Revision Delete(const std::string& key) { return Txn({{key, std::nullopt}}); }
  Revision Relist(const std::vector<CacheHarness::Write>& writes) { return Note(harness_->Relist(writes), writes); }
  void Rewind(Revision to) {
    harness_->Rewind(to);
    model_.Rewind(to.value());
  }

  std::shared_ptr<Outcome> Read(const ReadOptions& options) {
    auto outcome = std::make_shared<Outcome>();
    cache().Read(pods(), options, [outcome](absl::StatusOr<View> view) {
      EXPECT_EQ(++outcome->calls, 1);
      outcome->view = std::move(view);
    });
    return outcome;
  }
  // A read that has its answer once the cache has what the store has.
  absl::StatusOr<View> ReadNow(const ReadOptions& options) {
    const auto outcome = Read(options);
    if (outcome->calls == 0) harness_->Settle();
    EXPECT_EQ(outcome->calls, 1);
    return outcome->view;
  }
  // The kind of the answer that is there without any waiting.
  ErrorKind KindAtOnce(const ReadOptions& options) {
    const auto outcome = Read(options);
    EXPECT_EQ(outcome->calls, 1) << "nothing had to be waited for";
    return KindOf(outcome->view.status());
  }

  // "default/a@7", the key and the object's own revision; an error's kind at its place.
  static Texts Objects(ListCursor* cursor) {
    Texts texts;
    for (bool more = true; more;) {
      std::vector<const Object*> objects;
      const absl::StatusOr<bool> next = cursor->Next(2, &objects);
      EXPECT_LE(objects.size(), 2u);
      for (const Object* object : objects) {
        texts.push_back(absl::StrCat(object->key(), "@", object->mod_revision().value()));
      }
      if (!next.ok()) texts.push_back(ErrorText(next.status()));
      more = next.ok() && *next;
    }
    return texts;
  }
  static Texts Objects(const absl::StatusOr<View>& view, const ListQuery& query = {}) {
    if (!view.ok()) return {ErrorText(view.status())};
    return Objects(view->snapshot->List(query).get());
  }
  Texts ExpectedObjects(Revision revision, const ListQuery& query = {}) const {
    Texts texts;
    for (const auto& [key, object] : model_.StateAt(revision.value())) {
      if (MirrorModel::Selects(key, object, query.scope, query.selector))
        texts.push_back(absl::StrCat(key, "@", object.revision));
    }
    return texts;
  }

  Watcher Watch(WatchQuery query) {
    Watcher watcher{.query = query, .reached = query.after};
    auto cursor = pods()->Watch(std::move(query), [wakes = watcher.wakes] { ++*wakes; });
    EXPECT_TRUE(cursor.ok()) << cursor.status();
    if (cursor.ok()) watcher.cursor = *std::move(cursor);
    return watcher;
  }
  absl::Status WatchStatus(Revision after) {
    return pods()->Watch({.after = after}, [] {}).status();
  }
  // All that there is for the watch now: "ADDED default/a@7 of 7", the event's revision and the object's; the kind of the error
  // that has ended it.
  static Texts Take(Watcher* watcher, size_t max_events = 100) {
    Texts texts;
    while (true) {
      std::vector<WatchEvent> events;
      const int wakes = *watcher->wakes;
      const absl::Status status = watcher->cursor->Next(max_events, &events);
      EXPECT_LE(events.size(), max_events);
      for (const WatchEvent& event : events) {
        EXPECT_GT(event.revision, watcher->reached) << "it had said that there is no more up to there";
        EXPECT_EQ(event.revision, event.event->revision());
        texts.push_back(EventText(event));
      }
      const Revision reached = watcher->cursor->revision();
      EXPECT_GE(reached, watcher->reached);
      watcher->reached = reached;
      if (!status.ok()) {
        EXPECT_TRUE(events.empty()) << "what came before the error goes out first";
        texts.push_back(ErrorText(status));
        return texts;
      }
      // One that was woken meanwhile has looked at enough for one call, and there may be more.
      if (events.empty() && *watcher->wakes == wakes) return texts;
    }
  }
  Texts ExpectedEvents(const WatchQuery& query) const {
    Texts texts;
    for (const MirrorModel::Change& change : model_.changes()) {
      const std::optional<WatchEventType> type = MirrorModel::Sees(change, query);
      if (!type || change.revision <= query.after.value()) continue;
      const int64_t object = *type == WatchEventType::kDeleted ? change.before->revision : change.revision;
      texts.push_back(EventText(*type, change.key, change.revision, object));
    }
    return texts;
  }

  static std::string EventText(WatchEventType type, absl::string_view key, int64_t revision, int64_t object_revision) {
    const char* const types[] = {"ADDED", "MODIFIED", "DELETED"};
    return absl::StrCat(types[static_cast<int>(type)], " ", key, "@", revision, " of ", object_revision);
  }
  static std::string EventText(const WatchEvent& event) {
    return EventText(event.type, event.object->key(), event.revision.value(), event.object->mod_revision().value());
  }
  static std::string ErrorText(ErrorKind kind) { return absl::StrCat("ERROR ", ErrorKindName(kind)); }
  static std::string ErrorText(const absl::Status& status) { return ErrorText(KindOf(status)); }

  static Requirement Label(std::string key, Requirement::Op op, std::vector<std::string> values = {}) {
    return {.key = std::move(key), .op = op, .values = std::move(values)};
  }
  static Requirement Field(std::string key, Requirement::Op op, std::string value) {
    return {.source = Requirement::Source::kField, .key = std::move(key), .op = op, .values = {std::move(value)}};
  }
  static Selector AppIs(std::string app) { return {{Label("app", Requirement::Op::kIn, {std::move(app)})}}; }

  const std::unique_ptr<CacheHarness> harness_;
  MirrorModel model_;  // of the pods that were written, but for unreadable ones

 private:
  Revision Note(Revision revision, const std::vector<CacheHarness::Write>& writes) {
    for (const CacheHarness::Write& write : writes) {
      std::optional<ModelObject> object;
      if (write.labels) object = ModelObject{.labels = *write.labels};
      model_.Apply(revision.value(), write.key, std::move(object));
    }
    return revision;
  }
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_CACHE_HARNESS_H_
