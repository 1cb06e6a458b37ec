#include "storeclient/follower.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"
#include "storeclient/store_identity.h"

namespace tidemark::storeclient {

using Kind = FollowAction::Kind;

Follower::Follower(std::string prefix, uint64_t seed) : prefix_(std::move(prefix)), backoff_(seed) {
  TM_CHECK(!prefix_.empty());
}

void Follower::Start(absl::Time now, Actions* actions) {
  TM_CHECK(state_ == State::kIdle);
  Do(now, Step::kFirstPage, actions);
}

void Follower::Do(absl::Time now, Step step, Actions* actions) {
  retry_at_ = absl::InfiniteFuture();
  switch (step) {
    case Step::kFirstPage:
      sizer_.Reset();
      next_key_ = prefix_;
      list_revision_ = Revision();
      listed_keys_ = 0;
      [[fallthrough]];
    case Step::kNextPage:
      state_ = State::kListing;
      actions->push_back({.kind = Kind::kReadPage, .revision = list_revision_, .limit = sizer_.keys()});
      return;
    case Step::kCheck:
      state_ = State::kChecking;
      actions->push_back({.kind = Kind::kReadStore});
      return;
  }
  TM_CHECK(false) << "no such step at " << absl::FormatTime(now);
}

void Follower::Retry(absl::Time now, Step step, Actions* actions) {
  const absl::Duration wait = backoff_.Next();
  if (wait == absl::ZeroDuration()) return Do(now, step, actions);
  state_ = State::kBackoff;
  after_backoff_ = step;
  retry_at_ = now + wait;
}

void Follower::Interrupt(const absl::Status& reason, Actions* actions) {
  // Before the first list there is nothing to interrupt.
  if (!interrupted_ && seen_store_) actions->push_back({.kind = Kind::kInterrupted, .status = reason});
  interrupted_ = true;
}

// --- Listing.

void Follower::OnPage(absl::Time now, const RangeView& page, size_t bytes, Actions* actions) {
  TM_CHECK(state_ == State::kListing);
  if (DoubtTerm(now, page.header)) return ReadAgain(list_revision_.is_none() ? Step::kFirstPage : Step::kNextPage);
  const absl::Status same = CheckSameStore(page.header);
  if (!same.ok()) {
    if (!list_revision_.is_none()) return Rewind(now, same, actions);
    // This very page is the first of the new list.
    ++stats_.relists_rewound;
    actions->push_back({.kind = Kind::kRewound, .status = same});
    position_ = Revision();
    raft_term_ = 0;
    store_revision_ = Revision();
  }
  seen_store_ = true;
  cluster_id_ = page.header.cluster_id;
  raft_term_ = std::max(raft_term_, page.header.raft_term);
  interrupted_ = false;
  const bool first = list_revision_.is_none();
  if (first) {
    list_revision_ = page.header.revision;
    MoveTo(now, list_revision_);
  }
  const bool more = page.more && !page.kvs.empty();
  if (more) {
    // Asked for before this page is handed over, so that it comes while the observer works.
    sizer_.Saw(static_cast<int64_t>(page.kvs.size()), bytes);
    next_key_ = absl::StrCat(page.kvs.back().key, absl::string_view("\0", 1));
    Do(now, Step::kNextPage, actions);
  }
  listed_keys_ += static_cast<int64_t>(page.kvs.size());
  if (first) actions->push_back({.kind = Kind::kListBegin, .revision = list_revision_});
  if (!page.kvs.empty()) actions->push_back({.kind = Kind::kListPage, .page = page.kvs});
  if (more) return;
  objects_ = listed_keys_;
  // Opened first: the store replays nothing, and events wait in the stream until the list is handed over.
  OpenWatch(now, actions);
  actions->push_back({.kind = Kind::kListDone});
}

void Follower::OnPageFailed(absl::Time now, const absl::Status& status, Actions* actions) {
  TM_CHECK(state_ == State::kListing);
  if (IsFutureRevision(status) && !list_revision_.is_none()) {
    return Rewind(now, MakeError(ErrorKind::kRewound, absl::StrCat("the list's revision is gone: ", status.message())),
                  actions);
  }
  Interrupt(status, actions);
  if (IsCompacted(status)) {
    ++stats_.relists_compacted;
    return Retry(now, Step::kFirstPage, actions);
  }
  actions->push_back({.kind = Kind::kChangeEndpoint});
  Retry(now, list_revision_.is_none() ? Step::kFirstPage : Step::kNextPage, actions);
}

// --- The store between two watches.

bool Follower::SameCluster(const StoreHeader& store) const {
  return store.cluster_id == cluster_id_ || store.cluster_id == 0 || cluster_id_ == 0;
}

absl::Status Follower::CheckSameStore(const StoreHeader& store) const {
  if (!seen_store_) return absl::OkStatus();
  if (!SameCluster(store)) {
    return MakeError(ErrorKind::kRewound, absl::StrCat("the store's cluster id is ", absl::Hex(store.cluster_id),
                                                       ", it was ", absl::Hex(cluster_id_)));
  }
  if (store.revision < position_) {
    return MakeError(ErrorKind::kRewound, absl::StrCat("the store's revision went back from ", position_.value(),
                                                       " to ", store.revision.value()));
  }
  if (store.raft_term < raft_term_) {
    return MakeError(ErrorKind::kRewound,
                     absl::StrCat("the store's raft term went back from ", raft_term_, " to ", store.raft_term));
  }
  return absl::OkStatus();
}

bool Follower::DoubtTerm(absl::Time now, const StoreHeader& store) {
  const bool only_term =
      seen_store_ && SameCluster(store) && store.revision >= position_ && store.raft_term < raft_term_;
  const absl::Time until = std::exchange(doubted_until_, absl::InfiniteFuture());
  // A second read that shows it is believed, unless it came too soon to say more than the first.
  if (!only_term || now >= until) return false;
  doubted_until_ = std::min(until, now + kTermDoubtPause);
  return true;
}

void Follower::ReadAgain(Step step) {
  state_ = State::kBackoff;
  after_backoff_ = step;
  retry_at_ = doubted_until_;
}

bool Follower::TooFarBehind(Revision store_revision) const {
  const int64_t behind = store_revision.value() - position_.value();
  return behind > std::max(kBehindMin, objects_ / kObjectsPerEvent);
}

void Follower::OnStore(absl::Time now, const StoreHeader& store, Actions* actions) {
  const bool beside_watch = std::exchange(verifying_, false);
  if (!beside_watch && state_ != State::kChecking) return;
  if (DoubtTerm(now, store)) {
    if (!beside_watch) return ReadAgain(Step::kCheck);
    verify_at_ = doubted_until_;
    return;
  }
  const absl::Status same = CheckSameStore(store);
  if (!same.ok()) {
    if (beside_watch) actions->push_back({.kind = Kind::kCloseWatch});
    return Rewind(now, same, actions);
  }
  if (beside_watch) return;
  raft_term_ = std::max(raft_term_, store.raft_term);
  if (TooFarBehind(store.revision)) {
    ++stats_.relists_behind;
    return Do(now, Step::kFirstPage, actions);
  }
  ++stats_.resumes;
  OpenWatch(now, actions);
}

void Follower::OnStoreFailed(absl::Time now, const absl::Status& status, Actions* actions) {
  if (std::exchange(verifying_, false)) return GiveUpWatch(now, status, actions);
  if (state_ != State::kChecking) return;
  Interrupt(status, actions);
  actions->push_back({.kind = Kind::kChangeEndpoint});
  Retry(now, Step::kCheck, actions);
}

void Follower::Rewind(absl::Time now, const absl::Status& reason, Actions* actions) {
  ++stats_.relists_rewound;
  actions->push_back({.kind = Kind::kRewound, .status = reason});
  verifying_ = false;
  seen_store_ = false;
  cluster_id_ = 0;
  raft_term_ = 0;
  doubted_until_ = absl::InfiniteFuture();
  position_ = Revision();
  store_revision_ = Revision();
  interrupted_ = false;
  Retry(now, Step::kFirstPage, actions);
}

void Follower::Recheck(absl::Time now, const absl::Status& reason, Actions* actions) {
  if (state_ == State::kOpening || state_ == State::kWatching) GiveUpWatch(now, reason, actions);
}

// --- Watching.

void Follower::OpenWatch(absl::Time now, Actions* actions) {
  state_ = State::kOpening;
  opened_at_ = now;
  verifying_ = false;
  verify_at_ = absl::InfiniteFuture();
  whole_.Clear();
  pacer_.StreamOpened();
  actions->push_back({.kind = Kind::kOpenWatch, .revision = position_.Next()});
}

void Follower::WatchEnded(absl::Time now, const absl::Status& reason, Actions* actions) {
  ++stats_.breaks;
  verifying_ = false;
  whole_.Clear();
  Interrupt(reason, actions);
  if (state_ == State::kWatching && now - opened_at_ >= kHealthyAfter) backoff_.Succeeded();
  actions->push_back({.kind = Kind::kChangeEndpoint});
  Retry(now, Step::kCheck, actions);
}

void Follower::GiveUpWatch(absl::Time now, const absl::Status& reason, Actions* actions) {
  actions->push_back({.kind = Kind::kCloseWatch});
  WatchEnded(now, reason, actions);
}

void Follower::OnWatchClosed(absl::Time now, const absl::Status& status, Actions* actions) {
  TM_CHECK(state_ == State::kOpening || state_ == State::kWatching);
  WatchEnded(now, status.ok() ? MakeError(ErrorKind::kStoreUnavailable, "the store ended the watch") : status, actions);
}

void Follower::OnWatch(absl::Time now, const WatchView& message, Actions* actions) {
  TM_CHECK(state_ == State::kOpening || state_ == State::kWatching);
  if (!SameCluster(message.header)) {
    actions->push_back({.kind = Kind::kCloseWatch});
    return Rewind(now, CheckSameStore(message.header), actions);
  }
  if (message.canceled) return OnCanceled(now, message, actions);
  if (message.created) OnCreated(now, message.header, actions);
  // Nothing belongs to a watch that has not been announced.
  if (state_ != State::kWatching) return;
  Deliver(now, message, actions);
}

void Follower::OnCreated(absl::Time now, const StoreHeader& member, Actions* actions) {
  state_ = State::kWatching;
  interrupted_ = false;
  if (member.revision < position_ || member.raft_term < raft_term_) {
    verifying_ = true;
    actions->push_back({.kind = Kind::kReadStore});
  }
  SendProgressIfDue(now, actions);
}

void Follower::OnCanceled(absl::Time now, const WatchView& message, Actions* actions) {
  // A negative start is the one cancel for compaction that comes without the revision.
  if (!message.compact_revision.is_none() || absl::StrContains(message.cancel_reason, "has been compacted")) {
    actions->push_back({.kind = Kind::kCloseWatch});
    ++stats_.relists_compacted;
    verifying_ = false;
    whole_.Clear();
    return Retry(now, Step::kFirstPage, actions);
  }
  GiveUpWatch(now, absl::UnavailableError(absl::StrCat("the store cancelled the watch: ", message.cancel_reason)),
              actions);
}

void Follower::Deliver(absl::Time now, const WatchView& message, Actions* actions) {
  batches_.clear();
  const absl::Status order = whole_.Add(message, position_, &batches_);
  if (!order.ok()) return GiveUpWatch(now, order, actions);
  if (!message.events.empty()) {
    backoff_.Succeeded();
    pacer_.Heard(message.header.revision);
  }
  for (const absl::Span<const EventView> batch : batches_) {
    MoveTo(now, batch.back().kv.mod_revision);
    stats_.events += static_cast<int64_t>(batch.size());
    actions->push_back({.kind = Kind::kEvents, .events = batch});
  }
  if (!message.IsProgress()) return;
  ++stats_.progress_notifications;
  backoff_.Succeeded();
  pacer_.Answered(message.header.revision);
  // A member that lags behind the list may still be below it.
  if (message.header.revision >= position_) {
    MoveTo(now, message.header.revision);
    actions->push_back({.kind = Kind::kProgress, .revision = position_});
  }
  SendProgressIfDue(now, actions);
}

void Follower::MoveTo(absl::Time now, Revision revision) {
  position_ = revision;
  moved_at_ = now;
}

void Follower::RequestProgress(absl::Time now, Revision store_revision, Actions* actions) {
  pacer_.Want();
  // Not the highest so far: that may be of a store that went back.
  store_revision_ = store_revision;
  if (state_ != State::kWatching) return;
  if (pacer_.IsSilent(now) && store_revision_ > position_) {
    pacer_.GaveUp();
    return GiveUpWatch(now, absl::DeadlineExceededError("the watch does not come to where the store is"), actions);
  }
  SendProgressIfDue(now, actions);
}

void Follower::SendProgressIfDue(absl::Time now, Actions* actions) {
  if (state_ != State::kWatching || !pacer_.MaySend(now)) return;
  pacer_.Sent(now, store_revision_);
  ++stats_.progress_requests;
  actions->push_back({.kind = Kind::kSendProgress});
}

// --- Time.

absl::Time Follower::NextTimer() const {
  switch (state_) {
    case State::kBackoff:
      return retry_at_;
    case State::kOpening:
      return opened_at_ + kOpenTimeout;
    case State::kWatching:
      return std::min({pacer_.NextTime(), moved_at_ + kQuietMax, verify_at_});
    default:
      return absl::InfiniteFuture();
  }
}

void Follower::OnTimer(absl::Time now, Actions* actions) {
  if (now < NextTimer()) return;
  switch (state_) {
    case State::kBackoff:
      return Do(now, after_backoff_, actions);
    case State::kOpening:
      return GiveUpWatch(now, absl::DeadlineExceededError("the store does not answer the watch request"), actions);
    case State::kWatching:
      if (now >= verify_at_) {
        verify_at_ = absl::InfiniteFuture();
        verifying_ = true;
        actions->push_back({.kind = Kind::kReadStore});
      }
      if (now >= moved_at_ + kQuietMax) {
        moved_at_ = now;  // once, answered or not
        pacer_.Want();
      }
      return SendProgressIfDue(now, actions);
    default:
      return;
  }
}

}  // namespace tidemark::storeclient
