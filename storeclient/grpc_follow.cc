#include "storeclient/grpc_follow.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/log.h"
#include "base/status.h"
#include "storeclient/messages.h"
#include "storeclient/store_errors.h"

namespace tidemark::storeclient {

using Kind = FollowAction::Kind;

GrpcFollow::GrpcFollow(const GrpcFollowContext* context, GrpcLoop* loop, uint64_t id, FollowOptions options,
                       FollowObserver* observer)
    : context_(context),
      loop_(loop),
      id_(id),
      options_(std::move(options)),
      observer_(observer),
      // The seed spreads the waits of follows that lost the same store.
      follower_(options_.prefix, id),
      endpoint_(id % context->endpoints->size()),
      metrics_(context->metrics) {
  if (context_->guard->MayCarryWatch(endpoint_)) return;
  endpoint_ = context_->guard->NextForWatch(endpoint_, loop_->clock().Now());
}

std::shared_ptr<GrpcFollow> GrpcFollow::Start(const GrpcFollowContext* context, GrpcLoop* loop, uint64_t id,
                                              FollowOptions options, FollowObserver* observer) {
  std::shared_ptr<GrpcFollow> follow(new GrpcFollow(context, loop, id, std::move(options), observer));
  loop->Hold();
  loop->Post([follow] {
    follow->Feed([&](absl::Time now, Follower::Actions* actions) { follow->follower_.Start(now, actions); });
  });
  return follow;
}

template <typename Input>
void GrpcFollow::Feed(Input input) {
  if (stopped_) return;
  TM_CHECK(actions_.empty()) << options_.name << ": an observer called back into its follow";
  input(loop_->clock().Now(), &actions_);
  for (const FollowAction& action : actions_) Apply(action);
  actions_.clear();
  context_->identity->NotePosition(epoch_, follower_.position());
  CountStats();
  ArmTimer();
}

void GrpcFollow::Apply(const FollowAction& action) {
  switch (action.kind) {
    case Kind::kListBegin:
      epoch_ = check_epoch_;
      context_->identity->Confirm(id_, epoch_);
      return observer_->OnListBegin(action.revision);
    case Kind::kListPage:
      return observer_->OnListPage(action.page);
    case Kind::kListDone:
      NoteRecovery("listed");
      return observer_->OnListDone();
    case Kind::kEvents:
      return observer_->OnEvents(action.events);
    case Kind::kProgress:
      return observer_->OnProgress(action.revision);
    case Kind::kInterrupted:
      NoteOutage(action.status);
      return observer_->OnInterrupted(action.status);
    case Kind::kRewound:
      return OnRewound(action.status);
    case Kind::kReadPage:
      return ReadPage(action);
    case Kind::kReadStore:
      return ReadStore();
    case Kind::kOpenWatch:
      return CheckVersionAndOpen(action.revision);
    case Kind::kCloseWatch:
      return CloseWatch();
    case Kind::kSendProgress:
      if (watch_ == nullptr || !ProgressTrusted()) return;
      metrics_.progress_requests.Increment();
      return watch_->RequestProgress();
    case Kind::kChangeEndpoint:
      return ChangeEndpoint();
  }
}

void GrpcFollow::OnRewound(const absl::Status& reason) {
  Log(LogLevel::kWarning, "the store went back, everything is read anew",
      {{"resource", options_.name}, {"endpoint", endpoint().name}, {"reason", reason.message()}});
  context_->identity->Contradict(epoch_);
  check_epoch_ = context_->identity->epoch();
  observer_->OnRewound(reason);
  // Nothing old is left. The list may take long, and must not hold back the reads of others.
  context_->identity->Confirm(id_, check_epoch_);
  context_->on_rewound(reason);
}

// --- Requests.

void GrpcFollow::Call(std::shared_ptr<grpc::Channel> channel, const char* method, const std::string& request,
                      absl::Duration timeout,
                      std::function<void(GrpcFollow*, const absl::Status&, absl::string_view)> done) {
  const GrpcCallOptions options{.loop = loop_,
                                .channel = std::move(channel),
                                .endpoint = endpoint().name,
                                .method = method,
                                .deadline = absl::Now() + timeout};
  const uint64_t number = ++calls_;
  if (call_ != nullptr) call_->Cancel();
  call_ = GrpcCall::Start(
      options, request, [self = shared_from_this(), number, done](const absl::Status& status, absl::string_view bytes) {
        self->metrics_.received_bytes.Increment(static_cast<double>(bytes.size()));
        if (self->stopped_ || self->calls_ != number) return;
        self->call_ = nullptr;
        done(self.get(), status, bytes);
      });
}

void GrpcFollow::ReadPage(const FollowAction& action) {
  if (action.revision.is_none()) check_epoch_ = context_->identity->epoch();
  const std::string request = RangeRequestBytes({.key = follower_.next_key(),
                                                 .range_end = PrefixEnd(options_.prefix),
                                                 .revision = action.revision,
                                                 .limit = action.limit});
  metrics_.list.requests.Increment();
  const absl::Time begun = loop_->clock().Now();
  Call(endpoint().bulk, kRangeMethod, request, kPageTimeout,
       [begun](GrpcFollow* self, const absl::Status& answered, absl::string_view bytes) {
         self->metrics_.list.duration.Observe(self->loop_->clock().Now() - begun);
         const absl::Status status = answered.ok() ? ParseRange(bytes, &self->page_) : answered;
         if (!status.ok()) {
           self->metrics_.list.errors.Increment();
           self->NoteOutage(status);
         }
         self->Feed([&](absl::Time now, Follower::Actions* actions) {
           if (!status.ok()) return self->follower_.OnPageFailed(now, status, actions);
           self->follower_.OnPage(now, self->page_, bytes.size(), actions);
         });
       });
}

void GrpcFollow::ReadStore() {
  check_epoch_ = context_->identity->epoch();
  Call(endpoint().revision, kRangeMethod, HeaderRequestBytes(options_.prefix), kCheckTimeout,
       [](GrpcFollow* self, const absl::Status& answered, absl::string_view bytes) {
         RangeView view;
         const absl::Status status = answered.ok() ? ParseRange(bytes, &view) : answered;
         self->Feed([&](absl::Time now, Follower::Actions* actions) {
           if (!status.ok()) return self->follower_.OnStoreFailed(now, status, actions);
           self->follower_.OnStore(now, view.header, actions);
         });
       });
}

void GrpcFollow::ChangeEndpoint() {
  context_->guard->Doubt(endpoint_);
  const size_t next = context_->guard->NextForWatch(endpoint_, loop_->clock().Now());
  if (next != endpoint_) metrics_.endpoint_changes.Increment();
  endpoint_ = next;
}

// --- The watch.

void GrpcFollow::CheckVersionAndOpen(Revision start) {
  // The read before it has shown that the store still has all that the observer saw.
  epoch_ = check_epoch_;
  context_->identity->Confirm(id_, epoch_);
  // It may have been another store by then: look again.
  if (epoch_ != context_->identity->epoch()) Recheck(MakeError(ErrorKind::kRewound, "the store went back meanwhile"));
  ++opening_;
  // It may have turned out too old while it was listed.
  if (!context_->guard->NeedsCheck(endpoint_) && !context_->guard->MayCarryWatch(endpoint_)) ChangeEndpoint();
  if (!context_->guard->NeedsCheck(endpoint_)) return OpenWatch(start);
  Call(endpoint().watch, kStatusMethod, "", kCheckTimeout,
       [opening = opening_, start](GrpcFollow* self, const absl::Status& status, absl::string_view bytes) {
         self->OnVersion(opening, start, status, bytes);
       });
}

void GrpcFollow::OnVersion(uint64_t opening, Revision start, const absl::Status& status, absl::string_view bytes) {
  if (opening != opening_) return;
  const auto version = status.ok() ? ParseStatusVersion(bytes) : status;
  if (context_->guard->Learn(endpoint_, version, loop_->clock().Now())) context_->on_versions_changed();
  if (IsWorthRetrying(status)) return OnWatchEnd(status);
  if (context_->guard->MayCarryWatch(endpoint_)) return OpenWatch(start);
  OnWatchEnd(MakeError(ErrorKind::kStoreUnavailable, absl::StrCat(endpoint().name, " is too old to carry a watch")));
}

void GrpcFollow::OpenWatch(Revision start) {
  opened_on_too_old_ = context_->guard->IsTooOld(endpoint_);
  watch_ = GrpcWatch::Open(loop_, endpoint().watch, endpoint().name, options_.prefix, start, this);
}

void GrpcFollow::CloseWatch() {
  ++opening_;
  if (watch_ != nullptr) watch_->Close();
  watch_ = nullptr;
}

bool GrpcFollow::ProgressTrusted() const { return !opened_on_too_old_ && context_->guard->ProgressTrusted(endpoint_); }

void GrpcFollow::OnWatchMessage(const WatchView& message, size_t bytes) {
  metrics_.received_bytes.Increment(static_cast<double>(bytes));
  // It may have overtaken events: these would count as delivered before, and be dropped.
  if (message.IsProgress() && !ProgressTrusted()) return;
  if (message.created && !message.canceled) NoteRecovery("watching");
  Feed([&](absl::Time now, Follower::Actions* actions) { follower_.OnWatch(now, message, actions); });
}

void GrpcFollow::OnWatchEnd(const absl::Status& status) {
  CloseWatch();
  Feed([&](absl::Time now, Follower::Actions* actions) { follower_.OnWatchClosed(now, status, actions); });
}

// --- From other threads.

void GrpcFollow::RequestProgress() {
  if (progress_posted_.exchange(true)) return;
  loop_->Post([self = shared_from_this()] {
    self->progress_posted_.store(false);
    // None is sent, and what is not asked cannot be silent.
    if (!self->ProgressTrusted()) return;
    self->Feed([&](absl::Time now, Follower::Actions* actions) {
      self->follower_.RequestProgress(now, self->context_->identity->revision(), actions);
    });
  });
}

void GrpcFollow::Recheck(const absl::Status& reason) {
  loop_->Post([self = shared_from_this(), reason] {
    if (self->epoch_ == self->context_->identity->epoch()) return;
    self->Feed([&](absl::Time now, Follower::Actions* actions) { self->follower_.Recheck(now, reason, actions); });
  });
}

void GrpcFollow::LeaveTooOld() {
  loop_->Post([self = shared_from_this()] {
    const EndpointGuard& guard = *self->context_->guard;
    if (self->watch_ == nullptr || !guard.ProgressTrusted()) return;
    if (!self->opened_on_too_old_ && !guard.IsTooOld(self->endpoint_)) return;
    const absl::Status reason =
        MakeError(ErrorKind::kStoreUnavailable,
                  absl::StrCat(self->endpoint().name, " is too old to carry a watch, and others are not"));
    self->Feed([&](absl::Time now, Follower::Actions* actions) { self->follower_.Recheck(now, reason, actions); });
  });
}

void GrpcFollow::Stop() {
  if (loop_->IsCurrent()) return StopOnLoop();
  loop_->Post([self = shared_from_this()] { self->StopOnLoop(); });
  MutexLock lock(&stop_mu_);
  while (!stop_done_) stop_changed_.Wait(&stop_mu_);
}

void GrpcFollow::StopOnLoop() {
  TM_CHECK(actions_.empty()) << options_.name << ": a handle is destroyed inside a call of its observer";
  stopped_ = true;
  CloseWatch();
  if (call_ != nullptr) call_->Cancel();
  context_->identity->Forget(id_);
  context_->outages->Forget(id_);
  loop_->Release();
  MutexLock lock(&stop_mu_);
  stop_done_ = true;
  stop_changed_.SignalAll();
}

// --- Time, log and metrics.

void GrpcFollow::ArmTimer() {
  const absl::Time next = follower_.NextTimer();
  if (next == absl::InfiniteFuture() || (!timers_.empty() && *timers_.begin() <= next)) return;
  timers_.insert(next);
  loop_->PostAt(next, [weak = weak_from_this(), next] {
    const std::shared_ptr<GrpcFollow> self = weak.lock();
    if (self == nullptr) return;
    self->timers_.erase(next);
    self->Feed([&](absl::Time now, Follower::Actions* actions) { self->follower_.OnTimer(now, actions); });
  });
}

void GrpcFollow::NoteOutage(const absl::Status& reason) {
  if (!std::exchange(lost_, true)) context_->outages->Lost(id_, options_.name, endpoint().name, reason);
}

void GrpcFollow::NoteRecovery(const char* how) {
  if (std::exchange(lost_, false)) context_->outages->Back(id_, endpoint().name, how);
}

void GrpcFollow::CountStats() {
  const Follower::Stats& stats = follower_.stats();
  const auto count = [](metrics::Counter* counter, int64_t now, int64_t before) {
    if (now != before) counter->Increment(static_cast<double>(now - before));
  };
  count(&metrics_.progress_notifications, stats.progress_notifications, counted_.progress_notifications);
  count(&metrics_.stream_breaks, stats.breaks, counted_.breaks);
  count(&metrics_.resumes, stats.resumes, counted_.resumes);
  count(&metrics_.relists_compacted, stats.relists_compacted, counted_.relists_compacted);
  count(&metrics_.relists_behind, stats.relists_behind, counted_.relists_behind);
  count(&metrics_.relists_rewound, stats.relists_rewound, counted_.relists_rewound);
  counted_ = stats;
}

}  // namespace tidemark::storeclient
