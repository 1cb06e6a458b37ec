#include "http/watch_handler.h"

#include <memory>
#include <string>

#include "absl/random/random.h"
#include "base/status.h"
#include "config/options.h"
#include "http/read_handler.h"
#include "http/resource_version.h"
#include "http/watch_source.h"

namespace tidemark::http {
namespace {

absl::Duration WatchTimeout(const ListOptions& options) {
  const int64_t seconds = options.timeout_seconds.value_or(0);
  if (seconds != 0) return absl::Seconds(seconds);
  absl::BitGen random;
  return kWatchTimeoutMin * absl::Uniform(random, 1.0, 2.0);
}

// Errors that a client should see as such, so that it backs off or falls back, rather than in a stream.
bool IsHttpError(const absl::Status& error) {
  switch (KindOf(error)) {
    case ErrorKind::kNotReady:
    case ErrorKind::kOverloaded:
    case ErrorKind::kStoreUnavailable:
    case ErrorKind::kStopped:
      return true;
    default:
      return false;
  }
}

}  // namespace

// All that is known of a watch before its first read.
struct WatchHandler::Start {
  std::shared_ptr<Responder> responder;
  const config::Resource* resource = nullptr;
  AnswerForm form;
  const Clock* clock = nullptr;
  cache::Mirror* mirror = nullptr;
  WatchPlan plan;
  cache::WatchQuery query;
  bool bookmarks = false;
  absl::Time deadline;

  ReadContext Context() const {
    const ReadKind read = plan.send_state ? ReadKind::kWatchState : ReadKind::kWatch;
    return {.read = read, .verb = "watch", .version = plan.version, .resource = resource};
  }
  void Fail(const absl::Status& error) const {
    const ApiStatus status = FromReadError(error, Context());
    if (IsHttpError(error)) return responder->Fail(status);
    responder->WatchStream(form, MakeErrorSource(MakeEncoder(form, *resource, *clock), status));
  }
};

ApiStatusOr<WatchPlan> PlanWatch(const ListOptions& options) {
  const absl::StatusOr<uint64_t> version = ParseResourceVersion(options.resource_version);
  if (!version.ok()) return PlainError(version.status().message());
  const bool state = options.send_initial_events.value_or(*version == 0);
  if (!state && *version > 0) return WatchPlan{.read = ReadKind::kWatch, .version = *version};
  WatchPlan plan{.read = ReadKind::kConsistent, .send_state = state, .version = *version};
  if (!options.resource_version.empty()) plan.read = *version == 0 ? ReadKind::kAny : ReadKind::kNotOlderThan;
  return plan;
}

void WatchHandler::Watch(const Route& route, const Negotiation& asked, cache::Mirror* mirror,
                         std::shared_ptr<Responder> responder) {
  ApiStatusOr<ListOptions> options = DecodeListOptions(responder->request(), *route.resource, /*watch=*/true);
  if (!options.ok()) return responder->Fail(options.status());
  ApiStatusOr<cache::Scope> scope = ScopeOf(route, options->selector);
  if (!scope.ok()) return responder->Fail(scope.status());
  ApiStatusOr<WatchPlan> plan = PlanWatch(*options);
  if (!plan.ok()) return responder->Fail(plan.status());
  if (asked.late_refusal) return responder->Fail(*asked.late_refusal);

  const absl::Time now = clock_.Now();
  Start start{.responder = std::move(responder),
              .resource = route.resource,
              .form = asked.form,
              .clock = &clock_,
              .mirror = mirror,
              .plan = *plan,
              .query = {.scope = *scope, .selector = std::move(options->selector)},
              .bookmarks = options->allow_watch_bookmarks,
              .deadline = now + WatchTimeout(*options)};
  if (plan->read == ReadKind::kWatch) {
    start.query.after = RevisionOfVersion(plan->version);
    return Open(start, cache::View());
  }
  const cache::ReadOptions read{.freshness = FreshnessOf(plan->read),
                                .revision = RevisionOfVersion(plan->version),
                                .deadline = now + config::kReadWaitMax,  // `timeout` means nothing on a watch
                                .scope = *scope};
  FreshRead(cache_, post_, mirror, read, [this, start = std::move(start)](absl::StatusOr<cache::View> view) mutable {
    if (view.ok()) start.query.after = view->revision;
    Open(start, std::move(view));
  });
}

void WatchHandler::Open(const Start& start, absl::StatusOr<cache::View> view) const {
  if (!view.ok()) return start.Fail(view.status());
  if (timers_->size() >= watches_max_)
    return start.Fail(MakeError(ErrorKind::kOverloaded, "too many watches are open"));
  net::Waker waker = start.responder->waker();
  auto cursor = start.mirror->Watch(start.query, waker);
  if (!cursor.ok()) return start.Fail(cursor.status());
  WatchStart watch{.encoder = MakeEncoder(start.form, *start.resource, clock_),
                   .resource = start.resource,
                   .nothing_fits = start.form.nothing_fits,
                   .mirror = start.mirror,
                   .revision = start.query.after,
                   .end_state_with_bookmark = start.plan.send_state && start.bookmarks,
                   .cursor = *std::move(cursor),
                   .alarm = timers_->Add(start.deadline, start.bookmarks, std::move(waker)),
                   .sent_events = start.responder->series()->watch_events,
                   .init_events = start.mirror->read_metrics().init_events};
  if (start.plan.send_state) {
    watch.state_query = {.scope = start.query.scope, .selector = start.query.selector};
    watch.state = *std::move(view);
  }
  start.responder->WatchStream(start.form, MakeWatchSource(std::move(watch)));
}

}  // namespace tidemark::http
