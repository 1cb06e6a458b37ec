#include "cache/freshness_waits.h"

#include <algorithm>

#include "base/check.h"

namespace tidemark::cache {

FreshnessWaits::Actions FreshnessWaits::Add(WaiterId waiter, Revision revision, absl::Time deadline, absl::Time now) {
  Actions actions;
  if (revision <= reached_) {
    actions.done.push_back({waiter, Outcome::kReached});
    return actions;
  }
  if (waiters_.size() >= kFreshnessWaitersMax) {
    actions.done.push_back({waiter, Outcome::kOverloaded});
    return actions;
  }
  TM_CHECK(waiters_.emplace(waiter, Waiter{revision, deadline}).second) << "waiter " << waiter << " waits already";
  by_revision_.emplace(revision, waiter);
  by_deadline_.emplace(deadline, waiter);
  wanted_ = true;
  Expire(now, &actions);
  RequestIfDue(now, &actions);
  return actions;
}

FreshnessWaits::Actions FreshnessWaits::OnReached(Revision revision, bool answers_progress, absl::Time now) {
  Actions actions;
  if (answers_progress) in_flight_ = false;
  reached_ = std::max(reached_, revision);
  if (waiters_.empty()) return actions;
  EndReached(&actions);
  Expire(now, &actions);
  RequestIfDue(now, &actions);
  return actions;
}

FreshnessWaits::Actions FreshnessWaits::OnInterrupted(absl::Time now) {
  Actions actions;
  in_flight_ = false;
  Expire(now, &actions);
  RequestIfDue(now, &actions);
  return actions;
}

FreshnessWaits::Actions FreshnessWaits::OnTick(absl::Time now) {
  Actions actions;
  Expire(now, &actions);
  RequestIfDue(now, &actions);
  return actions;
}

std::vector<FreshnessWaits::WaiterId> FreshnessWaits::Reset(Revision revision) {
  std::vector<WaiterId> ended;
  ended.reserve(waiters_.size());
  for (const auto& [waiter, unused] : waiters_) ended.push_back(waiter);
  waiters_.clear();
  by_revision_.clear();
  by_deadline_.clear();
  reached_ = revision;
  in_flight_ = false;
  wanted_ = false;
  return ended;
}

absl::Time FreshnessWaits::NextWake() const {
  if (waiters_.empty()) return absl::InfiniteFuture();
  return std::min(by_deadline_.begin()->first, NextRequest());
}

void FreshnessWaits::End(std::map<WaiterId, Waiter>::iterator waiter, Outcome outcome, Actions* actions) {
  actions->done.push_back({waiter->first, outcome});
  by_revision_.erase({waiter->second.revision, waiter->first});
  by_deadline_.erase({waiter->second.deadline, waiter->first});
  waiters_.erase(waiter);
  if (waiters_.empty()) wanted_ = false;
}

void FreshnessWaits::EndReached(Actions* actions) {
  while (!by_revision_.empty() && by_revision_.begin()->first <= reached_) {
    End(waiters_.find(by_revision_.begin()->second), Outcome::kReached, actions);
  }
}

void FreshnessWaits::Expire(absl::Time now, Actions* actions) {
  while (!by_deadline_.empty() && by_deadline_.begin()->first <= now) {
    End(waiters_.find(by_deadline_.begin()->second), Outcome::kTimedOut, actions);
  }
}

void FreshnessWaits::RequestIfDue(absl::Time now, Actions* actions) {
  if (now < NextRequest()) return;
  actions->request_progress = true;
  in_flight_ = true;
  wanted_ = false;
  last_request_ = now;
}

absl::Time FreshnessWaits::NextRequest() const {
  if (waiters_.empty()) return absl::InfiniteFuture();
  if (!wanted_) return last_request_ + kProgressTick;
  return last_request_ + (in_flight_ ? kProgressAnswerMax : kProgressGap);
}

}  // namespace tidemark::cache
