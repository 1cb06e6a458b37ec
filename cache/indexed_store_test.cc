#include "cache/indexed_store.h"

#include <atomic>
#include <cstdlib>
#include <thread>

#include "base/status.h"
#include "cache/overlay_snapshot.h"
#include "cache/store_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

uint64_t Seed() {
  const char* const given = std::getenv("TIDEMARK_SEED");
  return given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
}

struct RandomRun {
  const char* name;
  uint64_t hash_mask;
  uint32_t births_max;
  int names;       // per namespace, times four tails
  int operations;
  int broken_percent;
};

class IndexedStoreRandomTest : public testing::TestWithParam<RandomRun> {
 protected:
  struct Held {
    SnapshotRef snapshot;
    ModelState state;
  };

  IndexedStoreRandomTest() : seed_(Seed()), dice_(seed_) {
    store_ = std::make_unique<IndexedStore>(ModelResource(),
                                            IndexedStoreOptions{GetParam().hash_mask, GetParam().births_max});
  }

  void Put(const std::string& key) {
    ModelObject object = dice_.Object(++revision_);
    const auto old = state_.find(key);
    if (old != state_.end() && dice_.Chance(60)) {
      // The usual update changes no label.
      object = old->second;
      object.revision = revision_;
      if (dice_.Chance(20)) object.node = "node-1";
    }
    object.broken = dice_.Chance(GetParam().broken_percent);
    const Change change = store_->Put(key, object.Value(key), Revision(revision_));
    ASSERT_EQ(change.old_object.get() != nullptr, old != state_.end());
    ASSERT_EQ(change.new_object->unreadable(), object.broken);
    ASSERT_EQ(change.new_values == nullptr, object.broken);
    state_[key] = object;
  }

  void Delete(const std::string& key) {
    ++revision_;
    const Change change = store_->Delete(key);
    ASSERT_EQ(change.old_object.get() != nullptr, state_.erase(key) == 1);
  }

  void Relist() {
    store_->BeginReplace();
    if (dice_.Chance(20)) {
      for (const auto& [key, object] : state_) {
        store_->Put(key, object.Value(key), Revision(object.revision));
        if (dice_.Chance(5)) break;  // breaks off half-way
      }
      store_->BeginReplace();
    }
    ModelState next;
    for (const auto& [key, object] : state_) {
      if (dice_.Chance(10)) continue;
      next[key] = object;
      if (dice_.Chance(10)) {
        next[key] = dice_.Object(++revision_);
      }
    }
    for (int i = 0; i < 5; ++i) next[dice_.Key(GetParam().names)] = dice_.Object(++revision_);
    size_t gone = 0;
    for (const auto& [key, object] : state_) gone += next.count(key) == 0;
    for (const auto& [key, object] : next) {
      const auto old = state_.find(key);
      const Change change = store_->Put(key, object.Value(key), Revision(object.revision));
      ASSERT_EQ(change.unchanged, old != state_.end() && old->second.revision == object.revision);
    }
    ASSERT_EQ(store_->FinishReplace().size(), gone);
    state_ = next;
  }

  void Step() {
    for (int i = 1 + dice_.Below(dice_.Chance(10) ? 60 : 4); i > 0; --i) {
      const std::string key = dice_.Key(GetParam().names);
      if (dice_.Chance(growing_ ? 25 : 75)) {
        Delete(key);
      } else {
        Put(key);
      }
    }
    if (dice_.Chance(2)) Relist();
    if (dice_.Chance(2)) growing_ = !growing_;
    const SnapshotRef snapshot = store_->Publish(Revision(revision_));
    if (dice_.Chance(20)) held_.push_back({snapshot, state_});
    if (dice_.Chance(20) && !held_.empty()) held_.erase(held_.begin() + dice_.Below(static_cast<int>(held_.size())));
    if (dice_.Chance(5)) store_->Reclaim(1000);
  }

  void Compare(const Snapshot& snapshot, const ModelState& state) {
    ASSERT_EQ(snapshot.size(), state.size());
    const std::string key = dice_.Key(GetParam().names);
    const Object* const object = snapshot.Get(key);
    ASSERT_EQ(object != nullptr, state.count(key) == 1);
    if (object != nullptr) {
      ASSERT_EQ(object->mod_revision().value(), state.at(key).revision);
    }
    const ListQuery query = dice_.Query(GetParam().names);
    ASSERT_EQ(SnapshotList(snapshot, query, 1 + dice_.Below(50)), ModelList(state, query)) << Describe(query);
  }

  // The state of `to` as an overlay on the snapshot of `from`.
  void CompareOverlay(const Held& from, const ModelState& to) {
    ObjectBuilder builder(store_->schema());
    ModelState keys = to;
    keys.insert(from.state.begin(), from.state.end());
    Overrides overrides;
    for (const auto& [key, ignored] : keys) {
      const auto target = to.find(key);
      const auto base = from.state.find(key);
      const bool same = target != to.end() && base != from.state.end() && target->second.revision == base->second.revision;
      if (same && !dice_.Chance(2)) continue;
      ObjectRef object;
      if (target != to.end()) {
        object = builder.Build(key, target->second.Value(key), Revision(target->second.revision));
      }
      overrides.emplace_back(key, std::move(object));
    }
    const SnapshotRef overlay = MakeOverlaySnapshot(from.snapshot, Revision(1), std::move(overrides));
    Compare(*overlay, to);
  }

  const uint64_t seed_;
  ModelDice dice_;
  std::unique_ptr<IndexedStore> store_;
  ModelState state_;
  std::vector<Held> held_;
  int64_t revision_ = 1;
  bool growing_ = true;
};

TEST_P(IndexedStoreRandomTest, AgreesWithTheModel) {
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed_));
  for (int i = 0; i < GetParam().operations; ++i) {
    ASSERT_NO_FATAL_FAILURE(Step());
    if (i % (1 + GetParam().names / 10) == 0) store_->CheckInvariants();
    ASSERT_NO_FATAL_FAILURE(Compare(*store_->Current(), state_));
    ASSERT_NO_FATAL_FAILURE(Compare(*store_->Current(), state_));
    if (held_.empty()) continue;
    const Held& held = held_[static_cast<size_t>(dice_.Below(static_cast<int>(held_.size())))];
    ASSERT_NO_FATAL_FAILURE(Compare(*held.snapshot, held.state));
    if (i % 5 == 0) {
      ASSERT_NO_FATAL_FAILURE(CompareOverlay(held, state_));
      ASSERT_NO_FATAL_FAILURE(CompareOverlay({store_->Current(), state_}, held.state));
    }
  }
  held_.clear();
  store_->Publish(Revision(revision_));
  while (store_->Reclaim(1000)) {
  }
  EXPECT_EQ(store_->memory().waiting_pieces, 0u);
  EXPECT_EQ(store_->memory().snapshots, 1u);
  store_->CheckInvariants();
}

INSTANTIATE_TEST_SUITE_P(All, IndexedStoreRandomTest,
                         testing::Values(RandomRun{"Small", ~uint64_t{0}, 0xfffffff0u, 30, 600, 0},
                                         RandomRun{"Broken", ~uint64_t{0}, 0xfffffff0u, 20, 300, 2},
                                         RandomRun{"Big", ~uint64_t{0}, 0xfffffff0u, 1500, 500, 0},
                                         RandomRun{"CollidingHashes", 0x7, 0xfffffff0u, 20, 300, 0},
                                         RandomRun{"BirthsCountedAnew", ~uint64_t{0}, 5, 50, 400, 0}),
                         [](const auto& info) { return info.param.name; });

class IndexedStoreTest : public testing::Test {
 protected:
  void Put(const std::string& key, std::map<std::string, std::string> labels, const std::string& node = "") {
    ModelObject object;
    object.labels = std::move(labels);
    object.node = node;
    object.phase = "Running";
    store_.Put(key, object.Value(key), Revision(++revision_));
  }
  SnapshotRef Publish() { return store_.Publish(Revision(revision_)); }

  static ListQuery Query(const std::string& labels, const std::string& fields = "") {
    ListQuery query;
    query.selector.requirements = *ParseLabelSelector(labels);
    auto parsed = ParseFieldSelector(fields, ModelResource());
    for (Requirement& requirement : *parsed) {
      query.selector.requirements.push_back(std::move(requirement));
    }
    return query;
  }
  static std::string Plan(const Snapshot& snapshot, const ListQuery& query) { return snapshot.List(query)->plan(); }
  static std::vector<std::string> Keys(const Snapshot& snapshot, const ListQuery& query) {
    std::vector<const Object*> objects;
    const auto cursor = snapshot.List(query);
    while (*cursor->Next(100, &objects)) {
    }
    std::vector<std::string> keys;
    for (const Object* const object : objects) keys.emplace_back(object->key());
    return keys;
  }

  int64_t revision_ = 1;
  IndexedStore store_{ModelResource()};
};

TEST_F(IndexedStoreTest, IsEmptyBeforeTheFirstPublish) {
  const SnapshotRef snapshot = store_.Current();
  EXPECT_EQ(snapshot->size(), 0u);
  EXPECT_EQ(snapshot->revision(), Revision());
  EXPECT_EQ(snapshot->Get("a/b"), nullptr);
  EXPECT_TRUE(Keys(*snapshot, {}).empty());
}

TEST_F(IndexedStoreTest, ABatchBecomesVisibleAsOne) {
  Put("ns/a", {});
  const SnapshotRef first = Publish();
  Put("ns/b", {});
  store_.Delete("ns/a");
  EXPECT_THAT(Keys(*store_.Current(), {}), ElementsAre("ns/a"));
  Publish();
  EXPECT_THAT(Keys(*store_.Current(), {}), ElementsAre("ns/b"));
  EXPECT_THAT(Keys(*first, {}), ElementsAre("ns/a"));
}

TEST_F(IndexedStoreTest, AChangeShowsWhatSelectorsSee) {
  ModelObject object;
  object.labels = {{"app", "web"}};
  store_.Put("ns/a", object.Value("ns/a"), Revision(5));
  object.labels = {{"app", "db"}};
  const Change update = store_.Put("ns/a", object.Value("ns/a"), Revision(6));
  EXPECT_EQ(update.old_object->mod_revision(), Revision(5));
  EXPECT_EQ(update.new_object->mod_revision(), Revision(6));
  EXPECT_EQ(*update.old_values->FindLabel("app"), "web");
  EXPECT_EQ(*update.new_values->FindLabel("app"), "db");
  const Change gone = store_.Delete("ns/a");
  EXPECT_EQ(*gone.old_values->FindLabel("app"), "db");
  EXPECT_FALSE(gone.new_object);
  EXPECT_FALSE(store_.Delete("ns/a").old_object);
}

TEST_F(IndexedStoreTest, ThePlanTakesTheMostSelectiveIndex) {
  for (int i = 0; i < 3000; ++i) {
    std::map<std::string, std::string> labels = {{"all", "yes"}, {"half", i % 2 == 0 ? "a" : "b"}, {"n", absl::StrCat(i)}};
    if (i == 7) labels["rare"] = "x";
    Put(absl::StrCat("ns", i % 3, "/", absl::Dec(i, absl::kZeroPad4)), std::move(labels), absl::StrCat("node-", i % 100));
  }
  const SnapshotRef snapshot = Publish();
  EXPECT_EQ(Plan(*snapshot, {}), "scan");
  EXPECT_EQ(Plan(*snapshot, Query("n=5")), "index n=5");
  EXPECT_EQ(Plan(*snapshot, Query("all=yes,n=5")), "index n=5, filter all=yes");
  EXPECT_EQ(Plan(*snapshot, Query("", "spec.nodeName=node-7")), "index spec.nodeName=node-7");
  EXPECT_EQ(Plan(*snapshot, Query("rare")), "index rare");
  EXPECT_EQ(Plan(*snapshot, Query("rare>5")), "index rare>5, filter rare>5");
  EXPECT_EQ(Plan(*snapshot, Query("all,half=a")), "index half=a, bitmap all");
  EXPECT_EQ(Plan(*snapshot, Query("half!=a")), "scan, bitmap half!=a");
  EXPECT_EQ(Plan(*snapshot, Query("n in (5,6)")), "index n in (5,6)");
  EXPECT_EQ(Plan(*snapshot, Query("half in (a,b)")), "scan, bitmap half in (a,b)");
  EXPECT_EQ(Plan(*snapshot, Query("!all")), "scan, index !all: no member");
  EXPECT_EQ(Plan(*snapshot, Query("half notin (a,b)")), "scan, index half notin (a,b): no member");
  EXPECT_EQ(Plan(*snapshot, Query("half=c")), "index half=c: no member");
  EXPECT_EQ(Plan(*snapshot, Query("nobody")), "index nobody: no member");
  EXPECT_EQ(Plan(*snapshot, Query("nobody!=x")), "scan");
  EXPECT_EQ(Plan(*snapshot, Query("", "spec.nodeName=")), "scan, filter spec.nodeName=");
  EXPECT_EQ(Plan(*snapshot, Query("", "metadata.name=0005,metadata.namespace=ns2")), "key");
  ListQuery empty;
  empty.scope.namespace_name = "ns";
  EXPECT_EQ(Plan(*snapshot, empty), "nothing in range");
  EXPECT_THAT(Keys(*snapshot, Query("", "metadata.name=0005")), ElementsAre("ns2/0005"));
  EXPECT_THAT(Keys(*snapshot, Query("rare,half=b")), ElementsAre("ns1/0007"));
}

TEST_F(IndexedStoreTest, AnUnreadableObjectFailsTheListsItLiesIn) {
  Put("ns1/a", {{"app", "web"}});
  store_.Put("ns2/broken", "this is no object", Revision(++revision_));
  Put("ns3/c", {});
  const SnapshotRef snapshot = Publish();
  ASSERT_NE(snapshot->Get("ns2/broken"), nullptr);
  EXPECT_TRUE(snapshot->Get("ns2/broken")->unreadable());
  EXPECT_EQ(snapshot->size(), 3u);

  std::vector<const Object*> objects;
  for (const ListQuery& query : {ListQuery{}, ListQuery{{"ns2", ""}}, ListQuery{{"ns2", "broken"}}, Query("app=web")}) {
    const auto next = snapshot->List(query)->Next(10, &objects);
    ASSERT_FALSE(next.ok()) << Describe(query);
    EXPECT_EQ(KindOf(next.status()), ErrorKind::kCorrupt);
    EXPECT_THAT(std::string(next.status().message()), HasSubstr("\"ns2/broken\" cannot be read: it is not valid JSON"));
    EXPECT_TRUE(objects.empty());
  }
  EXPECT_THAT(Keys(*snapshot, {{"ns1", ""}}), ElementsAre("ns1/a"));
  ListQuery behind;
  behind.start_key = "ns2/broken0";
  EXPECT_THAT(Keys(*snapshot, behind), ElementsAre("ns3/c"));

  Put("ns2/broken", {});
  EXPECT_THAT(Keys(*Publish(), {}), ElementsAre("ns1/a", "ns2/broken", "ns3/c"));
  store_.CheckInvariants();
}

TEST_F(IndexedStoreTest, KeysWithTooFewAndTooManyParts) {
  Put("flat", {});
  Put("deep/er/still", {});
  Put("deep/a", {});
  const SnapshotRef snapshot = Publish();
  EXPECT_THAT(Keys(*snapshot, {}), ElementsAre("deep/a", "deep/er/still", "flat"));
  EXPECT_THAT(Keys(*snapshot, {{"deep", ""}}), ElementsAre("deep/a", "deep/er/still"));
  EXPECT_THAT(Keys(*snapshot, Query("", "metadata.namespace=")), ElementsAre("flat"));
}

TEST_F(IndexedStoreTest, AListAfterARestoreTakesEveryObjectAnew) {
  Put("ns/a", {{"v", "old"}});
  revision_ = 100;
  Publish();
  store_.ForgetRevisions();
  store_.BeginReplace();
  ModelObject object;
  object.labels = {{"v", "new"}};
  EXPECT_FALSE(store_.Put("ns/a", object.Value("ns/a"), Revision(2)).unchanged);
  EXPECT_TRUE(store_.FinishReplace().empty());
  const SnapshotRef snapshot = store_.Publish(Revision(2));
  EXPECT_THAT(Keys(*snapshot, Query("v=new")), ElementsAre("ns/a"));
  store_.CheckInvariants();
}

TEST_F(IndexedStoreTest, ASnapshotMayOutliveItsStore) {
  auto store = std::make_unique<IndexedStore>(ModelResource());
  ModelObject object;
  object.labels = {{"app", "web"}};
  for (int i = 0; i < 500; ++i) store->Put(absl::StrCat("ns/", i), object.Value("ns/x"), Revision(i + 1));
  const SnapshotRef first = store->Publish(Revision(500));
  for (int i = 0; i < 500; ++i) store->Delete(absl::StrCat("ns/", i));
  SnapshotRef second = store->Publish(Revision(501));
  store.reset();
  EXPECT_EQ(Keys(*first, Query("app=web")).size(), 500u);
  EXPECT_EQ(second->size(), 0u);
  second = SnapshotRef();
  EXPECT_NE(first->Get("ns/7"), nullptr);
}

TEST_F(IndexedStoreTest, ManyLabelsOnOneObject) {
  std::map<std::string, std::string> labels;
  for (int i = 0; i < 20000; ++i) labels[absl::StrCat("label-", i)] = absl::StrCat("value-", i);
  Put("ns/a", labels);
  labels.erase("label-77");
  Put("ns/a", labels);
  EXPECT_EQ(Keys(*Publish(), Query("label-19999=value-19999,!label-77")).size(), 1u);
  EXPECT_EQ(store_.memory().pairs, 2 * 19999u + 1);
  store_.Delete("ns/a");
  Publish();
  EXPECT_EQ(store_.memory().pairs, 0u);
}

// One writer replaces every object in each batch; whoever reads sees one generation of all of them, whatever else goes on.
TEST(IndexedStoreThreadTest, ReadersSeeWholeBatches) {
  constexpr int kObjects = 300, kBatches = 200, kReaders = 3;
  IndexedStore store(ModelResource());
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  std::atomic<int> wrong{0};
  for (int reader = 0; reader < kReaders; ++reader) {
    readers.emplace_back([&store, &done, &wrong, reader] {
      std::vector<SnapshotRef> kept;
      uint64_t turn = static_cast<uint64_t>(reader);
      while (!done.load()) {
        const SnapshotRef snapshot = store.Current();
        const std::string generation = absl::StrCat("g", snapshot->revision().value());
        ListQuery query;
        if (++turn % 2 == 0) {
          query.selector.requirements = {{Requirement::Source::kLabel, "generation", Requirement::Op::kIn, {generation}}};
        }
        std::vector<const Object*> objects;
        const auto cursor = snapshot->List(query);
        while (*cursor->Next(64, &objects)) {
        }
        const size_t expected = snapshot->revision().is_none() ? 0 : kObjects;
        if (objects.size() != expected) ++wrong;
        for (const Object* const object : objects) {
          if (object->mod_revision() != snapshot->revision()) ++wrong;
          if (object->Json().find(generation) == absl::string_view::npos) ++wrong;
        }
        if (turn % 7 == 0) kept.push_back(snapshot);
        if (kept.size() > 5) kept.erase(kept.begin() + static_cast<ptrdiff_t>(turn % 5));
      }
    });
  }
  for (int batch = 1; batch <= kBatches; ++batch) {
    for (int i = 0; i < kObjects; ++i) {
      ModelObject object;
      object.labels = {{"generation", absl::StrCat("g", batch)}, {"i", absl::StrCat((i * 7 + batch) % 50)}};
      const std::string key = absl::StrCat("ns/", i);
      if ((i + batch) % 13 == 0) store.Delete(key);
      store.Put(key, object.Value(key), Revision(batch));
    }
    store.Publish(Revision(batch));
  }
  done.store(true);
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0);
  while (store.Reclaim(100000)) {
  }
  EXPECT_EQ(store.memory().waiting_pieces, 0u);
  store.CheckInvariants();
}

TEST(ValuesSnapshotTest, ListsGetsAndCounts) {
  const ModelState state = [] {
    ModelState made;
    ModelDice dice(11);
    for (int i = 0; i < 200; ++i) made[dice.Key(40)] = dice.Object(i + 1);
    return made;
  }();
  std::vector<storeclient::KeyValue> kvs;
  for (const auto& [key, object] : state) {
    kvs.push_back({absl::StrCat("/registry/pods/", key), object.Value(key), Revision(1), Revision(object.revision)});
  }
  const SnapshotRef snapshot = MakeSnapshotFromValues(ModelResource(), Revision(500), "/registry/pods/", kvs);
  EXPECT_EQ(snapshot->revision(), Revision(500));
  EXPECT_EQ(snapshot->size(), state.size());
  ModelDice dice(12);
  for (int i = 0; i < 500; ++i) {
    const ListQuery query = dice.Query(40);
    ASSERT_EQ(SnapshotList(*snapshot, query, 7), ModelList(state, query)) << Describe(query);
    const std::string key = dice.Key(40);
    ASSERT_EQ(snapshot->Get(key) != nullptr, state.count(key) == 1);
  }
}

}  // namespace
}  // namespace tidemark::cache
