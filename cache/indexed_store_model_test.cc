// IndexedStore against a model after each of many random operations; TIDEMARK_SEED replays a run.
#include <random>
#include <set>

#include "base/status.h"
#include "base/test_seed.h"
#include "cache/indexed_store.h"
#include "cache/overlay_snapshot.h"
#include "cache/store_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

struct RandomRun {
  const char* name;
  uint64_t hash_mask;
  uint32_t births_max;
  int names;  // per namespace, times four tails
  int operations;
  int broken_percent;
};

class IndexedStoreRandomTest : public testing::TestWithParam<RandomRun> {
 protected:
  struct Held {
    SnapshotRef snapshot;
    ModelState state;
  };

  IndexedStoreRandomTest() : seed_(TestSeed()), dice_(seed_) {
    store_ = std::make_unique<IndexedStore>(ModelResource(),
                                            IndexedStoreOptions{GetParam().hash_mask, GetParam().births_max});
  }

  void Put(const std::string& key) {
    MadeObject object = dice_.Object(++revision_);
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

  // The store is restored from a backup while a list of it, far ahead, is under way.
  void RewindInTheMiddle(std::set<std::string>* there) {
    for (int i = dice_.Below(20); i >= 0; --i) {
      const std::string key = dice_.Key(GetParam().names);
      const MadeObject object = dice_.Object(revision_ + 1'000 + i);
      store_->Put(key, object.Value(key), Revision(object.revision));
      there->insert(key);
    }
    revision_ = 1 + revision_ / 2;
    store_->ForgetRevisions();
    store_->BeginReplace();
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
    std::set<std::string> there;
    for (const auto& [key, object] : state_) there.insert(key);
    const bool rewound = dice_.Chance(30);
    if (rewound) RewindInTheMiddle(&there);
    ModelState next;
    for (const auto& [key, object] : state_) {
      if (dice_.Chance(10)) continue;
      next[key] = object;
      next[key].revision = std::min(object.revision, revision_);
      if (dice_.Chance(10)) {
        next[key] = dice_.Object(++revision_);
      }
    }
    for (int i = 0; i < 5; ++i) next[dice_.Key(GetParam().names)] = dice_.Object(++revision_);
    size_t gone = 0;
    for (const std::string& key : there) gone += next.count(key) == 0;
    for (const auto& [key, object] : next) {
      const auto old = state_.find(key);
      const Change change = store_->Put(key, object.Value(key), Revision(object.revision));
      ASSERT_EQ(change.unchanged, !rewound && old != state_.end() && old->second.revision == object.revision);
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
      // After a rewind a revision comes again, with another value.
      const bool same = target != to.end() && base != from.state.end() &&
                        target->second.revision == base->second.revision &&
                        target->second.Value(key) == base->second.Value(key);
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

}  // namespace
}  // namespace tidemark::cache
