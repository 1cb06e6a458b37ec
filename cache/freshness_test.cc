// RevisionReader and FreshnessGate together, as a read passes through both.
#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/test_seed.h"
#include "cache/freshness_gate.h"
#include "cache/revision_reader.h"
#include "gtest/gtest.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::cache {
namespace {

constexpr absl::Duration kWaitMax = absl::Seconds(3);
constexpr char kOwn[] = "/registry/pods/";
constexpr char kOther[] = "/registry/nodes/";

// The least of a mirror: it knows how far its follow has come, and tells the gate.
class Follower : public storeclient::FollowObserver {
 public:
  Follower(storeclient::MemoryStoreClient* client, Executor* executor)
      : gate_(std::make_shared<FreshnessGate>(
            executor, [this] { handle_->RequestProgress(); }, metrics::FreshnessMetrics())),
        handle_(client->Follow({.prefix = kOwn, .name = "pods"}, this)) {}

  void OnListBegin(Revision revision) override { list_ = revision; }
  void OnListPage(absl::Span<const storeclient::KeyValueView>) override {}
  void OnListDone() override { Reach(list_, false); }
  void OnEvents(absl::Span<const storeclient::EventView> events) override {
    Reach(events.back().kv.mod_revision, false);
  }
  void OnProgress(Revision revision) override { Reach(revision, true); }
  void OnInterrupted(const absl::Status&) override { gate_->Interrupted(); }
  void OnRewound(const absl::Status& reason) override { gate_->Reset(reason); }

  Revision reached() const { return reached_; }
  FreshnessGate& gate() { return *gate_; }

 private:
  void Reach(Revision revision, bool progress) {
    reached_ = std::max(reached_, revision);
    gate_->Reached(revision, progress);
  }

  Revision list_;
  Revision reached_;
  std::shared_ptr<FreshnessGate> gate_;
  std::unique_ptr<storeclient::FollowHandle> handle_;
};

struct Fixture {
  SimClock clock;
  SimExecutor executor{clock};
  storeclient::MemoryStoreClient client{executor};
  std::shared_ptr<RevisionReader> reader =
      std::make_shared<RevisionReader>(&client, &executor, metrics::FreshnessMetrics());
  Follower follower{&client, &executor};

  Fixture() { executor.RunUntilIdle(); }

  struct Outcome {
    bool done = false;
    absl::Status status;
    Revision floor;  // the store's revision when the reader came
  };
  std::shared_ptr<Outcome> Read() {
    auto outcome = std::make_shared<Outcome>();
    outcome->floor = client.revision();
    const absl::Time deadline = clock.Now() + kWaitMax;
    auto end = [this, outcome](absl::Status status) {
      EXPECT_FALSE(outcome->done);
      outcome->done = true;
      outcome->status = std::move(status);
      if (outcome->status.ok()) {
        EXPECT_GE(follower.reached(), outcome->floor) << "a stale answer";
      }
    };
    reader->Read(deadline, [this, end, deadline](absl::StatusOr<Revision> revision) {
      if (!revision.ok()) return end(revision.status());
      follower.gate().Wait(*revision, deadline, end);
    });
    return outcome;
  }
};

TEST(FreshnessTest, ListRevisionCountsAsReached) {
  Fixture f;
  auto outcome = f.Read();
  f.executor.RunUntilIdle();
  EXPECT_TRUE(outcome->done && outcome->status.ok());
  EXPECT_EQ(f.client.counts().progress_requests, 0);
}

TEST(FreshnessTest, WriteElsewhereNeedsOneProgressRequest) {
  Fixture f;
  f.client.Put(absl::StrCat(kOther, "n"), "{}");
  auto outcome = f.Read();
  f.executor.RunUntilIdle();
  EXPECT_TRUE(outcome->done && outcome->status.ok()) << outcome->status;
  EXPECT_EQ(f.client.counts().progress_requests, 1);
  f.executor.RunFor(absl::Seconds(10));
  EXPECT_EQ(f.client.counts().progress_requests, 1) << "none when nobody waits";
}

TEST(FreshnessTest, StoreThatNeverAnswersProgressEndsAsStale) {
  Fixture f;
  f.client.RefuseProgress(true);
  f.client.Put(absl::StrCat(kOther, "n"), "{}");
  auto outcome = f.Read();
  f.executor.RunFor(kWaitMax);
  ASSERT_TRUE(outcome->done);
  EXPECT_TRUE(IsStale(outcome->status)) << outcome->status;
  EXPECT_EQ(RevisionOf(outcome->status), f.follower.reached());
  const int64_t asked = f.client.counts().progress_requests;
  EXPECT_GE(asked, 29);
  EXPECT_LE(asked, 31);
  f.executor.RunFor(absl::Seconds(10));
  EXPECT_EQ(f.client.counts().progress_requests, asked);
}

TEST(FreshnessTest, ThousandReadersASecondCostTwoHundredReads) {
  Fixture f;
  const int64_t before = f.client.counts().revision_reads;
  for (int ms = 0; ms < 1000; ++ms) {
    f.client.Put(absl::StrCat(kOther, "n"), "{}");
    f.Read();
    f.executor.RunFor(absl::Milliseconds(1));
  }
  EXPECT_LE(f.client.counts().revision_reads - before, 201);
  EXPECT_LE(f.client.counts().progress_requests, 201);
}

TEST(FreshnessTest, StopEndsBothHalves) {
  Fixture f;
  f.client.HoldRevisionReads();
  auto first = f.Read();
  f.reader->Stop();
  EXPECT_EQ(KindOf(first->status), ErrorKind::kStopped);
  absl::Status waited;
  f.follower.gate().Wait(Revision(100), absl::InfiniteFuture(), [&waited](absl::Status status) { waited = status; });
  f.follower.gate().Stop();
  EXPECT_EQ(KindOf(waited), ErrorKind::kStopped);
  EXPECT_EQ(KindOf(f.Read()->status), ErrorKind::kStopped);
}

// Every order of what can happen to a read. At the start an own event (revision 2) is held back, progress is refused, the
// revision read is held, and reader 1 has come. Each step happens once:
//   E the event arrives; P progress is answered from now on; V the revision is answered; N a write elsewhere, then reader 2;
//   D three seconds pass; I the stream breaks and resumes.
// Reader 1 needs V and E before D; reader 2 needs V, E and P before a D that comes after it. I changes nothing.
ErrorKind Expected(const std::string& order, char from, const std::string& needs) {
  const size_t start = from == 0 ? 0 : order.find(from);
  const size_t deadline = order.find('D');
  if (deadline < start) return ErrorKind::kNone;
  bool in_time = true;
  for (char need : needs) in_time = in_time && order.find(need) < deadline;
  if (in_time) return ErrorKind::kNone;
  return order.find('V') < deadline ? ErrorKind::kStale : ErrorKind::kStoreUnavailable;
}

void RunOrder(const std::string& order) {
  SCOPED_TRACE(order);
  Fixture f;
  f.client.HoldEvents(kOwn);
  f.client.RefuseProgress(true);
  f.client.HoldRevisionReads();
  f.client.Put(absl::StrCat(kOwn, "default/a"), "{}");
  auto first = f.Read();
  std::shared_ptr<Fixture::Outcome> second;
  for (char step : order) {
    switch (step) {
      case 'E':
        f.client.ReleaseEvents();
        break;
      case 'P':
        f.client.RefuseProgress(false);
        break;
      case 'V':
        f.client.ReleaseRevisionReads();
        break;
      case 'N':
        f.client.Put(absl::StrCat(kOther, "n"), "{}");
        second = f.Read();
        break;
      case 'D':
        f.executor.RunFor(kWaitMax);
        break;
      default:
        f.client.BreakStreams();
    }
    // Long enough for a tick of progress and for a revision read that is repeated.
    f.executor.RunFor(kProgressTick + kRevisionReadRetryGap);
  }
  f.executor.RunFor(absl::Seconds(1));
  ASSERT_TRUE(first->done && second->done);
  EXPECT_EQ(KindOf(first->status), Expected(order, 0, "VE")) << first->status;
  EXPECT_EQ(KindOf(second->status), Expected(order, 'N', "VEP")) << second->status;
  const int64_t asked = f.client.counts().progress_requests;
  f.executor.RunFor(absl::Seconds(5));
  EXPECT_EQ(f.client.counts().progress_requests, asked) << "asked for progress while nobody waited";
}

TEST(FreshnessOrderTest, EveryOrderOfSixHappenings) {
  std::string order = "DEINPV";
  int orders = 0;
  do {
    RunOrder(order);
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()) && !testing::Test::HasFailure());
  EXPECT_EQ(orders, 720);
}

// Random schedules: whatever the store does, no reader is answered from a mirror that is behind the store's revision of the moment
// the reader came, and everyone is answered.
TEST(FreshnessRandomTest, NoReaderIsServedBelowTheStoresRevisionAtArrival) {
  const uint64_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  std::mt19937_64 random(seed);
  for (int run = 0; run < 40 && !HasFailure(); ++run) {
    Fixture f;
    std::vector<std::shared_ptr<Fixture::Outcome>> outcomes;
    const std::vector<std::function<void()>> steps = {
        [&] { outcomes.push_back(f.Read()); },
        [&] { outcomes.push_back(f.Read()); },
        [&] { f.client.Put(absl::StrCat(kOwn, "default/", random() % 5), "{}"); },
        [&] { f.client.Put(absl::StrCat(kOther, random() % 5), "{}"); },
        [&] { f.executor.RunOne(); },
        [&] { f.executor.RunOne(); },
        [&] { f.executor.RunFor(absl::Microseconds(random() % 8000)); },
        [&] { f.executor.RunFor(absl::Milliseconds(random() % 200)); },
        [&] { random() % 2 ? f.client.HoldEvents(kOwn) : f.client.ReleaseEvents(); },
        [&] { random() % 2 ? f.client.HoldRevisionReads() : f.client.ReleaseRevisionReads(); },
        [&] { f.client.DelayRevisionReads(absl::Microseconds(random() % 30'000)); },
        [&] { f.client.DelayProgress(absl::Microseconds(random() % 30'000)); },
        [&] { f.client.RefuseProgress(random() % 3 == 0); },
        [&] { f.client.FailRevisionReads(random() % 4 ? absl::OkStatus() : absl::UnavailableError("planted")); },
        [&] {
          if (random() % 4 == 0) f.client.BreakStreams();
        },
        [&] {
          if (random() % 8 == 0) (void)f.client.Compact(f.client.revision());
        },
        [&] { random() % 8 ? f.client.Reconnect() : f.client.CutOff(); },
    };
    for (int step = 0; step < 500 && !HasFailure(); ++step) steps[random() % steps.size()]();
    f.executor.RunFor(kWaitMax);
    for (const auto& outcome : outcomes) ASSERT_TRUE(outcome->done);
  }
}

}  // namespace
}  // namespace tidemark::cache
