#include "cache/indexed_store.h"

#include <atomic>
#include <cstdlib>
#include <thread>

#include "base/check.h"
#include "base/status.h"
#include "cache/overlay_snapshot.h"
#include "cache/store_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class IndexedStoreTest : public testing::Test {
 protected:
  void Put(const std::string& key, std::map<std::string, std::string> labels, const std::string& node = "") {
    MadeObject object;
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
  MadeObject object;
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
    std::map<std::string, std::string> labels = {
        {"all", "yes"}, {"half", i % 2 == 0 ? "a" : "b"}, {"n", absl::StrCat(i)}};
    if (i == 7) labels["rare"] = "x";
    Put(absl::StrCat("ns", i % 3, "/", absl::Dec(i, absl::kZeroPad4)), std::move(labels),
        absl::StrCat("node-", i % 100));
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

TEST_F(IndexedStoreTest, AListSaysWhatItLookedAt) {
  for (int i = 0; i < 1000; ++i) {
    Put(absl::StrCat("ns/", absl::Dec(i, absl::kZeroPad4)), {{"half", i % 2 == 0 ? "a" : "b"}, {"n", absl::StrCat(i)}});
  }
  const SnapshotRef snapshot = Publish();
  struct Row {
    ListQuery query;
    int64_t limit;
    bool by_index;
    size_t evaluated;
  };
  const Row rows[] = {
      {{}, 0, false, 1000},
      {{}, 7, false, 7},
      {Query("half=a"), 0, true, 500},
      {Query("half=a"), 10, true, 10},
      {Query("half!=a"), 3, false, 6},  // every other one is refused
      {Query("n=5"), 0, true, 1},
      {Query("nobody"), 0, true, 0},
      {Query("", "metadata.name=0005,metadata.namespace=ns"), 0, false, 1},
  };
  for (Row row : rows) {
    row.query.limit = row.limit;
    const std::unique_ptr<ListCursor> list = snapshot->List(row.query);
    SCOPED_TRACE(list->plan());
    std::vector<const Object*> objects;
    while (*list->Next(64, &objects)) {
    }
    EXPECT_EQ(list->work().by_index, row.by_index);
    EXPECT_EQ(list->work().evaluated, row.evaluated);
  }
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
  MadeObject object;
  object.labels = {{"v", "new"}};
  EXPECT_FALSE(store_.Put("ns/a", object.Value("ns/a"), Revision(2)).unchanged);
  EXPECT_TRUE(store_.FinishReplace().empty());
  const SnapshotRef snapshot = store_.Publish(Revision(2));
  EXPECT_THAT(Keys(*snapshot, Query("v=new")), ElementsAre("ns/a"));
  store_.CheckInvariants();
}

TEST_F(IndexedStoreTest, AStoreMayGoBackInTheMiddleOfAList) {
  Put("ns/a", {});
  Publish();
  store_.BeginReplace();
  revision_ = 999;
  Put("ns/b", {{"v", "old"}});
  store_.ForgetRevisions();
  store_.BeginReplace();
  revision_ = 49;
  Put("ns/b", {{"v", "new"}});
  EXPECT_EQ(store_.FinishReplace().size(), 1u);
  EXPECT_THAT(Keys(*store_.Publish(Revision(50)), Query("v=new")), ElementsAre("ns/b"));
  store_.CheckInvariants();
}

TEST_F(IndexedStoreTest, NodesOfAMarkedSnapshotAreCountedOnce) {
  for (int i = 0; i < 3'000; ++i) Put(absl::StrCat("ns/", absl::Dec(i, absl::kZeroPad4)), {{"n", absl::StrCat(i)}});
  const SnapshotRef kept = Publish();
  store_.Mark();
  EXPECT_EQ(store_.node_bytes_since_mark(), 0u);
  Put("ns/0007", {{"n", "7"}});
  Publish();
  const size_t path = store_.node_bytes_since_mark();
  EXPECT_GT(path, 0u);
  for (int i = 0; i < 100; ++i) {
    Put("ns/0007", {{"n", "7"}});
    Publish();
  }
  EXPECT_EQ(store_.node_bytes_since_mark(), path) << "what came after it, the marked one does not see";
  for (int i = 0; i < 100; ++i) {
    Put(absl::StrCat("ns/", absl::Dec(i * 29, absl::kZeroPad4), "x"), {{"m", absl::StrCat(i)}});
    Publish();
  }
  EXPECT_GT(store_.node_bytes_since_mark(), 10 * path) << "creates copy nodes all over the indexes";
}

TEST_F(IndexedStoreTest, ASnapshotMayOutliveItsStore) {
  auto store = std::make_unique<IndexedStore>(ModelResource());
  MadeObject object;
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

TEST_F(IndexedStoreTest, ManyPairsOfFewHashes) {
  constexpr int kLabels = 100;
  IndexedStore store(ModelResource(), IndexedStoreOptions{.pair_hash_mask = 0x1f});
  MadeObject object;
  for (int i = 0; i < kLabels; ++i) object.labels[absl::StrCat("label-", i)] = absl::StrCat("value-", i);
  store.Put("ns/a", object.Value("ns/a"), Revision(2));
  object.labels.erase("label-7");
  store.Put("ns/b", object.Value("ns/b"), Revision(3));
  const SnapshotRef snapshot = store.Publish(Revision(3));
  store.CheckInvariants();
  for (int i = 0; i < kLabels; ++i) {
    EXPECT_EQ(Keys(*snapshot, Query(absl::StrCat("label-", i, "=value-", i))).size(), i == 7 ? 1u : 2u) << i;
  }
  for (const char* key : {"ns/a", "ns/b"}) store.Delete(key);
  store.Publish(Revision(4));
  EXPECT_EQ(store.memory().pairs, 0u);
}

// One writer replaces every object in each batch; whoever reads sees one generation of all of
// them, whatever else goes on.
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
          query.selector.requirements = {
              {Requirement::Source::kLabel, "generation", Requirement::Op::kIn, {generation}}};
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
      MadeObject object;
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

SnapshotRef SnapshotOf(Revision revision, const std::vector<storeclient::KeyValue>& kvs) {
  absl::StatusOr<SnapshotRef> snapshot = MakeSnapshotFromValues(ModelResource(), revision, "/registry/pods/", kvs);
  TM_CHECK_OK(snapshot.status());
  return *std::move(snapshot);
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
  const SnapshotRef snapshot = SnapshotOf(Revision(500), kvs);
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

// Anyone may write there, and a store may answer more than was asked for; a mirror passes over it too.
TEST(ValuesSnapshotTest, ThePrefixAndForeignKeysAreNoObjects) {
  const std::vector<storeclient::KeyValue> kvs = {
      {"/registry/nodes/a", "{}", Revision(1), Revision(1)},
      {"/registry/pods/", "{}", Revision(2), Revision(2)},
      {"/registry/pods/ns/a", MadeObject().Value("ns/a"), Revision(3), Revision(3)},
      {"/registry/services/a", "{}", Revision(1), Revision(1)},
      {"/registry/pods", "{}", Revision(1), Revision(1)}};
  const SnapshotRef snapshot = SnapshotOf(Revision(3), kvs);
  EXPECT_EQ(snapshot->size(), 1u);
  EXPECT_THAT(SnapshotList(*snapshot, {}, 7).items, ElementsAre("ns/a@3"));
}

TEST(ValuesSnapshotTest, KeysThatDoNotAscendAreCorrupt) {
  for (const char* second : {"/registry/pods/ns/a", "/registry/pods/ns/b"}) {
    const std::vector<storeclient::KeyValue> kvs = {
        {"/registry/pods/ns/b", MadeObject().Value("ns/b"), Revision(2), Revision(2)},
        {second, MadeObject().Value("ns/a"), Revision(3), Revision(3)}};
    const absl::Status status = MakeSnapshotFromValues(ModelResource(), Revision(3), "/registry/pods/", kvs).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt) << second;
    EXPECT_THAT(std::string(status.message()), HasSubstr(second));
  }
}

}  // namespace
}  // namespace tidemark::cache
