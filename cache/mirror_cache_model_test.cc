// Random runs of a MirrorCache over the in-memory store, faults included, compared with MirrorModel after each step:
// lists, pages, exact revisions, selectors and watches. TIDEMARK_SEED replays a run.
#include <algorithm>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/log.h"
#include "base/status.h"
#include "base/test_seed.h"
#include "cache/mirror_cache.h"
#include "cache/mirror_model.h"
#include "gtest/gtest.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::cache {
namespace {

constexpr char kPrefix[] = "/registry/pods/";
// Of one run; TIDEMARK_MODEL_RUNS says how many.
constexpr int kSteps = 400;

config::Resource Pods() {
  const auto& all = config::BuiltinResources();
  return *std::find_if(all.begin(), all.end(), [](const auto& one) { return one.GroupResource() == "pods"; });
}

class ModelRun {
 public:
  explicit ModelRun(uint64_t seed) : make_(seed), models_(1) {
    MirrorCache::Options options{.resources = {Pods()}};
    if (make_(3) == 0) options.history.bytes_max = 40'000;
    options.stale_read_from_store = make_(2) == 0;
    if (make_(3) == 0) unreadable_one_in_ = 25;
    cache_ = std::make_unique<MirrorCache>(options, &client_, &executor_, nullptr);
    small_history_ = options.history.bytes_max < kHistoryBytesMax;
    client_.set_page_keys(1 + static_cast<int64_t>(make_(20)));
    for (int i = 0; i < 20; ++i) Write();
    cache_->Start();
    executor_.RunUntilIdle();
    mirror_ = cache_->Find("", "pods");
  }

  void Step() {
    static const std::vector<std::pair<int, void (ModelRun::*)()>> steps = {
        {24, &ModelRun::Write}, {6, &ModelRun::WriteElsewhere}, {12, &ModelRun::RunOne},  {12, &ModelRun::RunShortly},
        {12, &ModelRun::Read},  {6, &ModelRun::OpenWatch},      {12, &ModelRun::PollAny}, {2, &ModelRun::CloseWatch},
        {4, &ModelRun::Hold},   {8, &ModelRun::Release},        {2, &ModelRun::Delay},    {2, &ModelRun::Break},
        {1, &ModelRun::CutOff}, {2, &ModelRun::Compact},        {1, &ModelRun::RunLong},  {1, &ModelRun::MaybeRewind},
    };
    uint64_t pick = make_(107);
    for (const auto& [weight, step] : steps) {
      if (pick < static_cast<uint64_t>(weight)) {
        (this->*step)();
        break;
      }
      pick -= static_cast<uint64_t>(weight);
    }
    CompareNow();
  }

  // Everything heals: every read has been answered, and every watch gets all that it has not got yet.
  void Finish() {
    Heal();
    executor_.RunFor(absl::Seconds(10));
    EXPECT_EQ(reads_open_, 0);
    EXPECT_TRUE(mirror_->ready());
    EXPECT_GE(mirror_->revision().value(), model().changes().empty() ? 0 : model().changes().back().revision);
    for (auto& watch : watches_) Poll(watch.get(), true);
    for (auto& watch : watches_) {
      if (watch->cursor == nullptr) continue;
      EXPECT_EQ(NextExpected(*watch), model().changes().size()) << "an event was missed by " << Describe(*watch);
    }
    bool consistent = false;
    cache_->Read(mirror_, {}, [&](absl::StatusOr<View> view) { consistent = view.ok(); });
    executor_.RunFor(absl::Seconds(1));
    EXPECT_TRUE(consistent);
    CompareNow();
    watches_.clear();
    cache_->Stop();
  }

 private:
  struct Watch {
    std::unique_ptr<WatchCursor> cursor;
    WatchQuery query;
    size_t next = 0;  // in the model's changes
    bool caught_up = false;
    bool woken = false;
    Revision reported;
    int64_t lists = 0;  // that the store had given when it was opened
  };

  const MirrorModel& model() const { return models_.back(); }

  // --- The store.
  void Write() {
    const int keys = 1 + static_cast<int>(make_(4) == 0 ? make_(4) : 0);
    std::map<std::string, std::optional<ModelObject>> changes;
    for (int i = 0; i < keys; ++i) {
      std::optional<ModelObject>& object = changes[make_.Key()];
      object = make_(4) == 0 ? std::nullopt : std::make_optional(make_.Object());
      if (object && unreadable_one_in_ > 0) object->unreadable = make_(unreadable_one_in_) == 0;
    }
    std::vector<storeclient::MemoryStore::Write> writes;
    for (const auto& [key, object] : changes) {
      if (!object && model().newest().count(key) == 0) continue;
      writes.push_back({kPrefix + key, object ? std::make_optional(object->Value(key)) : std::nullopt});
    }
    if (writes.empty()) return;
    const Revision revision = client_.Txn(writes);
    for (const auto& [key, object] : changes) models_.back().Apply(revision.value(), key, object);
  }
  void WriteElsewhere() { client_.Put("/registry/nodes/n", absl::StrCat(make_(1000))); }
  void Hold() {
    faulty_ = true;
    switch (make_(5)) {
      case 0:
        return client_.HoldEvents(kPrefix);
      case 1:
        return client_.HoldRevisionReads();
      case 2:
        return client_.HoldRanges();
      case 3:
        return client_.RefuseProgress(true);
      default:
        return client_.HoldLists();
    }
  }
  void Release() {
    switch (make_(5)) {
      case 0:
        return client_.ReleaseEvents();
      case 1:
        return client_.ReleaseRevisionReads();
      case 2:
        return client_.ReleaseRanges();
      case 3:
        return client_.RefuseProgress(false);
      default:
        return client_.ReleaseLists();
    }
  }
  void Delay() {
    client_.DelayProgress(absl::Microseconds(make_(30'000)));
    client_.DelayRevisionReads(absl::Microseconds(make_(30'000)));
    client_.set_event_batch_revisions(1 + static_cast<int>(make_(5)));
    client_.set_page_keys(1 + static_cast<int64_t>(make_(20)));
  }
  void Break() { client_.BreakStreams(); }
  void CutOff() {
    faulty_ = true;
    make_(2) == 0 ? client_.Reconnect() : client_.CutOff();
  }
  void Compact() {
    const int64_t now = client_.revision().value();
    const Revision at(now - static_cast<int64_t>(make_(30)));
    if (at <= Revision(compacted_) || !client_.Compact(at).ok()) return;
    compacted_ = at.value();
    if (make_(2) == 0) client_.Put(kCompactRevKey, absl::StrCat(compacted_));
  }
  void Heal() {
    client_.Reconnect();
    client_.ReleaseEvents();
    client_.ReleaseLists();
    client_.ReleaseRevisionReads();
    client_.ReleaseRanges();
    client_.RefuseProgress(false);
    client_.FailRevisionReads(absl::OkStatus());
  }
  // Streams that come back find their place compacted and list; it stops in the middle of that.
  void BeginList() {
    client_.CutOff();
    for (int i = 0; i < 10; ++i) Write();
    executor_.RunUntilIdle();
    if (client_.Compact(client_.revision()).ok()) compacted_ = client_.revision().value();
    client_.Reconnect();
    for (uint64_t tasks = make_(12); tasks > 0; --tasks) executor_.RunOne();
  }
  void MaybeRewind() {
    if (make_(4) != 0 || client_.revision().value() < 40) return;
    Heal();
    executor_.RunFor(absl::Seconds(5));
    const Revision to(client_.revision().value() - static_cast<int64_t>(make_(30)));
    const int64_t lists = client_.counts().lists;
    if (make_(2) == 0) BeginList();
    client_.Rewind(to);
    compacted_ = std::min(compacted_, to.value());
    models_.push_back(models_.back());
    models_.back().Rewind(to.value());
    executor_.RunUntilIdle();
    for (auto& watch : watches_) {
      std::vector<WatchEvent> events;
      absl::Status status;
      while ((status = watch->cursor->Next(10, &events)).ok() && !events.empty()) events.clear();
      const bool ended_before = IsCompacted(status) && (small_history_ || watch->lists != lists || compacted_ > 0);
      const bool unreadable = KindOf(status) == ErrorKind::kCorrupt && unreadable_one_in_ > 0;
      EXPECT_TRUE(KindOf(status) == ErrorKind::kRewound || ended_before || unreadable) << status;
    }
    watches_.clear();
  }

  // --- Time.
  void RunOne() { executor_.RunOne(); }
  void RunShortly() { executor_.RunFor(absl::Microseconds(make_(20'000))); }
  void RunLong() { executor_.RunFor(absl::Milliseconds(make_(8'000))); }

  // --- Reads.
  void Read() {
    ReadOptions options{.freshness = static_cast<Freshness>(make_(4)), .scope = {}};
    const int64_t now = client_.revision().value();
    options.revision = Revision(std::max<int64_t>(1, now - static_cast<int64_t>(make_(60)) + (make_(8) == 0 ? 40 : 0)));
    const size_t epoch = models_.size() - 1;
    const Revision floor = client_.revision();
    ++reads_open_;
    cache_->Read(mirror_, options, [this, options, epoch, floor](absl::StatusOr<View> view) {
      --reads_open_;
      if (!view.ok()) return CheckReadError(options, epoch, view.status());
      if (options.freshness == Freshness::kExact) {
        EXPECT_EQ(view->revision, options.revision);
      }
      if (options.freshness == Freshness::kNotOlderThan) {
        EXPECT_GE(view->revision, options.revision);
      }
      if (options.freshness == Freshness::kConsistent && epoch + 1 == models_.size()) {
        EXPECT_GE(view->revision, floor);
      }
      Compare(*view, epoch);
    });
  }
  void CheckReadError(const ReadOptions& options, size_t epoch, const absl::Status& status) {
    const ErrorKind kind = KindOf(status);
    if (kind == ErrorKind::kNotReady) return;
    if (kind == ErrorKind::kStoreUnavailable && faulty_) return;
    const bool rewound = epoch + 1 != models_.size();
    if (kind == ErrorKind::kCompacted && options.freshness == Freshness::kExact) {
      EXPECT_TRUE(rewound || options.revision.value() < compacted_) << status;
      return;
    }
    if (kind == ErrorKind::kFutureRevision && rewound) return;
    EXPECT_EQ(kind, ErrorKind::kStale) << status << " of a read " << static_cast<int>(options.freshness);
    EXPECT_NE(options.freshness, Freshness::kAny);
  }
  void CompareNow() {
    bool answered = false;
    cache_->Read(mirror_, {.freshness = Freshness::kAny}, [&](absl::StatusOr<View> view) {
      answered = true;
      if (view.ok()) Compare(*view, models_.size() - 1);
    });
    EXPECT_TRUE(answered) << "nothing has to be waited for";
  }
  // The view is a state of one of the models since `epoch`.
  void Compare(const View& view, size_t epoch) {
    const ListQuery query{.scope = make_.Scope(),
                          .selector = make_.Selector(),
                          .limit = static_cast<int64_t>(make_(3) * make_(9)),
                          .with_unreadable = make_(2) == 0};
    std::string problem;
    for (; epoch < models_.size(); ++epoch) {
      problem = MirrorModel::Difference(view, query, models_[epoch].StateAt(view.revision.value()));
      if (problem.empty()) return;
    }
    ADD_FAILURE() << view.served_from << " at " << view.revision << ": " << problem;
  }

  // --- Watches.
  void OpenWatch() {
    if (watches_.size() >= 12) return CloseWatch();
    auto watch = std::make_unique<Watch>();
    watch->query = {.scope = make_.Scope(), .selector = make_.Selector(), .with_unreadable = make_(2) == 0};
    const int64_t now = mirror_->revision().value();
    watch->query.after =
        Revision(std::max<int64_t>(1, now - static_cast<int64_t>(make_(40)) + (make_(6) == 0 ? 60 : 0)));
    watch->lists = client_.counts().lists;
    watch->reported = watch->query.after;
    absl::StatusOr<std::unique_ptr<WatchCursor>> cursor =
        mirror_->Watch(watch->query, [w = watch.get()] { w->woken = true; });
    if (!cursor.ok()) {
      EXPECT_TRUE(IsNotReady(cursor.status()) || IsCompacted(cursor.status())) << cursor.status();
      return;
    }
    watch->cursor = *std::move(cursor);
    watches_.push_back(std::move(watch));
  }
  void CloseWatch() {
    if (!watches_.empty()) watches_.erase(watches_.begin() + static_cast<ptrdiff_t>(make_(watches_.size())));
  }
  void PollAny() {
    if (watches_.empty()) return;
    const size_t at = make_(watches_.size());
    Poll(watches_[at].get(), false);
    if (watches_[at]->cursor == nullptr) watches_.erase(watches_.begin() + static_cast<ptrdiff_t>(at));
  }
  static std::string Describe(const Watch& watch) {
    std::string text = absl::StrCat("a watch of \"", watch.query.scope.namespace_name, "/", watch.query.scope.name,
                                    "\" after ", watch.query.after.value(), ", bookmark ", watch.reported.value(),
                                    watch.query.with_unreadable ? ", with what is unreadable" : "", ", requiring");
    for (const Requirement& requirement : watch.query.selector.requirements) {
      absl::StrAppend(&text, " ", requirement.key, "(", static_cast<int>(requirement.op), ")",
                      absl::StrJoin(requirement.values, "|"));
    }
    return text;
  }
  // The model's next change that this watch has to see, or that ends it.
  size_t NextExpected(const Watch& watch) const {
    size_t next = watch.next;
    const auto& changes = model().changes();
    while (next < changes.size() &&
           (changes[next].revision <= watch.query.after.value() ||
            (!MirrorModel::Ends(changes[next], watch.query) && !MirrorModel::Sees(changes[next], watch.query)))) {
      ++next;
    }
    return next;
  }
  void Poll(Watch* watch, bool to_the_end) {
    std::vector<WatchEvent> events;
    do {
      events.clear();
      const absl::Status status = watch->cursor->Next(1 + make_(5), &events);
      if (!status.ok()) return EndWatch(watch, status);
      if (!events.empty() && watch->caught_up) {
        EXPECT_TRUE(watch->woken) << "an event came without waking";
      }
      watch->caught_up = events.empty();
      if (events.empty()) watch->woken = false;
      for (const WatchEvent& event : events) Expect(watch, event);
      const Revision revision = watch->cursor->revision();
      EXPECT_GE(revision, watch->reported) << "a watch goes back";
      watch->reported = revision;
      const size_t next = NextExpected(*watch);
      if (next < model().changes().size()) {
        EXPECT_LT(revision.value(), model().changes()[next].revision) << "bookmark too early";
      }
    } while (!events.empty() && (to_the_end || make_(3) != 0) && !testing::Test::HasFailure());
  }
  void Expect(Watch* watch, const WatchEvent& event) {
    watch->next = NextExpected(*watch);
    ASSERT_LT(watch->next, model().changes().size()) << "an event too many";
    const MirrorModel::Change& change = model().changes()[watch->next++];
    EXPECT_EQ(event.object->key(), change.key) << Describe(*watch);
    ASSERT_FALSE(MirrorModel::Ends(change, watch->query)) << Describe(*watch);
    ASSERT_TRUE(MirrorModel::Sees(change, watch->query).has_value()) << Describe(*watch);
    EXPECT_EQ(event.revision.value(), change.revision);
    EXPECT_GT(event.revision, watch->reported) << "came after a bookmark that covers it";
    EXPECT_EQ(event.type, *MirrorModel::Sees(change, watch->query));
    const bool left = event.type == WatchEventType::kDeleted;
    EXPECT_EQ(event.object->mod_revision().value(), left ? change.before->revision : change.after->revision);
  }
  void EndWatch(Watch* watch, const absl::Status& status) {
    const size_t next = NextExpected(*watch);
    if (KindOf(status) == ErrorKind::kCorrupt) {
      bool expected = false;
      for (size_t i = watch->next; i <= next && i < model().changes().size(); ++i) {
        const MirrorModel::Change& change = model().changes()[i];
        expected =
            expected || (change.revision > watch->query.after.value() && MirrorModel::MayEnd(change, watch->query));
      }
      EXPECT_TRUE(expected) << status << ": " << Describe(*watch);
      watch->cursor = nullptr;
      return;
    }
    ASSERT_TRUE(IsCompacted(status)) << status;
    const bool missed_cut = small_history_ || (watch->next < model().changes().size() &&
                                               model().changes()[watch->next].revision <= compacted_);
    EXPECT_TRUE(missed_cut || client_.counts().lists != watch->lists) << status << " at change " << next;
    watch->cursor = nullptr;
  }

  ModelMaker make_;
  SimClock clock_;
  SimExecutor executor_{clock_};
  storeclient::MemoryStoreClient client_{executor_};
  std::vector<MirrorModel> models_;  // one per life of the store; a restored backup begins another
  int64_t compacted_ = 0;
  bool faulty_ = false;
  bool small_history_ = false;
  uint64_t unreadable_one_in_ = 0;  // of the objects that are written; 0: none
  std::unique_ptr<MirrorCache> cache_;
  Mirror* mirror_ = nullptr;
  int reads_open_ = 0;
  std::vector<std::unique_ptr<Watch>> watches_;
};

TEST(MirrorCacheModelTest, RandomRunsAgreeWithTheModel) {
  SetLogLevel(LogLevel::kError);
  const uint64_t seed = TestSeed();
  const char* const wanted = std::getenv("TIDEMARK_MODEL_RUNS");
  uint64_t runs = 60;
  TM_CHECK(wanted == nullptr || absl::SimpleAtoi(wanted, &runs)) << "TIDEMARK_MODEL_RUNS=" << wanted;
  for (uint64_t run = 0; run < runs && !HasFailure(); ++run) {
    SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed + run));
    ModelRun model(seed + run);
    for (int step = 0; step < kSteps && !HasFailure(); ++step) model.Step();
    if (!HasFailure()) model.Finish();
  }
}

}  // namespace
}  // namespace tidemark::cache
