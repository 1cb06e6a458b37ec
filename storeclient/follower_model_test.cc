// Random faults against a model: one follower on a simulated store and network, every order decided by one seed. After each call of
// the observer the state that it has built is the store's own at that revision: nothing missed, repeated, reordered or halved.
// TIDEMARK_SEED=n replays one run.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"
#include "base/test_seed.h"
#include "storeclient/follower.h"
#include "storeclient/memory_store.h"
#include "storeclient/recording_observer.h"

namespace tidemark::storeclient {
namespace {

using Kind = FollowAction::Kind;
constexpr char kPrefix[] = "/p/";
constexpr int kKeys = 12;

// The store, with what it looked like at each revision.
class ModelStore {
 public:
  ModelStore() { Remember(); }

  void Write(std::minstd_rand* random) {
    std::vector<MemoryStore::Write> writes;
    std::vector<int> keys(kKeys);
    for (int i = 0; i < kKeys; ++i) keys[i] = i;
    std::shuffle(keys.begin(), keys.end(), *random);
    const int count = 1 + static_cast<int>((*random)() % 4);
    for (int i = 0; i < count; ++i) {
      // A third of all keys belongs to somebody else.
      const std::string key = absl::StrCat(keys[i] % 3 == 0 ? "/other/" : kPrefix, "k", keys[i]);
      if ((*random)() % 3 == 0) {
        writes.push_back({key, std::nullopt});
      } else {
        writes.push_back({key, absl::StrCat("v", ++values_)});
      }
    }
    store_.Txn(writes);
    Remember();
  }

  void Rewind(Revision to) {
    store_.Rewind(to);
    states_.erase(states_.upper_bound(to), states_.end());
  }

  MemoryStore& store() { return store_; }
  const RecordingObserver::State& StateAt(Revision revision) { return states_.at(revision); }
  bool Has(Revision revision) const { return states_.count(revision) > 0; }
  StoreHeader Header(Revision revision) const { return {store_.cluster_id(), revision, 5}; }

 private:
  void Remember() {
    const auto range = store_.Range({.key = kPrefix, .range_end = PrefixEnd(kPrefix)});
    RecordingObserver::State& state = states_[store_.revision()];
    state.clear();
    for (const KeyValue& kv : range->kvs) state[kv.key] = {kv.value, kv.create_revision, kv.mod_revision};
  }

  MemoryStore store_;
  std::map<Revision, RecordingObserver::State> states_;
  int values_ = 0;
};

class Simulation {
 public:
  explicit Simulation(uint32_t seed) : random_(seed), follower_(kPrefix, seed), observer_(kPrefix) {}

  void Go(int steps) {
    for (int i = 0; i < 5; ++i) model_.Write(&random_);
    Call([&](auto* actions) { follower_.Start(now_, actions); });
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) Step();
    Settle();
  }

  RecordingObserver& observer() { return observer_; }
  const Follower::Stats& stats() const { return follower_.stats(); }

 private:
  // What the server has sent and the network has not delivered.
  struct Sent {
    WatchView view;
    std::vector<MemoryStore::BatchPtr> keeps;
  };
  struct Stream {
    Revision position;  // everything up to here has been sent
    std::deque<Sent> sent;
    bool closed;
  };

  bool OneIn(int n) { return random_() % n == 0; }

  void Step() {
    now_ += absl::Milliseconds(random_() % 50);
    if (OneIn(2)) model_.Write(&random_);
    if (OneIn(40)) Compact();
    if (OneIn(300)) Rewind();
    if (OneIn(10)) Call([&](auto* actions) { follower_.RequestProgress(now_, model_.store().revision(), actions); });
    if (OneIn(400)) Call([&](auto* actions) { follower_.Recheck(now_, absl::UnavailableError("doubt"), actions); });
    if (follower_.NextTimer() <= now_) Call([&](auto* actions) { follower_.OnTimer(now_, actions); });
    if (page_.has_value() && OneIn(2)) AnswerPage(OneIn(8));
    if (check_ && OneIn(2)) AnswerCheck(OneIn(8));
    if (stream_.has_value()) StepStream();
  }

  // No more faults: the follower has to arrive at the store's state.
  void Settle() {
    for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
      now_ += absl::Seconds(1);
      if (follower_.NextTimer() <= now_) Call([&](auto* actions) { follower_.OnTimer(now_, actions); });
      if (page_.has_value()) AnswerPage(false);
      if (check_) AnswerCheck(false);
      if (!stream_.has_value()) continue;
      SendEvents();
      while (stream_.has_value() && !stream_->sent.empty()) DeliverOne();
      if (stream_.has_value() && stream_->closed) Break();
      if (stream_.has_value() && stream_->position == model_.store().revision()) return;
    }
    ADD_FAILURE() << "the follower never caught up";
  }

  // Nearly everything, so that what was cut off for a moment finds its start gone.
  void Compact() {
    const int64_t upto = model_.store().revision().value() - static_cast<int64_t>(random_() % 4);
    if (Revision(upto) > model_.store().compact_revision()) TM_CHECK_OK(model_.store().Compact(Revision(upto)));
  }

  void Rewind() {
    const int64_t now = model_.store().revision().value();
    model_.Rewind(Revision(std::max<int64_t>(1, now - static_cast<int64_t>(random_() % 30))));
    if (stream_.has_value()) Break();
    if (page_.has_value() && OneIn(2)) AnswerPage(true);
  }

  void AnswerPage(bool fails) {
    const FollowAction request = *std::exchange(page_, std::nullopt);
    if (fails)
      return Call([&](auto* actions) { follower_.OnPageFailed(now_, absl::UnavailableError("down"), actions); });
    const int64_t limit = std::min<int64_t>(request.limit, 1 + random_() % 5);
    const auto range = model_.store().Range(
        {.key = follower_.next_key(), .range_end = PrefixEnd(kPrefix), .revision = request.revision, .limit = limit});
    if (!range.ok()) return Call([&](auto* actions) { follower_.OnPageFailed(now_, range.status(), actions); });
    RangeView view;
    view.header = model_.Header(range->store_revision);
    view.more = range->more;
    view.count = range->count;
    for (const KeyValue& kv : range->kvs) view.kvs.push_back({kv.key, kv.value, kv.create_revision, kv.mod_revision});
    Call([&](auto* actions) { follower_.OnPage(now_, view, 100, actions); });
  }

  void AnswerCheck(bool fails) {
    check_ = false;
    if (fails)
      return Call([&](auto* actions) { follower_.OnStoreFailed(now_, absl::UnavailableError("down"), actions); });
    Call([&](auto* actions) { follower_.OnStore(now_, model_.Header(model_.store().revision()), actions); });
  }

  void StepStream() {
    if (OneIn(3)) SendEvents();
    if (stream_.has_value() && OneIn(2) && !stream_->sent.empty()) DeliverOne();
    if (stream_.has_value() && (stream_->closed ? stream_->sent.empty() : OneIn(60))) Break();
  }

  void Break() {
    stream_.reset();
    Call([&](auto* actions) { follower_.OnWatchClosed(now_, absl::UnavailableError("broken"), actions); });
  }

  // Some of the next revisions as one message, whole or in fragments.
  void SendEvents() {
    if (stream_->closed) return;
    std::vector<EventView> events;
    Sent keeper;
    for (int revisions = 1 + static_cast<int>(random_() % 4); revisions > 0; --revisions) {
      const MemoryStore::BatchPtr batch = model_.store().NextBatch(stream_->position);
      if (batch == nullptr) break;
      stream_->position = batch->revision;
      keeper.keeps.push_back(batch);
      for (const MemoryStore::Event& event : batch->events) {
        if (absl::StartsWith(event.kv.key, kPrefix)) {
          events.push_back(
              {event.type, {event.kv.key, event.kv.value, event.kv.create_revision, event.kv.mod_revision}});
        }
      }
    }
    size_t begin = 0;
    while (begin < events.size()) {
      const size_t size = OneIn(2) ? events.size() - begin : 1 + random_() % (events.size() - begin);
      Sent sent = keeper;
      sent.view.header = model_.Header(model_.store().revision());
      sent.view.events.assign(events.begin() + begin, events.begin() + begin + size);
      begin += size;
      sent.view.fragment = begin < events.size();
      stream_->sent.push_back(std::move(sent));
    }
  }

  void DeliverOne() {
    const Sent sent = std::move(stream_->sent.front());
    stream_->sent.pop_front();
    Call([&](auto* actions) { follower_.OnWatch(now_, sent.view, actions); });
  }

  void OpenWatch(Revision start) {
    ASSERT_FALSE(stream_.has_value()) << "two watches";
    stream_.emplace(Stream{});
    stream_->position = start.Previous();
    Sent created;
    created.view.header = model_.Header(OneIn(2) ? Revision(1) : model_.store().revision());
    created.view.created = true;
    stream_->sent.push_back(std::move(created));
    if (!model_.store().CheckWatchStart(start).ok()) {
      Sent canceled;
      canceled.view.header = model_.Header(model_.store().revision());
      canceled.view.canceled = true;
      canceled.view.compact_revision = model_.store().compact_revision();
      stream_->sent.push_back(std::move(canceled));
      stream_->closed = true;
    } else if (OneIn(4) && start > Revision(2)) {
      SendOldEvent(start);
    }
  }

  // Older servers replay what lies before a start in the future.
  void SendOldEvent(Revision start) {
    const MemoryStore::BatchPtr batch = model_.store().NextBatch(Revision(start.value() - 2));
    if (batch == nullptr || batch->revision >= start) return;
    Sent old;
    old.keeps.push_back(batch);
    old.view.header = model_.Header(model_.store().revision());
    const MemoryStore::Event& event = batch->events.front();
    old.view.events.push_back(
        {event.type, {event.kv.key, event.kv.value, event.kv.create_revision, event.kv.mod_revision}});
    stream_->sent.push_back(std::move(old));
  }

  template <typename Input>
  void Call(Input input) {
    Follower::Actions actions;
    input(&actions);
    for (const FollowAction& action : actions) {
      Apply(action);
      CheckState(action);
    }
  }

  void Apply(const FollowAction& action) {
    switch (action.kind) {
      case Kind::kListBegin:
        return observer_.OnListBegin(action.revision);
      case Kind::kListPage:
        return observer_.OnListPage(action.page);
      case Kind::kListDone:
        return observer_.OnListDone();
      case Kind::kEvents:
        return observer_.OnEvents(action.events);
      case Kind::kProgress:
        return observer_.OnProgress(action.revision);
      case Kind::kInterrupted:
        return observer_.OnInterrupted(action.status);
      case Kind::kRewound:
        return observer_.OnRewound(action.status);
      case Kind::kReadPage:
        EXPECT_FALSE(page_.has_value() || stream_.has_value());
        check_ = false;
        page_ = action;
        return;
      case Kind::kReadStore:
        EXPECT_FALSE(page_.has_value());
        check_ = true;
        return;
      case Kind::kOpenWatch:
        return OpenWatch(action.revision);
      case Kind::kCloseWatch:
        EXPECT_TRUE(stream_.has_value());
        stream_.reset();
        return;
      case Kind::kSendProgress:
        return AnswerProgress();
      case Kind::kChangeEndpoint:
        return;
    }
  }

  void AnswerProgress() {
    ASSERT_TRUE(stream_.has_value());
    if (OneIn(3) || stream_->closed) return;
    Sent progress;
    progress.view.header = model_.Header(stream_->position);
    progress.view.watch_id = -1;
    stream_->sent.push_back(std::move(progress));
  }

  void CheckState(const FollowAction& action) {
    if (action.kind != Kind::kListDone && action.kind != Kind::kEvents && action.kind != Kind::kProgress) return;
    ASSERT_TRUE(model_.Has(observer_.revision()))
        << "a revision that the store does not have: " << observer_.revision();
    EXPECT_TRUE(observer_.state() == model_.StateAt(observer_.revision())) << "at " << observer_.revision();
  }

  std::minstd_rand random_;
  ModelStore model_;
  absl::Time now_ = absl::UnixEpoch();
  Follower follower_;
  RecordingObserver observer_;
  std::optional<FollowAction> page_;
  bool check_ = false;
  std::optional<Stream> stream_;
};

TEST(FollowerModelTest, RandomFaultsNeverLoseRepeatOrReorder) {
  constexpr int kRuns = 300;
  constexpr int kSteps = 2000;
  const std::optional<uint64_t> given = GivenTestSeed();
  const bool replay = given.has_value();
  const auto only = static_cast<uint32_t>(given.value_or(0));
  Follower::Stats sum;
  RecordingObserver::Counts counts;
  for (uint32_t seed = replay ? only : 1; seed <= (replay ? only : kRuns); ++seed) {
    SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
    Simulation run(seed);
    run.Go(kSteps);
    if (HasFailure()) {
      const std::string trace = run.observer().TakeTrace();
      FAIL() << "seed " << seed << ", the last calls: " << trace.substr(trace.size() > 3000 ? trace.size() - 3000 : 0);
    }
    sum.resumes += run.stats().resumes;
    sum.relists_compacted += run.stats().relists_compacted;
    sum.relists_rewound += run.stats().relists_rewound;
    sum.progress_notifications += run.stats().progress_notifications;
    counts.events += run.observer().counts().events;
  }
  if (replay) return;
  // The faults have really happened.
  EXPECT_GT(sum.resumes, kRuns);
  EXPECT_GT(sum.relists_compacted, kRuns);
  EXPECT_GT(sum.relists_rewound, kRuns);
  EXPECT_GT(sum.progress_notifications, kRuns);
  EXPECT_GT(counts.events, kRuns * 100);
}

}  // namespace
}  // namespace tidemark::storeclient
