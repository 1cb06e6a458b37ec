#include "store/mvcc/watcher_index.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/test_seed.h"
#include "gtest/gtest.h"
#include "store/mvcc/event_history.h"
#include "store/mvcc/random_requests.h"
#include "store/mvcc/record.h"
#include "store/mvcc/test_store.h"

namespace tidemark::mvcc {
namespace {

TEST(WatcherIndexTest, RandomRangesMatchALinearSearch) {
  const uint32_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  RandomRequests random(seed);
  WatcherIndex index;
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (uint64_t step = 0; step < 5000; ++step) {
    if (watchers.empty() || random.OneIn(2)) {
      KeyRange range(random.Key(), random.RangeEnd());
      if (range.empty()) continue;
      watchers.push_back(
          std::make_unique<Watcher>(nullptr, nullptr, step, WatchSpec{.id = 0, .range = range, .asked = {}}));
      index.Add(watchers.back().get());
    } else {
      std::swap(watchers[static_cast<size_t>(random.Below(static_cast<int>(watchers.size())))], watchers.back());
      index.Remove(watchers.back().get());
      watchers.pop_back();
    }
    const std::string key = random.Key();
    std::vector<const Watcher*> expected, found;
    for (const auto& watcher : watchers) {
      if (watcher->spec.range.Contains(key)) expected.push_back(watcher.get());
    }
    index.ForEach(key, [&](Watcher* watcher) { found.push_back(watcher); });
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected) << key;
    ASSERT_EQ(index.size(), watchers.size());
  }
}

EventBatchPtr Batch(int64_t revision, size_t value_bytes) {
  auto batch = std::make_shared<EventBatch>();
  batch->revision = Revision(revision);
  const std::string value(value_bytes, 'x');
  const KeyValueRecord record{
      .key = "/a", .create_revision = 2, .mod_revision = revision, .version = 1, .value = value, .lease = 0};
  batch->events.push_back(
      std::make_shared<const Event>(ChangeId{revision, 0}, false, kv::MakeBytes(EncodeRecord(record))));
  batch->size_bytes = batch->events[0]->size_bytes();
  return batch;
}

std::vector<int64_t> Revisions(const std::vector<EventBatchPtr>& page) {
  std::vector<int64_t> revisions;
  for (const EventBatchPtr& batch : page) revisions.push_back(batch->revision.value());
  return revisions;
}

TEST(EventHistoryTest, DropsTheOldestAboveItsBytes) {
  EventHistory history(Revision(5), 4000);
  EXPECT_FALSE(history.Covers(Revision(5)));
  EXPECT_TRUE(history.Covers(Revision(6)));
  for (int64_t revision = 6; revision <= 15; ++revision) history.Append(Batch(revision, 700));
  EXPECT_LE(history.size_bytes(), 4000u);
  EXPECT_FALSE(history.Covers(Revision(11)));
  EXPECT_TRUE(history.Covers(Revision(12)));
  EXPECT_EQ(Revisions(history.Page(Revision(12), 100, 100'000)), (std::vector<int64_t>{12, 13, 14, 15}));
  EXPECT_EQ(Revisions(history.Page(Revision(13), 2, 100'000)), (std::vector<int64_t>{13, 14}));
  EXPECT_EQ(Revisions(history.Page(Revision(12), 100, 1)), (std::vector<int64_t>{12}));
  EXPECT_TRUE(history.Page(Revision(16), 100, 100'000).empty());
  // A batch larger than all of it goes too.
  history.Append(Batch(16, 5000));
  EXPECT_FALSE(history.Covers(Revision(16)));
  EXPECT_TRUE(history.Covers(Revision(17)));
}

}  // namespace
}  // namespace tidemark::mvcc
