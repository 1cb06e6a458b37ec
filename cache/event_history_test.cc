#include "cache/event_history.h"

#include <map>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

const absl::Time kStart = absl::UnixEpoch();
constexpr size_t kAll = 1'000'000;

// A snapshot that is a map from key to mod revision.
class MapSnapshot : public Snapshot {
 public:
  using Map = std::map<std::string, int64_t>;
  static SnapshotRef Make(Revision revision, Map map) {
    return SnapshotRef::Adopt(new MapSnapshot(revision, std::move(map)));
  }
  Revision revision() const override { return revision_; }
  size_t size() const override { return map_.size(); }
  const Object* Get(absl::string_view) const override { return nullptr; }
  std::unique_ptr<ListCursor> List(ListQuery) const override { return nullptr; }
  const Map& map() const { return map_; }
  static inline size_t alive = 0;

 private:
  MapSnapshot(Revision revision, Map map) : revision_(revision), map_(std::move(map)) { ++alive; }
  void Dispose() const override {
    --alive;
    delete this;
  }
  const Revision revision_;
  const Map map_;
};

struct Fixture {
  EventHistory history;
  absl::Time now = kStart;
  MapSnapshot::Map state;
  std::map<int64_t, MapSnapshot::Map> states;  // by revision
  SnapshotRef current;
  size_t node_bytes_per_event = 512;
  size_t node_bytes = 0;  // since a snapshot was kept

  explicit Fixture(EventHistory::Options options = {})
      : history(options, Revision(10), std::make_shared<Event::FrameBytes>(0)) {
    current = MapSnapshot::Make(Revision(10), {});
    states[10] = {};
  }

  EventRef Change(int64_t revision, const std::string& key, bool put, size_t bytes = 0) {
    ObjectRef old_object;
    ObjectRef object;
    if (auto old = state.find(key); old != state.end()) {
      old_object = MakeUnreadableObject(key, Revision(old->second), std::string(bytes, 'x'));
    }
    if (put) object = MakeUnreadableObject(key, Revision(revision), std::string(bytes, 'x'));
    put ? static_cast<void>(state[key] = revision) : static_cast<void>(state.erase(key));
    return Event::Make(Revision(revision), std::move(object), std::move(old_object));
  }
  EventHistory::Dropped Append(const std::vector<EventRef>& events) {
    history.Append(events, now);
    const Revision revision = events.back()->revision();
    states[revision.value()] = state;
    current = MapSnapshot::Make(revision, state);
    EventHistory::Dropped dropped;
    node_bytes += node_bytes_per_event * events.size();
    if (history.MaybeKeep(current, node_bytes, now)) node_bytes = 0;
    history.Trim(now, &dropped);
    return dropped;
  }
  // Snapshots that the history keeps: all but the current one, unless that is kept too.
  size_t Kept() {
    current = {};
    return MapSnapshot::alive;
  }
  MapSnapshot::Map StateAt(int64_t revision) {
    auto exact = history.At(Revision(revision), current);
    EXPECT_TRUE(exact.ok()) << exact.status();
    MapSnapshot::Map map = static_cast<const MapSnapshot*>(exact->base.get())->map();
    for (const EventRef& event : exact->events) {
      const Object* const object = exact->undo ? event->old_object() : event->object();
      const std::string key(event->any_object().key());
      object == nullptr ? static_cast<void>(map.erase(key))
                        : static_cast<void>(map[key] = object->mod_revision().value());
    }
    return map;
  }
};

TEST(EventHistoryTest, WindowBeginsAtItsStart) {
  Fixture f;
  EXPECT_EQ(f.history.oldest(), Revision(10));
  EXPECT_TRUE(f.StateAt(10).empty());
  EXPECT_TRUE(IsCompacted(f.history.At(Revision(9), f.current).status()));
  EXPECT_EQ(RevisionOf(f.history.At(Revision(9), f.current).status()), Revision(10));
}

TEST(EventHistoryTest, FirstAboveFindsWholeBatches) {
  Fixture f;
  f.Append({f.Change(12, "a", true), f.Change(12, "b", true)});
  f.Append({f.Change(15, "a", true)});
  EXPECT_EQ(f.history.FirstAbove(Revision(10)), 0u);
  EXPECT_EQ(f.history.FirstAbove(Revision(11)), 0u);
  EXPECT_EQ(f.history.FirstAbove(Revision(12)), 2u);
  EXPECT_EQ(f.history.FirstAbove(Revision(15)), 3u);
  EXPECT_EQ(f.history.FirstAbove(Revision(99)), 3u);
}

TEST(EventHistoryTest, TimeBoundDropsOldBatches) {
  Fixture f({.span = absl::Minutes(1)});
  f.Append({f.Change(11, "a", true)});
  f.now += absl::Seconds(50);
  f.Append({f.Change(12, "a", true)});
  f.now += absl::Seconds(11);
  EXPECT_EQ(f.Append({f.Change(13, "a", true)}).events.size(), 1u);
  EXPECT_EQ(f.history.oldest(), Revision(11));
  EXPECT_EQ(f.StateAt(11), f.states[11]);
}

TEST(EventHistoryTest, ByteBoundDropsWholeBatchesOnly) {
  Fixture f({.bytes_max = 100'000});
  int64_t revision = 10;
  for (int batch = 0; batch < 100; ++batch) {
    ++revision;
    f.Append({f.Change(revision, "a", true, 3'000), f.Change(revision, "b", true, 3'000)});
    ASSERT_LE(f.history.bytes(), 100'000u);
  }
  EXPECT_GT(f.history.end() - f.history.first(), 20u);
  EXPECT_EQ((f.history.end() - f.history.first()) % 2, 0u);
  EXPECT_EQ(f.history.oldest().value(), revision - static_cast<int64_t>(f.history.end() - f.history.first()) / 2);
}

TEST(EventHistoryTest, FramesCountAgainstTheBytes) {
  auto frames = std::make_shared<Event::FrameBytes>(0);
  EventHistory history({.bytes_max = 50'000}, Revision(10), frames);
  EventHistory::Dropped dropped;
  for (int64_t revision = 11; revision < 111; ++revision) {
    const EventRef event =
        Event::Make(Revision(revision), MakeUnreadableObject("a", Revision(revision), ""), {}, frames);
    event->Frame(0, [] { return std::string(1000, 'x'); });
    history.Append({event}, kStart);
    history.Trim(kStart, &dropped);
    dropped = {};
  }
  EXPECT_LT(history.end() - history.first(), 50u);
  EXPECT_GT(history.end() - history.first(), 20u);
}

TEST(EventHistoryTest, NodesOfKeptSnapshotsCountAgainstTheBytes) {
  Fixture f({.bytes_max = size_t{20} << 20});
  f.node_bytes_per_event = 10'000;
  int64_t revision = 10;
  for (uint64_t i = 0; i < 5 * kKeepEventsMax; ++i) {
    f.Append({f.Change(++revision, "a", true)});
    f.now += kKeepGap / kKeepEventsMin;
    ASSERT_LE(f.history.bytes(), size_t{20} << 20);
  }
  // A kept snapshot goes with the events before it.
  EXPECT_LE(f.Kept(), 21u);
  EXPECT_GE(f.Kept(), 18u);
  EventHistory::Dropped dropped;
  f.history.CutBelow(Revision(revision), kAll, &dropped);
  EXPECT_LE(f.history.bytes(), 10'000u * kKeepEventsMin) << "what went with the snapshots";
}

TEST(EventHistoryTest, CompactionCutsEvenWhatDidNotChange) {
  Fixture f;
  f.Append({f.Change(12, "a", true)});
  f.Append({f.Change(20, "a", true)});
  EventHistory::Dropped dropped;
  f.history.CutBelow(Revision(15), kAll, &dropped);
  EXPECT_EQ(dropped.events.size(), 1u);
  EXPECT_EQ(f.history.oldest(), Revision(15));
  EXPECT_EQ(f.StateAt(15), f.states[12]);
  EXPECT_TRUE(IsCompacted(f.history.At(Revision(14), f.current).status()));
  f.history.CutBelow(Revision(13), kAll, &dropped);
  EXPECT_EQ(f.history.oldest(), Revision(15)) << "never goes back";
  f.history.CutBelow(Revision(40), kAll, &dropped);
  EXPECT_EQ(f.history.end(), f.history.first());
  EXPECT_EQ(f.StateAt(40), f.states[20]);
  f.Append({f.Change(41, "b", true)});
  EXPECT_EQ(f.StateAt(40), f.states[20]);
}

TEST(EventHistoryTest, LongCutGoesBatchByBatchAndServesInBetween) {
  Fixture f;
  int64_t revision = 10;
  for (int i = 0; i < 1'000; ++i) {
    ++revision;
    f.Append({f.Change(revision, "a", true), f.Change(revision, "b", i % 2 == 0), f.Change(revision, "c", true)});
  }
  const Revision compacted(revision - 5);
  int cuts = 0;
  for (bool done = false; !done; ++cuts) {
    EventHistory::Dropped dropped;
    done = f.history.CutBelow(compacted, 100, &dropped);
    ASSERT_LE(dropped.events.size(), 102u) << "to the end of a batch of three";
    ASSERT_EQ(dropped.events.size() % 3, 0u);
    const int64_t oldest = f.history.oldest().value();
    ASSERT_EQ(f.StateAt(oldest), f.states[oldest]);
    ASSERT_TRUE(IsCompacted(f.history.At(Revision(oldest - 1), f.current).status()));
  }
  EXPECT_EQ(cuts, 30);
  EXPECT_EQ(f.history.oldest(), compacted);
  EXPECT_EQ(f.history.end() - f.history.first(), 15u);
}

TEST(EventHistoryTest, SnapshotsAreKeptByCountAndByTime) {
  Fixture f;
  int64_t revision = 10;
  for (uint64_t i = 0; i < 3 * kKeepEventsMax; ++i) f.Append({f.Change(++revision, "a", true)});
  EXPECT_GE(f.Kept(), 3u);
  EXPECT_LE(f.Kept(), 4u);
  f.now += kKeepGap;
  f.Append({f.Change(++revision, "a", true)});
  const size_t before = f.Kept();
  for (int i = 0; i < 5; ++i) {
    f.now += kKeepGap;
    f.Append({f.Change(++revision, "a", true)});
  }
  EXPECT_EQ(f.Kept(), before) << "too few events to be worth it";
  for (uint64_t i = 0; i < kKeepEventsMin; ++i) f.Append({f.Change(++revision, "a", true)});
  EXPECT_EQ(f.Kept(), before + 1);
}

// Every revision in the window gives the state that was, whatever is kept, trimmed and cut.
TEST(EventHistoryTest, EveryRevisionOfTheWindowComesBack) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Fixture f({.bytes_max = seed % 2 ? kHistoryBytesMax : 300'000});
    int64_t revision = 10;
    for (int step = 0; step < 2'500; ++step) {
      revision += 1 + static_cast<int64_t>(random() % 2);
      std::vector<EventRef> events;
      for (int key = static_cast<int>(random() % 20), n = 1 + static_cast<int>(random() % 3); n > 0; --n, ++key) {
        const std::string name = absl::StrCat("k", key);
        events.push_back(f.Change(revision, name, f.state.count(name) == 0 || random() % 3 != 0));
      }
      f.Append(events);
      f.now += absl::Microseconds(random() % 2000);
      EventHistory::Dropped dropped;
      if (random() % 500 == 0) {
        f.history.CutBelow(Revision(revision - static_cast<int64_t>(random() % 1000)), kAll, &dropped);
      }
      const int64_t span = revision - f.history.oldest().value();
      const int64_t at = revision - static_cast<int64_t>(random() % static_cast<uint64_t>(span + 1));
      ASSERT_EQ(f.StateAt(at), std::prev(f.states.upper_bound(at))->second) << "at " << at;
    }
  }
}

}  // namespace
}  // namespace tidemark::cache
