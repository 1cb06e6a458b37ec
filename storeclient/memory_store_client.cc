#include "storeclient/memory_store_client.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "base/check.h"
#include "base/mutex.h"
#include "base/status.h"
#include "storeclient/memory_follow.h"
#include "storeclient/memory_reads.h"

namespace tidemark::storeclient {

class MemoryStoreClient::Core : public std::enable_shared_from_this<Core> {
 public:
  // One handle's follow. Guarded by mu, but that Deliver runs without it while `calling` is set.
  struct Followed {
    Followed(std::string prefix, FollowObserver* observer) : follow(std::move(prefix)), observer(observer) {}
    MemoryFollow follow;
    FollowObserver* const observer;
    bool scheduled = false;
    bool calling = false;
    bool closed = false;
  };
  using FollowedPtr = std::shared_ptr<Followed>;

  explicit Core(Executor& executor)
      : revision_reads(std::make_shared<MemoryReads<Revision>>(executor)),
        ranges(std::make_shared<MemoryReads<RangeResult>>(executor)),
        executor_(executor) {}

  FollowedPtr AddFollow(std::string prefix, FollowObserver* observer) {
    MutexLock lock(&mu);
    auto followed = std::make_shared<Followed>(std::move(prefix), observer);
    follows.push_back(followed);
    Schedule(followed);
    return followed;
  }

  void RemoveFollow(const FollowedPtr& followed) {
    MutexLock lock(&mu);
    TM_CHECK(!(followed->calling && executor_.IsCurrent())) << "a handle is destroyed inside a call of its observer";
    followed->closed = true;
    while (followed->calling) called_.Wait(&mu);
    AddCounts(followed->follow.counts(), &past_);
    follows.erase(std::find(follows.begin(), follows.end(), followed));
  }

  void RequestProgress(const FollowedPtr& followed) {
    MutexLock lock(&mu);
    followed->follow.RequestProgress();
    Schedule(followed);
  }

  // Lets every follow look at what has changed.
  void ScheduleAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    for (const FollowedPtr& followed : follows) Schedule(followed);
  }

  Counts counts() {
    Counts counts;
    counts.revision_reads = revision_reads->count();
    counts.ranges = ranges->count();
    MutexLock lock(&mu);
    AddCounts(past_, &counts);
    for (const FollowedPtr& followed : follows) AddCounts(followed->follow.counts(), &counts);
    return counts;
  }

  const std::shared_ptr<MemoryReads<Revision>> revision_reads;
  const std::shared_ptr<MemoryReads<RangeResult>> ranges;

  Mutex mu;
  MemoryStore store ABSL_GUARDED_BY(mu);
  MemoryFollow::Conditions conditions ABSL_GUARDED_BY(mu);
  // What HoldEvents said: a prefix and the last event that passes.
  std::vector<std::pair<std::string, Revision>> holds ABSL_GUARDED_BY(mu);
  std::vector<FollowedPtr> follows ABSL_GUARDED_BY(mu);
  bool progress_trusted ABSL_GUARDED_BY(mu) = true;

 private:
  template <typename Sum>
  static void AddCounts(const MemoryFollow::Counts& counts, Sum* sum) {
    sum->lists += counts.lists;
    sum->streams += counts.streams;
    sum->progress_requests += counts.progress_requests;
  }

  void Schedule(const FollowedPtr& followed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    if (followed->scheduled || followed->closed) return;
    followed->scheduled = true;
    executor_.Post([self = shared_from_this(), followed] { self->Step(followed); });
  }

  MemoryFollow::Conditions ConditionsOf(const MemoryFollow& follow) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu) {
    MemoryFollow::Conditions of_follow = conditions;
    for (const auto& [prefix, last] : holds) {
      if (absl::StartsWith(follow.prefix(), prefix)) of_follow.last_event = std::min(of_follow.last_event, last);
    }
    return of_follow;
  }

  std::optional<MemoryFollow::Call> NextCall(const FollowedPtr& followed) {
    MutexLock lock(&mu);
    followed->scheduled = false;
    if (followed->closed) return std::nullopt;
    const absl::Time now = executor_.clock().Now();
    auto call = followed->follow.Next(store, ConditionsOf(followed->follow), now);
    followed->calling = call.has_value();
    const absl::Time due = followed->follow.NextDue();
    if (!call.has_value() && due > now && due != absl::InfiniteFuture()) {
      executor_.PostAt(due, [self = shared_from_this(), followed] { self->Step(followed); });
    }
    return call;
  }

  // One call of the observer at most.
  void Step(const FollowedPtr& followed) {
    const auto call = NextCall(followed);
    if (!call.has_value()) return;
    followed->follow.Deliver(*call, followed->observer);
    MutexLock lock(&mu);
    followed->calling = false;
    called_.SignalAll();
    Schedule(followed);
  }

  Executor& executor_;
  CondVar called_;                                 // a call of an observer has ended
  MemoryFollow::Counts past_ ABSL_GUARDED_BY(mu);  // of follows that have ended
};

class MemoryStoreClient::Handle : public FollowHandle {
 public:
  Handle(std::shared_ptr<Core> core, Core::FollowedPtr followed)
      : core_(std::move(core)), followed_(std::move(followed)) {}
  ~Handle() override { core_->RemoveFollow(followed_); }
  void RequestProgress() override { core_->RequestProgress(followed_); }

 private:
  const std::shared_ptr<Core> core_;
  const Core::FollowedPtr followed_;
};

MemoryStoreClient::MemoryStoreClient(Executor& executor) : core_(std::make_shared<Core>(executor)) {}

MemoryStoreClient::~MemoryStoreClient() {
  core_->revision_reads->Stop();
  core_->ranges->Stop();
  MutexLock lock(&core_->mu);
  TM_CHECK(core_->follows.empty()) << "a client is destroyed before its handles";
}

void MemoryStoreClient::ReadRevision(absl::Time deadline, RevisionCallback done) {
  core_->revision_reads->Read(
      deadline,
      [core = core_]() -> absl::StatusOr<Revision> {
        MutexLock lock(&core->mu);
        for (const auto& followed : core->follows) {
          if (followed->follow.IsStale()) return MakeError(ErrorKind::kRewound, "the store went back");
        }
        return core->store.revision();
      },
      std::move(done));
}

void MemoryStoreClient::Range(const RangeRequest& request, absl::Time deadline, RangeCallback done) {
  core_->ranges->Read(
      deadline,
      [core = core_, request] {
        MutexLock lock(&core->mu);
        return core->store.Range(request);
      },
      std::move(done));
}

std::unique_ptr<FollowHandle> MemoryStoreClient::Follow(FollowOptions options, FollowObserver* observer) {
  TM_CHECK(!options.prefix.empty()) << options.name;
  return std::make_unique<Handle>(core_, core_->AddFollow(std::move(options.prefix), observer));
}

bool MemoryStoreClient::ProgressTrusted() const {
  MutexLock lock(&core_->mu);
  return core_->progress_trusted;
}

Revision MemoryStoreClient::Put(absl::string_view key, absl::string_view value) {
  return Txn({{std::string(key), std::string(value)}});
}

Revision MemoryStoreClient::Delete(absl::string_view key) { return Txn({{std::string(key), std::nullopt}}); }

Revision MemoryStoreClient::Txn(const std::vector<MemoryStore::Write>& writes) {
  MutexLock lock(&core_->mu);
  core_->store.Txn(writes);
  core_->ScheduleAll();
  return core_->store.revision();
}

absl::Status MemoryStoreClient::Compact(Revision revision) {
  MutexLock lock(&core_->mu);
  const absl::Status status = core_->store.Compact(revision);
  core_->ScheduleAll();
  return status;
}

Revision MemoryStoreClient::revision() const {
  MutexLock lock(&core_->mu);
  return core_->store.revision();
}

void MemoryStoreClient::Rewind(Revision to) {
  MutexLock lock(&core_->mu);
  core_->store.Rewind(to);
  const absl::Status reason = MakeError(ErrorKind::kRewound, "the store's cluster id has changed", to);
  for (const auto& followed : core_->follows) followed->follow.Rewind(reason);
  core_->ScheduleAll();
}

void MemoryStoreClient::HoldEvents(Revision last, absl::string_view prefix) {
  MutexLock lock(&core_->mu);
  core_->holds.emplace_back(prefix, last);
}

void MemoryStoreClient::HoldEvents(absl::string_view prefix) { HoldEvents(revision(), prefix); }

void MemoryStoreClient::ReleaseEvents() {
  MutexLock lock(&core_->mu);
  core_->holds.clear();
  core_->ScheduleAll();
}

void MemoryStoreClient::HoldLists() {
  MutexLock lock(&core_->mu);
  core_->conditions.lists_held = true;
}

void MemoryStoreClient::ReleaseLists() {
  MutexLock lock(&core_->mu);
  core_->conditions.lists_held = false;
  core_->ScheduleAll();
}

void MemoryStoreClient::BreakStreams(const absl::Status& reason) {
  MutexLock lock(&core_->mu);
  for (const auto& followed : core_->follows) followed->follow.Break(reason);
  core_->ScheduleAll();
}

void MemoryStoreClient::CutOff() {
  core_->revision_reads->Connect(false);
  core_->ranges->Connect(false);
  {
    MutexLock lock(&core_->mu);
    core_->conditions.connected = false;
  }
  BreakStreams(absl::UnavailableError("the store is cut off"));
}

void MemoryStoreClient::Reconnect() {
  core_->revision_reads->Connect(true);
  core_->ranges->Connect(true);
  MutexLock lock(&core_->mu);
  core_->conditions.connected = true;
  core_->ScheduleAll();
}

void MemoryStoreClient::set_page_keys(int64_t keys) {
  MutexLock lock(&core_->mu);
  core_->conditions.page_keys = keys;
}

void MemoryStoreClient::set_event_batch_revisions(int revisions) {
  MutexLock lock(&core_->mu);
  core_->conditions.event_batch_revisions = revisions;
}

void MemoryStoreClient::RefuseProgress(bool refuse) {
  MutexLock lock(&core_->mu);
  core_->conditions.progress_refused = refuse;
}

void MemoryStoreClient::DelayProgress(absl::Duration delay) {
  MutexLock lock(&core_->mu);
  core_->conditions.progress_delay = delay;
}

void MemoryStoreClient::AnswerProgressBeforeStart(bool answer) {
  MutexLock lock(&core_->mu);
  core_->conditions.progress_before_start = answer;
}

void MemoryStoreClient::set_progress_trusted(bool trusted) {
  MutexLock lock(&core_->mu);
  core_->progress_trusted = trusted;
}

void MemoryStoreClient::DelayRevisionReads(absl::Duration delay) { core_->revision_reads->set_delay(delay); }
void MemoryStoreClient::HoldRevisionReads() { core_->revision_reads->Hold(true); }
void MemoryStoreClient::ReleaseRevisionReads() { core_->revision_reads->Hold(false); }
void MemoryStoreClient::FailRevisionReads(const absl::Status& status) { core_->revision_reads->Fail(status); }
void MemoryStoreClient::HoldRanges() { core_->ranges->Hold(true); }
void MemoryStoreClient::ReleaseRanges() { core_->ranges->Hold(false); }

MemoryStoreClient::Counts MemoryStoreClient::counts() const { return core_->counts(); }

}  // namespace tidemark::storeclient
